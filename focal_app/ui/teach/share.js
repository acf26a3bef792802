// The set's link is copied here, so that the server never sees who shares what.
// Runs once, with `element` from Gradio.
element.addEventListener("click", async (event) => {
  const button = event.target.closest("button.copy");
  if (!button) return;
  const address = new URL(window.location.href);
  address.search = "";
  address.searchParams.set("set", button.dataset.link);
  try {
    await navigator.clipboard.writeText(address.href);
  } catch {
    window.prompt("", address.href);
  }
  button.textContent = button.dataset.done;
});
