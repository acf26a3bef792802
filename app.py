"""FOCAL Explorer: `python app.py`, then open http://127.0.0.1:7860."""

from focal_app.ui.serve import main

if __name__ == "__main__":
    main()
