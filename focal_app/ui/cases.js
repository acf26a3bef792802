// A list of cases: open by click or arrows, reveal, collect. Runs once, with `element`, `trigger`
// and `watch` from Gradio.
const rows = () => [...element.querySelectorAll("button.open")];
const narrow = matchMedia("(max-width: 1159px)");
let focused;
let pause;

const open = (button) => {
  rows().forEach((row) => row.setAttribute("aria-pressed", String(row === button)));
  trigger("select", { key: button.dataset.key });
};

element.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  focused = `button.${button.classList.contains("open") ? "open" : "keep"}[data-key="${CSS.escape(button.dataset.key)}"]`;
  if (button.classList.contains("open")) open(button);
  if (button.classList.contains("reveal")) trigger("edit", { key: button.dataset.key });
  if (button.classList.contains("keep")) trigger("like", { key: button.dataset.key });
});

element.addEventListener("keydown", (event) => {
  const all = rows();
  const here = all.indexOf(event.target.closest("button.open"));
  const goal = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: all.length - 1 }[event.key];
  if (here < 0 || goal === undefined || !all[goal]) return;
  event.preventDefault();
  all[goal].focus();
  focused = `button.open[data-key="${CSS.escape(all[goal].dataset.key)}"]`;
  clearTimeout(pause);
  pause = setTimeout(() => open(all[goal]), 200);
});

// The list is drawn anew after every answer: the keyboard stays where it was.
watch("value", () => {
  if (focused) element.querySelector(focused)?.focus({ preventScroll: true });
  const shown = element.querySelector('button.open[aria-pressed="true"]');
  if (!narrow.matches) shown?.scrollIntoView({ block: "nearest" });
});
