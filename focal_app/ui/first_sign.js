// Gradio's first sign of loading counts its seconds in every frame for as long as the page is open,
// though it is gone once the page is there: its count ends then. The counts of other signs, which
// ask by what was in `window` when the page began, get three frames a second.
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
