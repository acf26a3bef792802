"""A tree to the Hub, by its own client; nothing else of the training package goes online."""

from pathlib import Path

from huggingface_hub import HfApi
from huggingface_hub.constants import is_offline_mode
from huggingface_hub.errors import (
    HfHubHTTPError,
    HFValidationError,
    HTTPError,  # of whichever HTTP client it uses
)

from focal_app.errors import FocalError
from focal_app.model.hub import make_repository


class PushError(FocalError):
    """The Hub was not reached, or refused."""


def upload(tree: Path, repository: str, kind: str, *, private: bool, message: str) -> str:
    """Make the repository if it is not there, and put the tree into it as one commit; its address.

    The token is that of `hf auth login` or of HF_TOKEN, the server that of HF_ENDPOINT.
    """
    if repository.count("/") != 1:
        raise PushError(f"found repository {repository!r}; needed its owner and name: owner/name")
    if is_offline_mode():
        raise PushError("HF_HUB_OFFLINE is set; unset it to push, or give --dry-run DIR")
    api = HfApi()
    try:
        sdk = "gradio" if kind == "space" else None
        make_repository(api, repository, kind, private=private, error=PushError, space_sdk=sdk)
        done = api.upload_folder(
            repo_id=repository, folder_path=tree, repo_type=kind, commit_message=message
        )
    except HfHubHTTPError as error:
        raise PushError(_refused(repository, error)) from error
    except HFValidationError as error:
        raise PushError(f"{repository!r} is no name of a repository: {error}") from error
    except (HTTPError, OSError, RuntimeError, ValueError) as error:
        raise PushError(
            f"could not push to {repository!r} ({type(error).__name__}: {error}); check the "
            "connection and run the same command again: what lies there already is kept"
        ) from error
    return str(done.commit_url)


def _refused(repository: str, error: HfHubHTTPError) -> str:
    status = error.response.status_code if error.response is not None else "no answer"
    if status in (401, 403):
        return (
            f"the Hub refused to write to {repository!r} ({status}); log in with `hf auth login`, "
            "or set HF_TOKEN to a token that may write there"
        )
    said = error.server_message or "no reason given"
    return f"the Hub refused to write to {repository!r} ({status}: {said})"
