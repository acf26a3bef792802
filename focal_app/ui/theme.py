"""How the page looks: system fonts only, so that nothing is asked of another server."""

from pathlib import Path

from gradio.themes import Base, colors, sizes

_HERE = Path(__file__).parent
SYSTEM_FONTS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Helvetica Neue", "sans-serif")
MONO_FONTS = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace")


def theme() -> Base:
    """A quiet theme in slate and the blue of the tint."""
    return Base(
        primary_hue=colors.blue,
        neutral_hue=colors.slate,
        radius_size=sizes.radius_sm,
        spacing_size=sizes.spacing_sm,
        text_size=sizes.text_md,
        font=list(SYSTEM_FONTS),
        font_mono=list(MONO_FONTS),
    ).set(
        body_text_color_subdued="*neutral_600",
        body_text_color_subdued_dark="*neutral_300",
        block_info_text_color="*neutral_600",
        block_info_text_color_dark="*neutral_300",
        block_label_text_color="*neutral_700",
        block_title_text_color="*neutral_700",
        block_title_text_color_dark="*neutral_200",
        button_secondary_text_color="*neutral_800",
        # White on it has a contrast of 6.7; on Gradio's own blue 3.7, where 4.5 is needed.
        button_primary_background_fill="*primary_700",
        button_primary_background_fill_hover="*primary_800",
    )


def style() -> str:
    """The page's own style sheet."""
    return (_HERE / "style.css").read_text(encoding="utf-8")


def script(name: str) -> str:
    """The script of a part of the page, such as `read/findings`."""
    return (_HERE / f"{name}.js").read_text(encoding="utf-8")
