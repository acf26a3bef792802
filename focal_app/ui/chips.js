// The tags of a report: each a field that is told when it is left or entered, and a remove button.
// Runs once, with `element` and `trigger` from Gradio.
let told;

const tell = (form) => {
  const field = form.elements.text;
  const text = field.value.trim();
  const before = field.defaultValue.trim();
  const now = `${form.dataset.tag}|${text}`;
  if (!text || text === before || now === told) return;
  told = now;
  trigger("edit", { tag: form.dataset.tag, text });
};

element.addEventListener("submit", (event) => {
  event.preventDefault();
  tell(event.target);
});

element.addEventListener("focusout", (event) => {
  const form = event.target.closest("form.chip:not(.more)");
  if (form) tell(form);
});

element.addEventListener("focusin", () => {
  told = undefined;
});

element.addEventListener("click", (event) => {
  const remove = event.target.closest("button.remove");
  if (remove) trigger("delete", { tag: remove.closest("form").dataset.tag });
});

element.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !event.target.matches("input")) return;
  event.target.value = event.target.defaultValue;
});
