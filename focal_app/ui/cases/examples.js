// Example queries: a press asks one. Runs once, with `element` and `trigger` from Gradio.
element.addEventListener("click", (event) => {
  const button = event.target.closest("button.example");
  if (button) trigger("select", { query: button.dataset.query });
});
