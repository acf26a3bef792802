// The note on the case that is shown, told with its place when the field is left.
// Runs once, with `element` and `trigger` from Gradio.
element.addEventListener("change", (event) => {
  const field = event.target.closest("textarea");
  if (field) trigger("edit", { number: Number(field.dataset.number), text: field.value });
});

// Gradio keeps the field when another case comes, and with it what was typed for the one before.
const write = () => {
  const field = element.querySelector("textarea");
  if (field) field.value = field.defaultValue;
};
const changes = { childList: true, subtree: true, characterData: true, attributes: true };
new MutationObserver(write).observe(element, changes);
