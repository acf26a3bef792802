"""Every part of Gradio's inside that the app leans on, named; it fails where one has changed.

Gradio promises none of them. When a release changes one, read what has changed, mend
`focal_app.ui.server.gradio_internals` where needed, and write the new digest here.
"""

import asyncio
import hashlib
import inspect
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import gradio as gr
import pytest
from gradio import processing_utils, route_utils
from gradio.blocks import Blocks
from gradio.components.file import File
from gradio.components.upload_button import UploadButton
from gradio.data_classes import FileData
from gradio.queueing import Queue
from gradio.routes import App
from gradio.state_holder import StateHolder

from focal_app.ui.server.gradio_internals import FETCHERS, around_calls

LEANT_ON = {
    route_utils.GradioUploadFile: "5c81039caee4",
    route_utils.GradioMultiPartParser: "26110d85a616",
    route_utils.upload_fn: "986d84f98151",
    route_utils.CustomCORSMiddleware: "2acff670026e",
    File._process_single_file: "e7c4d6c57641",
    UploadButton._process_single_file: "6aca27b13159",
    processing_utils.async_move_files_to_cache: "135eed5a9a73",
    FileData: "1bbec405ff5c",
    Blocks.process_api: "cb2ef4a0ec0b",
    route_utils.FileUploadProgress: "4d29380de4f1",
    Queue.push: "c7b4091f41b8",
    Queue.clean_events: "ee8f9ecc8240",
    Queue.send_message: "79d70f866b09",
    StateHolder: "7a180698da51",
    App.create_app: "24a2d31a4bda",
    processing_utils.async_ssrf_protected_download: "01dca5b9abc4",
}
"""What a change of would go unseen, and the digest of its source that was tried."""

FETCH = {
    "gradio.processing_utils.async_ssrf_protected_get": "b9487a858d83",
    "gradio.processing_utils.async_ssrf_protected_download": "01dca5b9abc4",
    "gradio.processing_utils.ssrf_protected_download": "17a69323facc",
    "gradio.processing_utils.save_url_to_cache": "17a69323facc",
    "gradio.processing_utils.unsafe_download": "6b302241f307",
    "gradio.route_utils.secure_url_stream_response": "d9da54caf82c",
    "safehttpx.get": "5977a6561ab3",
    "safehttpx.async_validate_url": "3c0fec1527f2",
    "safehttpx.async_resolve_hostname_google": "93843a374552",
}
"""The same of all by which Gradio fetches. As of Gradio 6.31.0 and safehttpx 0.1.7."""

ATTRIBUTES = {
    App: ("auth", "tokens", "cookie_id", "state_holder"),
    Blocks: ("temp_file_sets", "_queue"),
    Queue: (
        "event_ids_to_events",
        "pending_event_ids_session",
        "pending_messages_per_session",
        "sleep_when_free",
        "progress_update_sleep_when_free",
    ),
    StateHolder: ("session_data", "time_last_used"),
    route_utils.FileUploadProgress: ("_statuses", "_signals"),
    route_utils.GradioMultiPartParser: ("_current_part", "_files_to_close_on_error"),
    route_utils.GradioUploadFile: ("sha",),
}
"""What is read or written inside objects of Gradio."""


def digest(thing):
    return hashlib.sha256(inspect.getsource(inspect.unwrap(thing)).encode()).hexdigest()[:12]


def test_every_internal_of_gradio_is_as_it_was_tried():
    changed = {thing.__qualname__ for thing, tried in LEANT_ON.items() if digest(thing) != tried}
    fetchers = {f"{module.__name__}.{name}": getattr(module, name) for module, name in FETCHERS}
    present = {name: digest(thing) for name, thing in fetchers.items()}
    changed |= {name for name in present.keys() | FETCH if present.get(name) != FETCH.get(name)}
    for kind, names in ATTRIBUTES.items():
        source = "".join(inspect.getsource(one) for one in kind.__mro__ if one is not object)
        changed |= {f"{kind.__name__}.{name}" for name in names if f"self.{name}" not in source}
    assert not changed, f"Gradio {gr.__version__} differs in: {', '.join(sorted(changed))}"


def test_what_fails_around_a_handler_is_logged_with_its_place_in_the_code(caplog):
    async def fails(*_, **__):
        raise KeyError("Jane Doe")

    page = SimpleNamespace(process_api=fails)
    around_calls(page, lambda values: None, lambda values, over: None)  # type: ignore[arg-type]
    with ThreadPoolExecutor(1) as apart, pytest.raises(gr.Error, match="page does not send"):
        apart.submit(lambda: asyncio.run(page.process_api(None, []))).result()
    (record,) = caplog.records
    assert record.facts["error"].startswith("KeyError at test_gradio_internals.py:")
    assert "Jane" not in str(vars(record))
