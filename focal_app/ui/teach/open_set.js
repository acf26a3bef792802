// A saved set is read in the browser and told to the server as text; no file is stored.
// Runs once, with `element` and `trigger` from Gradio.
element.addEventListener("change", async (event) => {
  const field = event.target;
  const [file] = field.files ?? [];
  if (!file) return;
  const text = await file.slice(0, Number(field.dataset.most) + 1).text();
  field.value = "";
  trigger("upload", { text });
});
