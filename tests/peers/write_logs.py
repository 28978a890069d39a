"""Let other programs write their logs, all without a network.

    python tests/peers/write_logs.py FOLDER

Run in an environment that has what requirements.txt names. Each program is run on two systems,
``one`` and ``two``, and writes into a folder of its own.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TextIO

import numpy as np

os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "INSPECT_DISABLE_TELEMETRY": "1"}
QUESTIONS = [f"Is {n} {'odd' if n % 3 else 'even'}?" for n in range(8)]
GOLD = [int((n % 2 == 1) == bool(n % 3)) for n in range(8)]
CHOICES = ["no", "yes"]
SAID = {"one": "yyyynnyn", "two": "nynynyny"}

TASK = """
task: {name}
dataset_path: json
dataset_kwargs:
  data_files: {{test: {file}}}
test_split: test
output_type: {kind}
doc_to_text: "{{{{question}}}}"
{more}
"""
TASKS = {
    "index": ("multiple_choice", "doc_to_choice: '{{choices}}'\ndoc_to_target: gold\n"),
    "word": ("multiple_choice", "doc_to_choice: '{{choices}}'\ndoc_to_target: answer\n"),
    "free": (
        "generate_until",
        "doc_to_target: answer\ngeneration_kwargs: {until: ['.']}\n"
        "metric_list: [{metric: exact_match}]\n",
    ),
    "filtered": (
        "generate_until",
        "doc_to_target: answer\ngeneration_kwargs: {until: ['.']}\n"
        "metric_list: [{metric: exact_match}]\nfilter_list:\n"
        "  - name: as-is\n    filter: [{function: take_first}]\n"
        "  - name: lower\n    filter: [{function: lowercase}, {function: take_first}]\n",
    ),
}


def lm_eval(folder: Path) -> None:
    """Write ``samples_*.jsonl`` of lm-evaluation-harness with its dummy model."""
    tasks = folder / "tasks"
    tasks.mkdir(parents=True)
    rows = [
        {"question": q, "choices": CHOICES, "gold": g, "answer": CHOICES[g]}
        for q, g in zip(QUESTIONS, GOLD, strict=True)
    ]
    file = tasks / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, (kind, more) in TASKS.items():
        text = TASK.format(name=name, file=file, kind=kind, more=more)
        (tasks / f"{name}.yaml").write_text(text)
    for seed, system in enumerate(SAID, start=1):
        command = [Path(sys.executable).with_name("lm_eval"), "--model", "dummy", "--log_samples"]
        command += ["--tasks", ",".join(TASKS), "--include_path", tasks, "--seed", str(seed)]
        subprocess.run([*command, "--output_path", folder / system], check=True)
        for written in (folder / system).rglob("samples_*.jsonl"):
            task = written.name.split("_")[1]
            written.rename(folder / f"samples_{task}_{system}.jsonl")
        shutil.rmtree(folder / system)
    shutil.rmtree(tasks)


def inspect_ai(folder: Path) -> None:
    """Write logs of inspect_ai with its mock model, as JSON and as .eval."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import choice, match
    from inspect_ai.solver import generate, multiple_choice

    def told(text: str) -> ModelOutput:
        output = ModelOutput.from_content("mockllm/model", text)
        output.usage = ModelUsage()  # or it would be counted with a file from the network
        return output

    def chosen() -> tuple[Task, dict[str, str]]:
        samples = [
            Sample(id=f"q{i}", input=q, choices=CHOICES, target="AB"[g])
            for i, (q, g) in enumerate(zip(QUESTIONS, GOLD, strict=True))
        ]
        task = Task(
            MemoryDataset(samples), solver=multiple_choice(), scorer=choice(), name="choice"
        )
        return task, {"n": "ANSWER: A", "y": "ANSWER: B"}

    def free() -> tuple[Task, dict[str, str]]:
        samples = [
            Sample(id=i, input=q, target=CHOICES[g])
            for i, (q, g) in enumerate(zip(QUESTIONS, GOLD, strict=True))
        ]
        task = Task(MemoryDataset(samples), solver=generate(), scorer=match(), name="free")
        return task, {"n": "no", "y": "yes"}

    def run(made: tuple[Task, dict[str, str]], system: str, form: str, epochs: int = 1) -> None:
        task, answers = made
        outputs = [told(answers[letter]) for letter in SAID[system] for _ in range(epochs)]
        [log] = eval(
            task,
            model=get_model("mockllm/model", custom_outputs=outputs),
            log_format=form,
            log_dir=str(folder / "raw"),
            display="none",
            max_samples=1,
            epochs=epochs,
        )
        if log.status != "success":
            sys.exit(f"inspect_ai: {log.error}")
        name = f"{task.name}{'_epochs' if epochs > 1 else ''}_{system}.{form}"
        Path(log.location.removeprefix("file://")).rename(folder / name)

    folder.mkdir(parents=True)
    for system in SAID:
        for form in ("json", "eval"):
            run(chosen(), system, form)
        run(free(), system, "eval")
    run(free(), "one", "eval", epochs=2)
    shutil.rmtree(folder / "raw")


def retrieval(folder: Path) -> None:
    """Write values per topic as ``trec_eval -q`` and ir_measures print them.

    The program trec_eval is not on the package index. pytrec_eval is its code, and has its numbers;
    the lines are written as its source says, ``"%-22s\\t%s\\t%6.4f"``.
    """
    import pytrec_eval

    folder.mkdir(parents=True)
    rng = np.random.default_rng(1)
    qrels = {f"{t}": {f"d{d}": int(rng.integers(0, 3)) for d in range(8)} for t in range(301, 309)}
    lines = [f"{t} 0 {d} {rel}\n" for t, docs in qrels.items() for d, rel in docs.items()]
    (folder / "qrels.txt").write_text("".join(lines))
    for system in SAID:
        run = {t: {f"d{d}": float(rng.random()) for d in range(12)} for t in qrels}
        lines = [
            f"{t} Q0 {d} {rank} {score} {system}\n"
            for t, docs in run.items()
            for rank, (d, score) in enumerate(sorted(docs.items(), key=lambda x: -x[1]), start=1)
        ]
        (folder / f"{system}.run").write_text("".join(lines))
        measures = {"map", "P.5", "ndcg_cut.10", "num_rel"}
        values = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
        with (folder / f"trec_eval_{system}.txt").open("w") as out:
            _as_trec_eval(values, out)
        for form in ("tsv", "jsonl"):
            command = [Path(sys.executable).with_name("ir_measures"), "-q", "-o", form]
            command += [folder / "qrels.txt", folder / f"{system}.run", "AP", "nDCG@10", "P@5"]
            ran = subprocess.run(command, check=True, capture_output=True, text=True)
            (folder / f"ir_measures_{system}.{form}").write_text(ran.stdout)


def _as_trec_eval(values: dict[str, dict[str, float]], out: TextIO) -> None:
    """Write one line per topic and measure, and then one per measure."""
    import pytrec_eval

    def line(measure: str, topic: str, value: float) -> None:
        told = f"{value:.0f}" if measure.startswith("num_") else f"{value:6.4f}"
        print(f"{measure:22}\t{topic}\t{told}", file=out)

    for topic, told in sorted(values.items()):
        for measure, value in told.items():
            line(measure, topic, value)
    print(f"{'runid':22}\tall\tstanoff", file=out)
    for measure in told:
        each = [one[measure] for one in values.values()]
        line(measure, "all", pytrec_eval.compute_aggregated_measure(measure, each))


def cross_validation(folder: Path) -> None:
    """Write what cross_val_predict of scikit-learn says, with the fold of every document."""
    from sklearn.datasets import load_iris
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.neighbors import KNeighborsClassifier

    folder.mkdir(parents=True)
    x, y = load_iris(return_X_y=True)
    x = x + np.random.default_rng(1).normal(scale=1.0, size=x.shape)
    cv = StratifiedKFold(5, shuffle=True, random_state=1)
    fold = np.empty(len(y), dtype=int)
    for number, (_, test) in enumerate(cv.split(x, y)):
        fold[test] = number
    models = {"one": LogisticRegression(max_iter=1000), "two": KNeighborsClassifier(1)}
    said = {name: cross_val_predict(model, x, y, cv=cv) for name, model in models.items()}
    p = cross_val_predict(models["one"], x, y, cv=cv, method="predict_proba")
    names = ["id", "fold", "truth", *said]
    rows = zip(range(len(y)), fold, y, *said.values(), strict=True)
    text = "".join(",".join(map(str, row)) + "\n" for row in [names, *rows])
    (folder / "cross_val_predict.csv").write_text(text)
    np.save(folder / "predict_proba.npy", p, allow_pickle=False)


WRITERS = (lm_eval, inspect_ai, retrieval, cross_validation)

if __name__ == "__main__":
    for write in WRITERS:
        write(Path(sys.argv[1]).resolve() / write.__name__)
