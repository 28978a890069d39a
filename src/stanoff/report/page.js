// The page: a ROPE and an HDI of the reader's own, rows to sort and filter, texts to copy.
(() => {
  const state = { half: question.half, probability: data.hdi, focus: data.focus };
  const rows = data.rows.map((row, i) => ({ ...row, draws: row.draws && decoded(row.draws), i }));
  const lines = [];
  for (const line of document.querySelectorAll("#rows tbody tr")) lines[line.dataset.i] = line;
  const changed = () => state.half !== question.half || state.probability !== data.hdi;

  // What Python computed from all draws is shown as it is; the rest comes from the draws that are here.
  function evidenceOf(row) {
    if (!row.draws) return row.reported;
    const rope = ropeOf(state.half), { probability } = state;
    if (row.hdiFor !== probability) {
      row.hdi = probability === data.hdi ? row.reported.hdi : hdiOf(row.draws, probability);
      row.hdiFor = probability;
      row.flips = flipsOf(row.hdi, question.middle, data.higher);
    }
    const decision = decide(row.hdi, rope, data.higher);
    const { below, inside, above } = rope === data.rope ? row.reported : masses(row.draws, rope);
    return { rope, hdi: row.hdi, decision, probability, below, inside, above };
  }

  const sentence = (row) =>
    row.draws ? [sentenceOf(data.names, row, row.evidence, data.higher) + row.claims + (row.evidence.rope === data.rope ? data.aside : data.lower), ...data.warnings].join(" ") : row.sentence;

  // ------------------------------------------------------------------ what changes with the ROPE
  function update() {
    const tally = { "<<": 0, "<": 0, "=": 0, ">": 0, ">>": 0 };
    for (const row of rows) {
      row.evidence = evidenceOf(row);
      tally[row.evidence.decision] += 1;
      if (!row.draws) continue;
      const cells = lines[row.i].cells;
      set(cells[data.columns.p_rope], percent(row.evidence.inside));
      set(cells[data.columns.hdi], interval(row.evidence.hdi, data.digits));
      set(cells[data.columns.decision], SYMBOLS[row.evidence.decision] + markOf(row.evidence, row));
      lines[row.i].dataset.decision = row.evidence.decision;
    }
    const row = rows[state.focus];
    set($("verdict"), sentence(row));
    set($("change"), row.draws ? changeOf(row.evidence.decision, row.flips, row.evidence.rope, row.digits) : "");
    set($("symbol"), SYMBOLS[row.evidence.decision]);
    $("symbol").dataset.decision = row.evidence.decision;
    const [a, b] = data.names;
    document.title = `${a} ${SYMBOLS[row.evidence.decision]} ${b} in ${row.judged}, ROPE ${ropeText(ropeOf(state.half))}`;
    set($("now"), `ROPE ${ropeText(ropeOf(state.half))}, ${general(100 * state.probability)}% HDI`);
    $("changed").hidden = !changed();
    $("reset").disabled = !changed();
    for (const button of document.querySelectorAll("[data-tally]"))
      set(button.querySelector("b"), tally[button.dataset.tally].toLocaleString("en"));
    showControls(row);
    drawHistogram(row);
    filter();
  }

  // ----------------------------------------------------------------------------- the controls
  function showControls(row) {
    const slider = $("slider");
    const last = Math.max(0, ...(row.flips || []).map((flip) => flip.width));
    const wanted = Math.max(2 * question.half, 1.3 * last, 1.05 * state.half) || 0.1;
    if (slider.dataset.for !== `${row.i} ${state.probability}` || state.half > Number(slider.max)) {
      const step = niceStep(wanted / 400);
      slider.step = step;
      slider.max = Number((Math.ceil(wanted / step) * step).toPrecision(12));
      slider.dataset.for = `${row.i} ${state.probability}`;
    }
    if (document.activeElement !== slider) slider.value = state.half;
    slider.setAttribute("aria-valuetext", `plus or minus ${general(state.half)}${around}`);
    const widest = Number(slider.max);
    set($("widest"), `±${general(widest)}${around}`);
    if (document.activeElement !== $("half")) $("half").value = general12(state.half);
    if (document.activeElement !== $("probability")) $("probability").value = state.probability;
    const zones = [];
    const flips = row.flips || [];
    const ends = [0, ...flips.map((flip) => flip.width), widest];
    for (let i = 0; i + 1 < ends.length; i++) {
      const zone = document.createElement("span");
      const decision = i ? flips[i - 1].after : flips[0]?.before ?? row.evidence.decision;
      zone.dataset.decision = decision;
      zone.textContent = SYMBOLS[decision];
      zone.style.flexGrow = Math.max(0, (ends[i + 1] - ends[i]) / widest);
      zones.push(zone);
    }
    $("zones").replaceChildren(...zones);
    $("pointer").style.left = `${(100 * Math.min(state.half, widest)) / widest}%`;
  }

  const general12 = (x) => String(Number(x.toPrecision(12)));

  function niceStep(x) {
    const power = 10 ** Math.floor(Math.log10(x));
    const nice = [1, 2, 5, 10].find((m) => m * power >= x * 0.999999);
    return Number((nice * power).toPrecision(6));
  }

  function read(field, check, apply) {
    const value = field.value.trim() === "" ? NaN : Number(field.value);
    const problem = check(value);
    field.setAttribute("aria-invalid", String(Boolean(problem)));
    set($("problem"), problem);
    if (!problem) { apply(value); update(); }
  }

  const fewest = Math.min(...rows.map((row) => (row.draws ? row.draws.length : Infinity)));
  function checkProbability(p) {
    if (!(p > 0 && p < 1)) return "The probability must be between 0 and 1, both excluded.";
    return p * fewest < 1 ? `The probability must be one that ${fewest} draws can show.` : "";
  }

  $("slider").addEventListener("input", () =>
    read($("slider"), checkHalf, (x) => { state.half = x; $("half").value = general12(x); $("half").removeAttribute("aria-invalid"); }));
  $("half").addEventListener("input", () => read($("half"), checkHalf, (x) => { state.half = x; }));
  $("probability").addEventListener("input", () =>
    read($("probability"), checkProbability, (p) => { state.probability = p; }));
  for (const field of [$("half"), $("probability")])
    field.addEventListener("blur", () => { field.removeAttribute("aria-invalid"); set($("problem"), ""); update(); });

  $("reset").addEventListener("click", () => {
    Object.assign(state, { half: question.half, probability: data.hdi });
    $("slider").dataset.for = "";
    update();
    $("slider").focus();
  });

  function focusOn(i) {
    state.focus = i;
    for (const line of lines) line.classList.toggle("focus", line === lines[i]);
    if ($("focus")) $("focus").value = i;
    update();
  }
  if ($("focus")) {
    $("focus").addEventListener("change", () => focusOn(Number($("focus").value)));
    $("rows").tBodies[0].addEventListener("click", (event) => {
      const line = event.target.closest("tr");
      if (!line || String(getSelection())) return;
      focusOn(Number(line.dataset.i));
      $("card").scrollIntoView({ block: "start" });
    });
    $("back").addEventListener("click", () => {
      lines[state.focus].hidden = false;
      lines[state.focus].scrollIntoView({ block: "center", inline: "start" });
    });
  }

  // ------------------------------------------------------------------------- the histogram
  function drawHistogram(row) {
    const svg = $("histogram");
    $("live").hidden = !row.draws;
    if (!row.draws) return;
    const [W, H, base] = [720, 150, 118];
    const n = row.draws.length;
    const at = (q) => row.draws[Math.min(n - 1, Math.max(0, Math.round(q * (n - 1))))];
    let [low, high] = [
      Math.min(at(0.0005), row.hdi[0], data.rope[0], 0), Math.max(at(0.9995), row.hdi[1], data.rope[1], 0),
    ];
    if (low === high) { low -= 0.01; high += 0.01; }
    const room = 0.04 * (high - low);
    low -= room; high += room;
    const x = (value) => (W * (Math.min(Math.max(value, low), high) - low)) / (high - low);
    const bins = 72, counts = [];
    for (let i = 0; i < bins; i++) {
      const [from, to] = [low + ((high - low) * i) / bins, low + ((high - low) * (i + 1)) / bins];
      counts.push(countBelow(row.draws, to, false) - countBelow(row.draws, from, false));
    }
    const tallest = Math.max(...counts, 1);
    const outline = counts.map((c, i) => `V${(base - (base - 8) * (c / tallest)).toFixed(1)}H${((W * (i + 1)) / bins).toFixed(1)}`);
    const { rope, hdi } = row.evidence;
    const parts = [
      make("rect", { class: "rope", x: x(rope[0]), y: 0, width: Math.max(1.5, x(rope[1]) - x(rope[0])), height: base }),
      make("path", { class: "bars", d: `M0 ${base}${outline.join("")}V${base}Z` }),
      make("line", { class: "zero", x1: x(0), x2: x(0), y1: 0, y2: base }),
      make("line", { class: "hdi", x1: x(hdi[0]), x2: Math.max(x(hdi[1]), x(hdi[0]) + 1), y1: base + 3, y2: base + 3 }),
    ];
    let taken = [];
    for (const value of [0, hdi[0], hdi[1]]) {
      const text = value === 0 ? "0" : signed(value, row.digits);
      const reach = 4 * text.length + 3;
      const place = Math.min(Math.max(x(value), reach), W - reach);
      if (taken.some(([p, r]) => Math.abs(p - place) < r + reach)) continue;
      taken.push([place, reach]);
      const label = make("text", { x: place, y: base + 22 });
      label.textContent = text;
      parts.push(label);
    }
    svg.setAttribute("viewBox", `0 0 ${W} ${H - 4}`);
    svg.setAttribute("aria-label", `Posterior of the difference: the HDI is ${interval(hdi, row.digits)}, the ROPE ${ropeText(rope)}`);
    svg.replaceChildren(...parts);
  }

  function make(name, attributes) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes))
      element.setAttribute(key, typeof value === "number" ? value.toFixed(1) : value);
    return element;
  }

  // ------------------------------------------------------------------------ sort and filter
  const ORDER = ["<<", "<", "=", ">", ">>"];
  const valueOf = {
    p_rope: (row) => row.evidence.inside,
    hdi: (row) => row.evidence.hdi[0],
    decision: (row) => ORDER.indexOf(row.evidence.decision),
  };
  const collator = new Intl.Collator("en", { numeric: true });

  function sort(key, direction) {
    const value = valueOf[key] || ((row) => data.values[key][row.i]);
    const known = (v) => v !== null && !Number.isNaN(v);
    const compare = (p, q) => {
      if (key === "category") return direction * collator.compare(p.name, q.name) || p.i - q.i;
      const [u, v] = [value(p), value(q)];
      if (!known(u) || !known(v)) return known(v) - known(u) || p.i - q.i;
      return u === v ? p.i - q.i : direction * (u < v ? -1 : 1);
    };
    $("rows").tBodies[0].append(...[...rows].sort(compare).map((row) => lines[row.i]));
  }

  for (const button of document.querySelectorAll("#rows th button"))
    button.addEventListener("click", () => {
      const heading = button.closest("th");
      const down = heading.getAttribute("aria-sort") === "ascending";
      for (const th of document.querySelectorAll("#rows thead th")) th.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      sort(heading.dataset.key, down ? -1 : 1);
    });

  function filter() {
    if (!$("search")) return;
    const wanted = $("search").value.trim().toLocaleLowerCase();
    const pressed = [...document.querySelectorAll('[data-tally][aria-pressed="true"]')].map((b) => b.dataset.tally);
    let shown = 0;
    for (const row of rows) {
      const fits = row.name.toLocaleLowerCase().includes(wanted) && (!pressed.length || pressed.includes(row.evidence.decision));
      lines[row.i].hidden = !fits;
      shown += fits;
    }
    set($("shown"), `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows shown`);
  }
  if ($("search")) $("search").addEventListener("input", filter);
  for (const button of document.querySelectorAll("[data-tally]"))
    button.addEventListener("click", () => {
      button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
      filter();
    });

  // -------------------------------------------------------------------------------- copying
  const texts = {
    sentence: () => sentence(rows[state.focus]),
    sentences: () => rows.map(sentence).join("\n"),
    latex: () => latexOf(),
  };

  // Python's LaTeX table, with the cells that the ROPE and the HDI change.
  const latexOf = () => data.latex.map((p) => (typeof p === "string" ? p : latexCell(...p))).join("");

  function latexCell(row, column) {
    const rule = `${general(100 * state.probability)}% HDI and the ROPE ${ropeText(ropeOf(state.half))}`;
    const text = row === undefined ? `Judged by the ${rule}.` : lines[row].cells[column].textContent;
    return text
      .replace(/(^|[\s[(])-(?=\.?\d)/g, "$1\0")
      .replace(/[%<>[\]≪≈≫]/g, (sign) => data.signs[sign])
      .replaceAll("\0", data.signs["-"]);
  }

  goLive({ bibtex: () => data.bibtex, ...texts });
  focusOn(state.focus);
})();
