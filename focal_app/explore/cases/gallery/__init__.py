"""Cases with labels and embeddings, on disk: what a gallery is, how one is opened and made.

gallery = Gallery.configured(explorer.model)     # FOCAL_GALLERY, or the embedded one
gallery.ecg(0)
"""

from focal_app.explore.cases.gallery.case import Case, Facts
from focal_app.explore.cases.gallery.gallery import Gallery
from focal_app.explore.cases.gallery.table import Filters

__all__ = ["Case", "Facts", "Filters", "Gallery"]
