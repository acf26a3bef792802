// Says how many requests are before the visitor's own, and that one is being worked on, once either
// lasts. Gradio writes both into the status of this part, where nobody sees it. Runs once.
window.pageIsThere?.(); // not where another page embeds this one
const part = document.querySelector("#waiting");
const said = part.querySelector("[data-before]");
const { before, next, working } = said.dataset;
let later;

const words = () => {
  const status = part.querySelector("[data-testid='status-tracker'] .progress-text");
  const text = status?.textContent ?? "";
  const place = text.match(/queue:\s*(\d+)\//);
  if (place) return place[1] === "1" ? next : before.replace("{}", place[1] - 1);
  return text.trim() ? working : "";
};

const tell = () => {
  const now = words();
  if (!now) {
    clearTimeout(later);
    later = undefined;
    said.hidden = true;
  } else if (!said.hidden) {
    if (said.textContent !== now) said.textContent = now;
  } else if (!later) {
    later = setTimeout(() => {
      later = undefined;
      said.textContent = words();
      said.hidden = !said.textContent;
    }, 700);
  }
};

new MutationObserver(tell).observe(part, {
  subtree: true,
  childList: true,
  characterData: true,
});
