// What the pages of comparisons and contests share: data, the ROPE, buttons that copy texts.
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const set = (element, text) => { if (element.textContent !== text) element.textContent = text; };
const given = {
  middle: (data.rope[0] + data.rope[1]) / 2,
  half: Number(((data.rope[1] - data.rope[0]) / 2).toPrecision(12)),
};
const around = given.middle === 0 ? "" : ` around ${generalSigned(given.middle)}`;
const ropeOf = (half) => (half === given.half ? data.rope : [given.middle - half, given.middle + half]);
const checkHalf = (x) => (x >= 0 && x < 1e300 ? "" : "The half-width must be a number that is 0 or more.");

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "aside";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

// Let buttons copy what functions return, by name, and show all that works with scripts only.
function goLive(texts) {
  const all = { bibtex: () => data.bibtex, again: () => $("again").textContent, ...texts };
  for (const button of document.querySelectorAll("[data-copy]"))
    button.addEventListener("click", async () => {
      const done = await copy(all[button.dataset.copy]());
      const status = button.parentElement.querySelector(".copied");
      set(status, done ? `Copied: ${button.dataset.what}.` : "The browser does not allow copying.");
      button.focus();
      setTimeout(() => set(status, ""), 4000);
    });
  for (const element of document.querySelectorAll("[data-live]")) element.hidden = false;
}
