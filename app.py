"""FOCAL Explorer: `python app.py`, then open http://127.0.0.1:7860."""

import os
import sys

# Read when the libraries are imported: nothing is looked up outside unless the user asks for it.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")

from focal_app.ui.server.serve import main

if __name__ == "__main__":
    main(sys.argv[1:])
