// The note on the case that is shown, told with its place when the field is left.
// Runs once, with `element`, `trigger` and `watch` from Gradio.
element.addEventListener("change", (event) => {
  const field = event.target.closest("textarea");
  if (field) trigger("edit", { number: Number(field.dataset.number), text: field.value });
});

// Gradio keeps the field when another case comes, and with it what was typed for the one before.
const write = () => {
  const field = element.querySelector("textarea");
  if (field) field.value = field.defaultValue;
};
watch("value", () => [0, 100].forEach((after) => setTimeout(write, after)));
