// Buttons that copy texts.
const $ = (id) => document.getElementById(id);
const set = (element, text) => { if (element.textContent !== text) element.textContent = text; };

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
  const all = { again: () => $("again").textContent, ...texts };
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
