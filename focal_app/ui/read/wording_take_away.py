"""Every sentence of the menu of what can be taken away."""

TAKE_AWAY = "Take away"
CHOICES = {
    "pdf": ("PDF", "true to scale: ECG, measurements, findings, the chosen heatmap"),
    "png": ("Picture (PNG)", "the ECG as it is shown, 300 dots an inch, for slides"),
    "svg": ("Drawing (SVG)", "the same in lines, in true millimetres"),
    "text": ("Copy as text", "what was measured and found, to paste elsewhere"),
    "csv": ("Table (CSV)", "findings, measurements and warnings"),
    "json": ("JSON", "the same with heatmaps, for programs"),
    "wfdb": ("Recording, WFDB", "without identity, for research programs"),
    "dicom": ("Recording, DICOM", "12-lead ECG, without identity, for archives"),
}
PRIVATE = (
    "Made from what the page shows, handed to your browser and kept nowhere. No name, id or date "
    "is in any of them."
)
COPIED = "Copied."
SAVED = "Saved by your browser: {name}"
NOT_READ = "found no reading of this recording; wait until the findings are there, or take the ECG."
NO_SUCH_KIND = "found another kind of file than the menu has; choose one of the menu."
