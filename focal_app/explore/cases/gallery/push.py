"""A gallery on the Hub: a data set that `Gallery.open("org/name@revision", ...)` reads.

push(Path("galleries/ptb-xl"), "org/ptb-xl-gallery", private=True)
"""

from pathlib import Path

from huggingface_hub import HfApi
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled

from focal_app.errors import GalleryError
from focal_app.explore.cases.gallery.manifest import CARD, MANIFEST, Manifest
from focal_app.model import hub


def contents(folder: Path) -> list[tuple[str, int]]:
    """Names and bytes of what belongs to a gallery, and of nothing else that lies beside it."""
    manifest = Manifest.read(folder)
    names = [MANIFEST, CARD, *manifest.files]
    try:
        sizes = {name: (folder / name).stat().st_size for name in names}
    except OSError as error:
        raise GalleryError("a file of the gallery is missing; build it again") from error
    changed = [name for name in manifest.files if sizes[name] != manifest.sizes[name]]
    if changed:
        raise GalleryError(f"{', '.join(changed)} changed since it was built; build it again")
    return list(sizes.items())


def push(folder: Path, repository: str, *, private: bool) -> str:
    """Send a gallery as one commit; its address. The token is that of `hf auth login`."""
    names = [name for name, _ in contents(folder)]
    try:
        api = HfApi()
        hub.make_repository(api, repository, "dataset", private=private, error=GalleryError)
        done = api.upload_folder(
            repo_id=repository,
            folder_path=folder,
            repo_type="dataset",
            allow_patterns=names,
            commit_message="Put the gallery here",
        )
    except OfflineModeIsEnabled as error:
        raise GalleryError("HF_HUB_OFFLINE is set; unset it to push, or give --dry-run") from error
    except (HfHubHTTPError, HFValidationError, OSError, ValueError) as error:
        raise GalleryError(
            f"could not push to {repository!r} ({type(error).__name__}); check the name "
            "(org/name), your token (`hf auth login`) and the connection, and run it again"
        ) from error
    return str(done.commit_url)
