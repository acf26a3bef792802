// Gradio's first sign of loading counts its seconds in every frame for as long as the page is open,
// though it is gone once the page is there: what began before ends then. Signs that come later ask by
// what was in `window` when the page began, and get three frames a second.
{
  const frame = window.requestAnimationFrame.bind(window);
  let there = false, ofTheFirst = false;
  const first = (act) => frame((now) => {
    ofTheFirst = true;
    try {
      act(now);
    } finally {
      ofTheFirst = false;
    }
  });
  const later = (act) => (ofTheFirst ? 0 : setTimeout(frame, 300, act));
  window.requestAnimationFrame = (act) => (there ? later(act) : first(act));
  window.pageIsThere = () => {
    there = true;
    window.requestAnimationFrame = frame;
  };
}
