// The window of a long recording, chosen on its overview. Runs once, with `element` and `trigger`.
const span = (start, length) => `${+start.toFixed(1)}–${+(start + length).toFixed(1)} s`;
let asking;

const say = (slider) => {
  const said = span(Number(slider.value), Number(slider.dataset.window));
  slider.setAttribute("aria-valuetext", said);
  slider.nextElementSibling.textContent = said;
};

element.addEventListener("input", (event) => say(event.target));

// Whoever goes on with the keys is not answered at every step.
element.addEventListener("change", (event) => {
  const start = Math.round(10 * Number(event.target.value)) / 10;
  clearTimeout(asking);
  asking = setTimeout(
    () => trigger("select", { start: Math.min(start, Number(event.target.max)) }),
    250,
  );
});

element.addEventListener("keydown", (event) => {
  const slider = event.target;
  const length = Number(slider.dataset.window);
  const by = {
    ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: length, PageDown: -length,
  }[event.key];
  if (!by) return;
  event.preventDefault();
  slider.value = Number(slider.value) + by;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  slider.dispatchEvent(new Event("change", { bubbles: true }));
});
