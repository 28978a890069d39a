"""Every option of a comparison, declared once: Python, the command line and studies read it here.

To add one: a line here, a sentence in the docstring of :func:`stanoff.compare`, and the code that
uses it: ``question.py`` or ``data/load.py``.
"""

# No lazy annotations: the declarations are read when the module is loaded.
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict, TypeVar, get_args

from stanoff.errors import no_option

if TYPE_CHECKING:
    from stanoff.models.priors import Priors

F = TypeVar("F", bound=Callable[..., Any])

AVERAGES = ("macro", "micro", "weighted")
ENGINES = ("auto", "stan", "exact")
UNMATCHED = ("raise", "drop", "pairs")


@dataclass(frozen=True)
class Option:
    """What there is to say of an option beside its name and type.

    Attributes
    ----------
    help : str
        What the command line says of it; it has no option whose help is empty.
    default : object
        What the signatures show; None where the default depends on something.
    choices : tuple of str
        Words out of which it is one.
    flags : tuple of str
        What is typed, where that is not ``--name``.
    multiple : bool
        Whether it may be typed several times.
    """

    help: str = ""
    default: Any = None
    choices: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    multiple: bool = False


class DataOptions(TypedDict, total=False):
    """How data are laid out, and which labels count."""

    pos_label: Annotated[
        Any, Option("The positive label.  [default: 1]", flags=("--pos-label", "--positive"))
    ]
    labels: Annotated[
        Sequence[Any] | None, Option("A category to average over; may be repeated.", multiple=True)
    ]
    id: Annotated[Any, Option("Column that names the document; several FILEs are joined by it.")]
    unmatched: Annotated[
        str | None,
        Option(
            "Items that a system has not answered; pairs judges each pair on what both have.",
            choices=UNMATCHED,
        ),
    ]
    item: Annotated[Any, Option("Of values, or in long format: column that names the item.")]
    system: Annotated[Any, Option("In long format: column that names the system.")]
    prediction: Annotated[Any, Option("In long format: column of predictions; also --value.")]
    value: Annotated[Any, Option("In long format: column of values.")]
    cluster: Annotated[Any, Option("Of scores and values: column that names the cluster.")]
    dataset: Annotated[Any, Option("Of values: column that names the data set.")]
    by: Annotated[
        Any, Option("Column of groups of the same documents, each of which is judged, too.")
    ]
    trained: Annotated[
        Any, Option("Column that names the trained copy (training seed); each answers all items.")
    ]
    denominator: Annotated[
        Any, Option("Of a ratio: column to divide by, or one per system.", multiple=True)
    ]
    sample_weight: Annotated[Any, Option("Column that counts the documents of a row.")]
    fold: Annotated[Any, Option("Of cross-validated scores: column that names the test fold.")]
    repeat: Annotated[Any, Option("Column that names the repeat of the cross-validation.")]
    folds: Annotated[int | None, Option("How many folds there are, where no column names them.")]
    repeats: Annotated[int | None, Option("How often they are repeated.")]
    cv: Annotated[Any, Option()]
    n_train: Annotated[Any, Option("Documents of a training set, or the column that says so.")]
    n_test: Annotated[Any, Option("Documents of a test set, or the column that says so.")]
    metric: Annotated[str | None, Option("What the scores of folds are, such as neg_log_loss.")]
    paired: Annotated[
        bool | None,
        Option(
            "Whether all systems were tested on the same folds.  [default: they were]",
            flags=("--paired/--unpaired",),
        ),
    ]


class QuestionOptions(TypedDict, total=False):
    """What is asked of the draws."""

    measure: Annotated[
        str | Callable[..., Any], Option("See: stanoff measures.  [default: f1]", "f1")
    ]
    beta: Annotated[float, Option("Beta of F-beta.  [default: 1]", 1.0)]
    zero_division: Annotated[
        float | str, Option("What a measure is at 0/0: 0, 1 or nan.  [default: 0]", 0.0)
    ]
    prevalence: Annotated[float | None, Option("Share of positives to judge at.")]
    clip: Annotated[
        float | None, Option("Least distance of probabilities from 0 and 1: Brier, log loss.")
    ]
    higher_is_better: Annotated[
        bool | None,
        Option(
            "Of values: which ones are good.  [default: high ones]",
            flags=("--higher-is-better/--lower-is-better",),
        ),
    ]
    average: Annotated[str | None, Option("Judge all categories together.", choices=AVERAGES)]
    rope: Annotated[Any, Option("Region of practical equivalence.  [default: 0.05]", 0.05)]
    hdi_prob: Annotated[
        float, Option("Probability of the highest density interval.  [default: 0.95]", 0.95)
    ]
    not_worse_by: Annotated[
        Any,
        Option("Ask whether A is not worse than B by more than this; exit code 3 if not shown."),
    ]
    better_by: Annotated[
        Any, Option("Ask whether A is better than B by more than this; exit code 3 if not shown.")
    ]
    compare_to: Annotated[
        str | None, Option("The system that such a claim is against.  [default: the leader]")
    ]
    shrink: Annotated[
        bool | None,
        Option(
            "Let systems learn from each other where they are ranked.  [default: from four on]",
            flags=("--shrink/--no-shrink",),
        ),
    ]


class SamplingOptions(TypedDict, total=False):
    """How the posterior is drawn."""

    model: Annotated[
        str | Path | None,
        Option("See: stanoff models; or a .stan file.  [default: what suits the data]"),
    ]
    population: Annotated[
        str | None,
        Option(
            "Of values: new items, these asked again, or a new data set; of folds: new training "
            "sets; of trained copies: new trainings.  [default: items]",
            choices=("items", "runs", "datasets", "training sets", "trainings"),
        ),
    ]
    data: Annotated[
        Mapping[str, Any] | None,
        Option("JSON file: what your own .stan file declares and only you have."),
    ]
    prior: Annotated[
        "Priors | str | None",
        Option(
            "uniform, jeffreys, perks, or weights such as beta=2,alpha_pos=0.5; twice for one of A "
            "and one of B.  [default: uniform]",
            multiple=True,
        ),
    ]
    engine: Annotated[
        str | None,
        Option(
            "What draws; auto is exact where Stan would first have to be built.",
            "auto",
            choices=ENGINES,
        ),
    ]
    chains: Annotated[int | None, Option("Chains.")]
    draws: Annotated[int | None, Option("Draws to keep per chain.")]
    warmup: Annotated[int | None, Option("Draws to discard per chain.")]
    seed: Annotated[int | None, Option("Makes every number reproducible.")]
    sampler_options: Annotated[
        Mapping[str, Any] | None,
        Option(
            "Of CmdStan's sampler, such as adapt_delta=0.99; may be repeated.",
            flags=("--sampler-option",),
            multiple=True,
        ),
    ]
    output_dir: Annotated[str | Path | None, Option("Folder that keeps the CSV files of CmdStan.")]
    executor: Annotated[Any, Option()]
    progress: Annotated[bool, Option(default=False)]


class FitOptions(QuestionOptions, SamplingOptions, total=False):
    """What is asked, and how it is drawn."""


class CompareOptions(DataOptions, FitOptions, total=False):
    """All options."""


DATA = tuple(DataOptions.__annotations__)
QUESTION = tuple(QuestionOptions.__annotations__)
SAMPLING = tuple(SamplingOptions.__annotations__)
FIT = QUESTION + SAMPLING
OF_CONTESTS = ("shrink", "compare_to")  # two systems have no use for them
COMPARE_COUNTS = tuple(name for name in FIT if name not in OF_CONTESTS)
COMPARE = DATA + COMPARE_COUNTS
CONTEST = DATA + FIT
DECLARED = {
    name: (annotation.__origin__, annotation.__metadata__[0])
    for declarations in (DataOptions, QuestionOptions, SamplingOptions)
    for name, annotation in declarations.__annotations__.items()
}


def kind_of(name: str) -> type:
    """Return what is typed for an option: a flag, a number or a text.

    Examples
    --------
    >>> kind_of("seed"), kind_of("measure")
    (<class 'int'>, <class 'str'>)
    """
    annotation, _ = DECLARED[name]
    known = {annotation, *get_args(annotation)}
    return next((kind for kind in (str, bool, int, float) if kind in known), str)


def select(options: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the options of these names that have a value."""
    return {name: options[name] for name in names if options.get(name) is not None}


def spell_out(names: Sequence[str] = ()) -> Callable[[F], F]:
    """Show the options that a function takes as ``**options`` in its signature, with defaults.

    An unknown keyword is refused with the option that was probably meant.

    Examples
    --------
    >>> @spell_out(["rope"])
    ... def judge(**options):
    ...     return options
    >>> inspect.signature(judge)
    <Signature (*, rope: Any = 0.05)>
    >>> judge(ropee=1)
    Traceback (most recent call last):
        ...
    stanoff.errors.OptionError: judge() has no option 'ropee'; did you mean 'rope'?
    """

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        parameters = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        for name in names:
            annotation, option = DECLARED[name]
            about: Any = {"default": option.default, "annotation": annotation}
            parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, **about))
        known = [parameter.name for parameter in parameters]

        @wraps(function)
        def checked(*args: Any, **options: Any) -> Any:
            for name in options:
                if name not in known:
                    raise no_option(function.__name__, name, known)
            if args and isinstance(args[0], (str, Path)) and "table" in options:
                # A file of DuckDB, and the name of a table in it.
                args = (f"{args[0]}::{options.pop('table')}", *args[1:])
            return function(*args, **options)

        checked.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return checked  # type: ignore[return-value]

    return decorate
