// Many systems under another ROPE: the twin of ranks.py and of text/contests.py, then the page.
const MOST_NAMES = 5;

// The decision on each system (row) against each other (column), from the HDIs of all pairs.
function matrixOf(low, high, systems, rope, higher) {
  const out = Array.from({ length: systems }, () => Array(systems).fill(""));
  for (let i = 0, pair = 0; i < systems; i++)
    for (let j = i + 1; j < systems; j++, pair++) {
      out[i][j] = decide([low[pair], high[pair]], rope, higher);
      out[j][i] = decide([-high[pair], -low[pair]], rope, higher);
    }
  return out;
}

// Every system in the tier after the last that has a system significantly better.
function tiersOf(decisions) {
  const out = decisions.map(() => 0);
  for (let tier = 1; out.includes(0); tier++) {
    const left = out.flatMap((t, i) => (t ? [] : [i]));
    const front = left.filter((j) => !left.some((i) => decisions[i][j] === ">>"));
    for (const i of front.length ? front : left) out[i] = tier;
  }
  return out;
}

// Whether the HDIs of all pairs with the leader are off the ROPE's ends by more than draws scatter.
function leadResolved({ low, high, errors, names }, leader, rope) {
  let pair = -1;
  for (let i = 0; i < names.length; i++)
    for (let j = i + 1; j < names.length; j++) {
      pair++;
      if (i !== leader && j !== leader) continue;
      const gap = Math.min(...[low[pair], high[pair]].flatMap((end) => rope.map((edge) => Math.abs(end - edge))));
      if (gap < 3 * errors[pair]) return false;
    }
  return true;
}

function listed(names) {
  const more = names.length - MOST_NAMES;
  const shown = more > 0 ? [...names.slice(0, MOST_NAMES), `${more} more`] : names;
  return shown.length === 1 ? shown[0] : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

function contestSentence(data, rope, { order, tier, decisions, near }) {
  const best = order.filter((i) => tier[i] === 1);
  const others = order.filter((i) => tier[i] > 1);
  const names = (places) => listed(places.map((i) => data.shown[i]));
  const [leader, ...followers] = best;
  let head = `${names([leader])} is the best of ${order.length} systems`, rest = "";
  if (followers.length && best.every((i) => best.every((j) => i === j || decisions[i][j] === "="))) {
    head = `${names(best)} are practically equivalent`;
  } else if (followers.length) {
    head = `${names([leader])} leads`;
    const clause = (group, words) =>
      group.length ? `; ${names(group)} ${group.length === 1 ? "is" : "are"} ${words}` : "";
    const alike = followers.filter((i) => decisions[leader][i] === "=");
    const open = followers.filter((i) => decisions[leader][i] !== "=");
    const close = open.filter((i) => data.close[leader][i]);
    const behind = open.filter((i) => !data.close[leader][i]);
    rest =
      clause(alike, "practically equivalent to it") +
      (close.length ? `; ${names(close)} may be as good` : "") +
      clause(behind, "probably worse, but whether by more than the ROPE is not settled");
  }
  let worse = "";
  if (others.length) {
    const who = others.length > MOST_NAMES ? `the other ${others.length}` : names(others);
    const verb = others.length === 1 ? "is" : "are";
    const clear = best.every((i) => others.every((j) => decisions[i][j] === ">>"));
    const each = others.length === 1 ? "" : " each";
    worse = clear
      ? `; ${who} ${verb} significantly worse`
      : `; ${who} ${verb}${each} significantly worse than at least one system`;
  }
  const few = best.slice(0, MOST_NAMES);
  return (
    `${head} in ${data.judged} (${data.documents})${rest}${worse}. ` +
    `Under the ${data.model} ${names(few)} ${few.length === 1 ? "is" : "are"} within the ROPE ` +
    `${ropeText(rope)} of the best with probability ${listed(few.map((i) => near[i]))}, and the best ` +
    `with ${listed(few.map((i) => data.best[i]))}.` +
    (leadResolved(data, leader, rope) ? "" : ` For a pair with the leader an${UNRESOLVED.slice(3)}`) +
    (rope === data.rope ? data.aside : data.lower)
  );
}

(() => {
  const systems = data.names.length;
  const lost = data.lost.map((code) => code && decoded(code));
  const state = { half: question.half };
  function rankingOf(rope) {
    const decisions = matrixOf(data.low, data.high, systems, rope, data.higher);
    const tier = tiersOf(decisions);
    const reach = Math.max(0, data.higher ? -rope[0] : rope[1]);
    const near = lost.map((draws, i) =>
      draws && rope !== data.rope ? percent(countBelow(draws, reach, true) / draws.length) : data.near[i]);
    const order = [...tier.keys()].sort((i, j) => tier[i] - tier[j] || data.regret[i] - data.regret[j] || i - j);
    return { decisions, tier, near, order };
  }

  function make(name, text, attributes = {}) {
    const element = document.createElement(name);
    const holder = ["th", "li"].includes(name) ? element.appendChild(document.createElement("bdi")) : element;
    holder.textContent = text;
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  }

  const sentence = (rope, ranking) => [contestSentence(data, rope, ranking), ...data.warnings].join(" ");

  function update() {
    const rope = ropeOf(state.half);
    const ranking = rankingOf(rope);
    set($("verdict"), sentence(rope, ranking));
    const count = Math.max(...ranking.tier);
    $("tiers").replaceChildren(...Array.from({ length: count }, (_, t) =>
      make("li", ranking.order.filter((i) => ranking.tier[i] === t + 1).map((i) => data.names[i]).join(", "))));
    $("systems").tBodies[0].replaceChildren(...ranking.order.map((i) => {
      const cells = [...data.cells[i]];
      cells[data.columns.tier] = String(ranking.tier[i]);
      cells[data.columns.p_near] = ranking.near[i];
      const row = document.createElement("tr");
      row.append(...cells.map((text, j) => (j ? make("td", text, { class: "number" }) : make("th", text, { scope: "row" }))));
      return row;
    }));
    $("matrix").tHead.rows[0].replaceChildren(
      document.createElement("td"), ...ranking.order.map((i) => make("th", data.names[i], { scope: "col" })));
    $("matrix").tBodies[0].replaceChildren(...ranking.order.map((i) => {
      const row = document.createElement("tr");
      row.append(make("th", data.names[i], { scope: "row" }), ...ranking.order.map((j) => {
        if (i === j) return document.createElement("td");
        const cell = make("td", SYMBOLS[ranking.decisions[i][j]], { "data-decision": ranking.decisions[i][j] });
        cell.append(make("small", data.better[i][j]));
        return cell;
      }));
      return row;
    }));
    const changed = state.half !== question.half;
    set($("now"), ropeText(rope));
    $("changed").hidden = !changed;
    $("reset").disabled = !changed;
    const slider = $("slider");
    if (state.half > Number(slider.max)) slider.max = state.half;
    if (document.activeElement !== slider) slider.value = state.half;
    if (document.activeElement !== $("half")) $("half").value = String(Number(state.half.toPrecision(12)));
    slider.setAttribute("aria-valuetext", `plus or minus ${general(state.half)}${around}`);
    set($("widest"), `±${general(Number(slider.max))}${around}`);
  }

  // As wide as it takes to make all pairs equivalent, or nearly.
  const far = Math.max(...data.low.map((low, i) => Math.max(Math.abs(low), Math.abs(data.high[i]))));
  const widest = Math.max(2 * question.half, Number.isFinite(far) ? 1.05 * far : 0) || 0.1;
  const step = 10 ** Math.floor(Math.log10(widest / 200));
  $("slider").step = step;
  $("slider").max = Number((Math.ceil(widest / step) * step).toPrecision(12));

  function read(field) {
    const value = field.value.trim() === "" ? NaN : Number(field.value);
    const problem = checkHalf(value);
    field.setAttribute("aria-invalid", String(Boolean(problem)));
    set($("problem"), problem);
    if (!problem) { state.half = value; update(); }
  }
  $("slider").addEventListener("input", () => read($("slider")));
  $("half").addEventListener("input", () => read($("half")));
  $("half").addEventListener("blur", () => { $("half").removeAttribute("aria-invalid"); set($("problem"), ""); update(); });
  $("reset").addEventListener("click", () => { state.half = question.half; update(); $("slider").focus(); });

  goLive({ bibtex: () => data.bibtex, sentence: () => $("verdict").textContent });
  update();
})();
