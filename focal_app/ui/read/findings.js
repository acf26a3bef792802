// The list of findings: click, or arrows, Home, End, Escape; edits stay in their row.
// Runs once, with `element` (the list), `trigger` (tells the server) and `watch` from Gradio.
const folded = () => element.querySelector("details.folded");
const inView = (button) => !button.closest("details:not([open])");
const buttons = () => [...element.querySelectorAll("button.finding")].filter(inView);
const chosen = () => element.querySelector('button.finding[aria-pressed="true"]');
const narrow = matchMedia("(max-width: 1159px)");
const calm = matchMedia("(prefers-reduced-motion: reduce)");
let pause;
let asking;
let edited = false;
let unfolded = false;
let byPointer = false;

const press = (button, on) => {
  button.setAttribute("aria-pressed", String(on));
  button.setAttribute("aria-expanded", String(on));
};

// The row is marked at once; the tint follows when the server has answered. It is told what is
// wanted rather than that a row was pressed, and of presses in one breath only of the last: events
// that leave together may arrive in any order.
const choose = (button) => {
  const before = chosen();
  const on = before !== button;
  if (before && on) press(before, false);
  press(button, on);
  const wanted = { prompt: button.dataset.prompt, on };
  clearTimeout(asking);
  asking = setTimeout(() => trigger("select", wanted), 60);
};

element.addEventListener("click", (event) => {
  const finding = event.target.closest("button.finding");
  if (finding) {
    byPointer = event.detail > 0;
    choose(finding);
  }
  const remove = event.target.closest("button.remove");
  if (remove) trigger("delete", { prompt: remove.closest("form").dataset.prompt });
});

element.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  edited = true;
  trigger("edit", { prompt: form.dataset.prompt, text: form.elements.text.value });
});

// What a visitor unfolded stays so when the list comes anew.
element.addEventListener(
  "toggle",
  (event) => {
    if (event.target === folded()) unfolded = event.target.open;
  },
  true,
);

// Browsing with the arrows chooses as it goes, once the hand rests.
element.addEventListener("keydown", (event) => {
  const all = buttons();
  const here = all.indexOf(event.target.closest("button.finding"));
  if (event.key === "Escape" && chosen()) {
    const button = chosen();
    choose(button);
    button.focus();
    return;
  }
  const goal = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: all.length - 1 }[event.key];
  if (here < 0 || goal === undefined || !all[goal]) return;
  event.preventDefault();
  all[goal].focus();
  clearTimeout(pause);
  pause = setTimeout(() => chosen() !== all[goal] && choose(all[goal]), 200);
});

// On a narrow screen the paper is far from the list: go there, and to the deepest tint on it.
const goToPaper = () => {
  const desk = element.closest(".desk");
  const paper = desk?.querySelector(".paper");
  const at = desk?.querySelector(".places[data-at]")?.dataset.at;
  if (at === undefined || !paper) return;
  paper.scrollLeft = Number(at) * paper.scrollWidth - paper.clientWidth / 2;
  if (!narrow.matches) return;
  paper.scrollIntoView({ block: "start", behavior: calm.matches ? "auto" : "smooth" });
};

const show = () => {
  if (!narrow.matches) chosen()?.closest(".row").scrollIntoView({ block: "nearest" });
};

// After an edit the list may be in another order: show the chosen row, and give a reworded one
// the keyboard again. The tour fills the list before its tab is open.
watch("value", () => {
  if (unfolded && folded()) folded().open = true;
  if (element.offsetParent) show();
  else setTimeout(show, 300);
  if (byPointer) setTimeout(goToPaper, 150);
  byPointer = false;
  if (!edited) return;
  edited = false;
  chosen()?.focus();
});
