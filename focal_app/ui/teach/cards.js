// Cards of cases: open by click or arrows, reveal, take out. They are told by their place, never by
// the key of the case. Runs once, with `element`, `trigger` and `watch` from Gradio.
const cards = () => [...element.querySelectorAll("button.open")];
const EVENTS = { open: "select", reveal: "edit", drop: "delete" };
let focused;

const told = (button) => Number(button.dataset.number);
const kindOf = (button) => Object.keys(EVENTS).find((kind) => button.classList.contains(kind));

element.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  const kind = button && kindOf(button);
  if (!kind) return;
  focused = told(button);
  trigger(EVENTS[kind], { number: told(button) });
});

element.addEventListener("keydown", (event) => {
  const all = cards();
  const here = all.indexOf(event.target.closest("button.open"));
  const goal = {
    ArrowDown: here + 1, ArrowRight: here + 1, ArrowUp: here - 1, ArrowLeft: here - 1,
    Home: 0, End: all.length - 1,
  }[event.key];
  if (here < 0 || goal === undefined || !all[goal]) return;
  event.preventDefault();
  all[goal].focus();
  focused = goal;
  trigger("select", { number: goal });
});

// The cards are drawn anew after every answer: the keyboard stays where it was.
watch("value", () => {
  if (focused === undefined) return;
  const all = cards();
  all[Math.min(focused, all.length - 1)]?.focus({ preventScroll: true });
  focused = undefined;
});
