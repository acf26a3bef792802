"""Cases with labels and embeddings, on disk: what a gallery is, how one is opened and made.

gallery = Gallery.configured(explorer.model)     # FOCAL_GALLERY, or the embedded one
gallery[0].ecg()
"""

from focal_app.explore.cases.gallery.case import Case, Filters
from focal_app.explore.cases.gallery.gallery import Gallery

__all__ = ["Case", "Filters", "Gallery"]
