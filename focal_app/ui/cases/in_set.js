// The way to the set. Runs once, with `element` and `trigger` from Gradio.
element.addEventListener("click", (event) => {
  if (event.target.closest("button")) trigger("select", {});
});
