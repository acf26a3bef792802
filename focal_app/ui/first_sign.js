// Gradio's first sign of loading counts its seconds in every frame for as long as the page is open,
// though it is gone once the page is there. What asked for frames by then gets three a second.
{
  const frame = window.requestAnimationFrame.bind(window);
  let there = false;
  window.requestAnimationFrame = (act) => (there ? setTimeout(frame, 300, act) : frame(act));
  window.pageIsThere = () => {
    there = true;
    window.requestAnimationFrame = frame;
  };
}
