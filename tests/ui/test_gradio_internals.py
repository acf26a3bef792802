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

from focal_app.ui.server.gradio_internals import ATTRIBUTES, FETCHERS, LEANT_ON, around_calls

TRIED = {
    "the file of an upload": "5c81039caee4",
    "how an upload is taken apart": "26110d85a616",
    "how an upload is stored": "986d84f98151",
    "who may ask from elsewhere": "2acff670026e",
    "a file on its way to a handler": "e7c4d6c57641",
    "a file of a button on its way": "6aca27b13159",
    "files on their way to a handler": "135eed5a9a73",
    "what counts as a file": "1bbec405ff5c",
    "a call from its values to its answer": "cb2ef4a0ec0b",
    "how far uploads have come": "4d29380de4f1",
    "the queue taking a call in": "c7b4091f41b8",
    "the queue letting calls go": "ee8f9ecc8240",
    "an answer on its way to its visitor": "79d70f866b09",
    "visits": "7a180698da51",
    "signing in, and every route": "24a2d31a4bda",
    "where Gradio fetches": "01dca5b9abc4",
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
"""Digests of the sources, as of Gradio 6.31.0 and safehttpx 0.1.7."""


def digest(thing):
    return hashlib.sha256(inspect.getsource(inspect.unwrap(thing)).encode()).hexdigest()[:12]


def test_every_internal_of_gradio_is_as_it_was_tried():
    fetchers = {f"{module.__name__}.{name}": getattr(module, name) for module, name in FETCHERS}
    present = {name: digest(thing) for name, thing in {**LEANT_ON, **fetchers}.items()}
    changed = {name for name in present.keys() | TRIED if present.get(name) != TRIED.get(name)}
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
