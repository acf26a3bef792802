// A list of cases: open by click or arrows, reveal, collect. Runs once, with `element`, `trigger`
// and `watch` from Gradio.
const rows = () => [...element.querySelectorAll("button.open")];
const narrow = matchMedia("(max-width: 1159px)");
const calm = matchMedia("(prefers-reduced-motion: reduce)");
let focused;
let pause;
let byPointer = false;
let drawn;

const open = (button) => {
  rows().forEach((row) => row.setAttribute("aria-pressed", String(row === button)));
  trigger("select", { key: button.dataset.key });
};

const stay = (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  focused = `button.${button.classList.contains("open") ? "open" : "keep"}[data-key="${CSS.escape(button.dataset.key)}"]`;
};
element.addEventListener("focusin", stay);

element.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  stay(event);
  const keep = button.classList.contains("keep");
  byPointer = event.detail > 0 && !keep;
  if (button.classList.contains("open")) open(button);
  if (button.classList.contains("reveal")) trigger("edit", { key: button.dataset.key });
  if (keep) trigger("like", { key: button.dataset.key });
});

element.addEventListener("keydown", (event) => {
  const all = rows();
  const here = all.indexOf(event.target.closest("button.open"));
  const goal = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: all.length - 1 }[event.key];
  if (here < 0 || goal === undefined || !all[goal]) return;
  event.preventDefault();
  all[goal].focus();
  clearTimeout(pause);
  pause = setTimeout(() => open(all[goal]), 200);
});

// On a narrow screen a paper shows a part of its width: the part with the deepest tint. The case
// that was chosen lies above the list there: go to it.
const goToTints = () => {
  const places = [...element.closest(".tabitem").querySelectorAll("[data-at]")];
  places.forEach((place) => {
    const paper = place.closest(".column").querySelector(".paper");
    paper.scrollLeft = Number(place.dataset.at) * paper.scrollWidth - paper.clientWidth / 2;
  });
};

const goToCase = () => {
  const behavior = calm.matches ? "auto" : "smooth";
  element.closest(".tabitem").querySelector(".theirs").scrollIntoView({ block: "start", behavior });
};

// The list is drawn anew after every answer: the keyboard stays where it was, here or elsewhere.
// Whoever collects goes on down the list: nothing moves where the cases are the same as before.
watch("value", () => {
  const here = document.activeElement === document.body || element.contains(document.activeElement);
  if (here && focused) element.querySelector(focused)?.focus({ preventScroll: true });
  const list = rows().map((row) => row.outerHTML).join("");
  const same = list === drawn;
  drawn = list;
  if (same && !byPointer) return;
  const shown = element.querySelector('button.open[aria-pressed="true"]');
  // Whoever is elsewhere, at the tabs or the search, stays in sight of it.
  const within = element.contains(document.activeElement);
  if (!narrow.matches && within) shown?.scrollIntoView({ block: "nearest" });
  if (narrow.matches && byPointer) setTimeout(goToCase, 150);
  byPointer = false;
  [150, 600].forEach((after) => setTimeout(goToTints, after));
});
