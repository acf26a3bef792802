// The panel of a quiz: choices by click or digit; the keyboard goes where it is needed next.
// Runs once, with `element`, `trigger` and `watch` from Gradio.
const fingers = matchMedia("(pointer: coarse)");

element.addEventListener("click", (event) => {
  const button = event.target.closest("button.choice");
  if (button) trigger("select", { number: Number(button.dataset.number) });
});

element.addEventListener("keydown", (event) => {
  const all = [...element.querySelectorAll("button.choice")];
  const here = all.indexOf(event.target.closest("button.choice"));
  const goal = { ArrowDown: here + 1, ArrowUp: here - 1 }[event.key] ?? Number(event.key) - 1;
  if (here < 0 || !all[goal]) return;
  event.preventDefault();
  all[goal].focus();
});

const next = () => {
  const phase = element.querySelector("[data-phase]")?.dataset.phase;
  if (phase === "told") return document.querySelector("#quiz-next");
  if (phase === "over") return document.querySelector("#quiz-leave");
  // A field in focus would bring up a keyboard of glass, over the paper.
  if (fingers.matches) return null;
  return element.querySelector("button.choice") ?? document.querySelector("#quiz-answer input, #quiz-answer textarea");
};

// On a narrow screen the paper shows a part of its width: the part with the deepest tint.
const goToTint = () => {
  const at = element.querySelector("[data-at]")?.dataset.at;
  const paper = document.querySelector("#quiz-paper");
  if (paper) paper.scrollLeft = Number(at ?? 0) * paper.scrollWidth - paper.clientWidth / 2;
};
const goOn = () => setTimeout(() => next()?.focus({ preventScroll: true }), 200);
watch("value", () => {
  goOn();
  [150, 600].forEach((after) => setTimeout(goToTint, after));
});
goOn(); // the first case is there before the panel is
