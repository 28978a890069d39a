// What the draws say under another ROPE or HDI: the twin of evidence.py, decision.py,
// sensitivity.py and sentences.py. Nothing here touches the page.
"use strict";

const SYMBOLS = { "<<": "≪", "<": "<", "=": "≈", ">": ">", ">>": "≫" };
const WORDS = {
  "<<": "significantly worse than",
  "=": "practically equivalent to",
  ">>": "significantly better than",
};
const PROBABLY = 0.9, PERHAPS = 0.6;
const UNRESOLVED =
  " An end of the HDI lies within Monte-Carlo error of the ROPE's: another seed could give " +
  "another decision, and more draws may tell.";

// Sorted draws from the gaps between them, in steps of a grid and in base 64: see embedding.py.
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
function decoded({ step, first, gaps }) {
  const draws = [first * step];
  let position = first, gap = 0, unit = 1;
  for (const character of gaps) {
    const digit = DIGITS.indexOf(character);
    gap += (digit & 31) * unit;
    unit *= 32;
    if (digit < 32) {
      draws.push((position += gap) * step);
      gap = 0;
      unit = 1;
    }
  }
  return Float64Array.from(draws);
}

// How many of the sorted draws are below a value, or not above it.
function countBelow(draws, value, orEqual) {
  let low = 0, high = draws.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (draws[middle] < value || (orEqual && draws[middle] === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The narrowest interval of draws, as ArviZ takes it; null if there are too few draws.
function hdiOf(draws, probability) {
  const held = Math.floor(probability * draws.length);
  if (held < 1 || held >= draws.length) return null;
  let best = 0, narrowest = Infinity;
  for (let i = 0; i + held < draws.length; i++) {
    const width = draws[i + held] - draws[i];
    if (width < narrowest) { narrowest = width; best = i; }
  }
  return [draws[best], draws[best + held]];
}

function decide(hdi, rope, higher) {
  if (rope[0] <= hdi[0] && hdi[1] <= rope[1]) return "=";
  const right = hdi[0] + hdi[1] >= rope[0] + rope[1];
  const apart = hdi[1] <= rope[0] || hdi[0] >= rope[1];
  if (right === higher) return apart ? ">>" : ">";
  return apart ? "<<" : "<";
}

function masses(draws, rope) {
  const below = countBelow(draws, rope[0], false);
  const upTo = countBelow(draws, rope[1], true);
  const n = draws.length;
  return { below: below / n, inside: (upTo - below) / n, above: (n - upTo) / n };
}

// The half-widths at which a ROPE with this middle changes the decision.
function flipsOf(hdi, middle, higher) {
  const low = hdi[0] - middle, high = hdi[1] - middle;
  const verdict = (width) => decide(hdi, [middle - width, middle + width], higher);
  const widths = new Set([Math.max(low, -high, 0), Math.max(Math.abs(low), Math.abs(high))]);
  return [...widths]
    .map((width) => ({ width, before: verdict(width * (1 - 1e-9)), after: verdict(width * (1 + 1e-9)) }))
    .filter((flip) => flip.width > 0 && flip.before !== flip.after);
}

// Python's f"{x:.{digits}f}": toFixed, but a tie goes to the even digit.
function fixed(x, digits) {
  const size = Math.abs(x);
  let text = size < 1e21 ? size.toFixed(digits) : `${BigInt(size)}${digits ? "." : ""}${"0".repeat(digits)}`;
  const exact = size < 1e21 ? size.toFixed(Math.min(100, digits + 30)) : text;
  const tail = exact.slice(exact.indexOf(".") + 1 + digits);
  if (/^50+$/.test(tail) && "13579".includes(text.at(-1))) {
    const down = exact.slice(0, exact.indexOf(".") + (digits ? 1 + digits : 0));
    if ("02468".includes(down.at(-1))) text = down;
  }
  return (x < 0 || Object.is(x, -0) ? "-" : "") + text;
}

const signed = (x, digits) => (x < 0 || Object.is(x, -0) ? "" : "+") + fixed(x, digits);

// Python's f"{x:g}".
function general(x) {
  if (x === 0) return Object.is(x, -0) ? "-0" : "0";
  const [digits, exponent] = x.toExponential(5).split("e");
  const trim = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  const e = Number(exponent);
  if (e >= -4 && e < 6) return trim(fixed(x, 5 - e));
  return `${trim(digits)}e${e < 0 ? "-" : "+"}${String(Math.abs(e)).padStart(2, "0")}`;
}

const generalSigned = (x) => (x < 0 || Object.is(x, -0) ? "" : "+") + general(x);

function percent(p) {
  if (p < 0.0005) return "<0.1%";
  if (p >= 0.9995) return ">99.9%";
  return `${fixed(100 * p, 1)}%`;
}

const interval = (ends, digits) => `[${signed(ends[0], digits)}, ${signed(ends[1], digits)}]`;
const ropeText = (rope) => `[${generalSigned(rope[0])}, ${generalSigned(rope[1])}]`;

// The Monte-Carlo standard error of the middle of an HDI: as intervals.py.
function midpointError(hdi, std, mcse) {
  const z = std > 0 ? (hdi[1] - hdi[0]) / (2 * std) : 0;
  const density = Math.exp(-0.5 * Math.min(z, 5) ** 2) / Math.sqrt(2 * Math.PI);
  if (!(density * z ** 2 > 0)) return 0;
  return 0.52 * std * Math.cbrt((2 * (mcse / std) ** 2) / (density * z ** 2));
}

// Whether the ends of the HDI are off those of the ROPE by more than draws scatter: as evidence.py.
function decisionResolved(evidence, row) {
  const middle = midpointError(evidence.hdi, row.std, row.mcse);
  if (!(middle > 0)) return true;
  const z = Math.min((evidence.hdi[1] - evidence.hdi[0]) / (2 * row.std), 5);
  const density = Math.exp(-0.5 * z ** 2) / Math.sqrt(2 * Math.PI);
  const p = evidence.probability;
  const error = Math.hypot(middle, (Math.sqrt(p * (1 - p)) * row.mcse) / (2 * density));
  return evidence.hdi.every((end) => evidence.rope.every((edge) => Math.abs(end - edge) >= 3 * error));
}

const directionResolved = (evidence, row) =>
  Math.abs(evidence.hdi[0] + evidence.hdi[1] - evidence.rope[0] - evidence.rope[1]) / 2 > 3 * midpointError(evidence.hdi, row.std, row.mcse);

// What stands beside the symbol of a decision whose systems cannot be told apart: as tables.py.
function markOf(evidence, row) {
  if (evidence.decision !== "<" && evidence.decision !== ">") return "";
  const p = evidence.decision === ">" ? row.pBetter : row.pWorse;
  return p < PERHAPS || (p < PROBABLY && !directionResolved(evidence, row)) ? " †" : "";
}

// The decision in words that neither noise nor the sign of the mean contradicts: as sentences.py.
function verdictOf(names, row, evidence, higher) {
  const [a, b] = names;
  const where = `in ${row.judged} (${row.documents})`;
  if (evidence.decision === "<" || evidence.decision === ">") {
    const better = row.pBetter >= row.pWorse;
    const p = better ? row.pBetter : row.pWorse;
    if (p < PERHAPS || (p < PROBABLY && !directionResolved(evidence, row))) return `${a} and ${b} cannot be told apart yet ${where}`;
    const sure = p >= PROBABLY ? "probably" : "perhaps";
    return `${a} is ${sure} ${better ? "better" : "worse"} than ${b} ${where}, but this is not settled`;
  }
  const expected = evidence.decision.startsWith(">") === higher ? 1 : -1;
  if (evidence.decision !== "=" && row.sign * expected < 0)
    return `The difference between ${a} and ${b} ${where} lies ${evidence.hdi[0] >= evidence.rope[1] ? "above" : "below"} the ROPE`;
  return `${a} is ${WORDS[evidence.decision]} ${b} ${where}`;
}

// The sentence of sentences.py.
function sentenceOf(names, row, evidence, higher) {
  return (
    `${verdictOf(names, row, evidence, higher)}: ` +
    `under the ${row.model} model the difference is ${row.mean}, with a ` +
    `${general(100 * evidence.probability)}% HDI of ${interval(evidence.hdi, row.digits)}; it lies below, ` +
    `inside and above the ROPE ${ropeText(evidence.rope)} with probability ${percent(evidence.below)}, ` +
    `${percent(evidence.inside)} and ${percent(evidence.above)}.` +
    (decisionResolved(evidence, row) ? "" : UNRESOLVED)
  );
}

// The half-width of a ROPE with so many decimals at most, but never 0: as numbers.py.
function halfWidth(width, digits) {
  const text = fixed(width, digits).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
  return `±${text === "0" ? general(Number(width.toPrecision(1))) : text}`;
}

// What would change it, in the words of sentences.py.
function changeOf(decision, flips, rope, digits) {
  if (!flips.length) return "No other width of the ROPE would change it.";
  const middle = (rope[0] + rope[1]) / 2;
  const around = Math.abs(middle) > 1e-12 ? ` around ${generalSigned(middle)}` : "";
  const at = flips.findIndex(({ before }) => before === decision);
  const passed = at < 0 ? flips.length : at;
  const others = [
    ...flips.slice(0, passed).reverse().map((flip) => [flip.width, "narrower", flip.before]),
    ...flips.slice(passed).map((flip) => [flip.width, "wider", flip.after]),
  ].map(([width, how, other]) => [`${halfWidth(width, digits)}${around} or ${how}`, other]);
  const [[first, verdict], ...rest] = others;
  const message = `With a ROPE of ${first} the decision would be ${SYMBOLS[verdict]}`;
  return [message, ...rest.map(([width, other]) => `; with ${width}, ${SYMBOLS[other]}`), "."].join("");
}
