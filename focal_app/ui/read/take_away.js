// The menu of what can be taken away: arrows move, Escape and a click elsewhere close it.
// Runs once, with `element` and `trigger` (tells the server what is wanted) from Gradio.
const menu = () => element.querySelector("details");
const choices = () => [...element.querySelectorAll("button[data-kind]")];

const close = (refocus) => {
  menu().open = false;
  if (refocus) element.querySelector("summary").focus();
};

element.addEventListener("click", (event) => {
  const choice = event.target.closest("button[data-kind]");
  if (!choice) return;
  close(true);
  trigger("select", { kind: choice.dataset.kind });
});

element.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && menu().open) {
    event.stopPropagation();
    close(true);
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !menu().open) return;
  event.preventDefault();
  const all = choices();
  const at = all.indexOf(document.activeElement);
  all[(at + step + all.length + (at < 0 && step < 0 ? 1 : 0)) % all.length].focus();
});

document.addEventListener("click", (event) => {
  if (menu()?.open && !element.contains(event.target)) close(false);
});
