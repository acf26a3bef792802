"""A table of figures, and how it is written as Markdown, CSV, LaTeX and HTML."""

import csv
import html
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass

LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {"~": r"\textasciitilde{}", "\\": r"\textbackslash{}"}


@dataclass(frozen=True)
class Table:
    """Rows of texts under columns; `note` says what a reader must know to read it."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def markdown(table: Table) -> str:
    """As GitHub shows it."""
    lines = [table.columns, ("---",) * len(table.columns), *table.rows]
    shown = "\n".join("| " + " | ".join(c.replace("|", "\\|") for c in row) + " |" for row in lines)
    return f"## {table.title}\n\n{shown}\n" + (f"\n{table.note}\n" if table.note else "")


def comma_separated(table: Table) -> str:
    """As a spreadsheet reads it."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([table.columns, *table.rows])
    return text.getvalue()


def latex(table: Table) -> str:
    """A floating table with booktabs rules."""
    head, *body = (
        " & ".join(map(_latex_cell, row)) + r" \\" for row in (table.columns, *table.rows)
    )
    rows = "\n    ".join(body)
    note = f"\n  \\par\\footnotesize {_latex_cell(table.note)}" if table.note else ""
    return (
        "\\begin{table}[t]\n  \\centering\\small\n"
        f"  \\caption{{{_latex_cell(table.title)}}}\n"
        f"  \\begin{{tabular}}{{l{'c' * (len(table.columns) - 1)}}}\n    \\toprule\n"
        f"    {head}\n    \\midrule\n    {rows}\n    \\bottomrule\n  \\end{{tabular}}{note}\n"
        "\\end{table}\n"
    )


def page(tables: list[Table], pictures: Mapping[str, str]) -> str:
    """All tables and pictures (title by file name) on one page that loads nothing from outside."""
    parts = [_html_table(table) for table in tables]
    parts += [
        f'<h2>{html.escape(title)}</h2>\n<img src="{html.escape(name)}" alt="{html.escape(title)}">'
        for name, title in pictures.items()
    ]
    style = (
        "body{font-family:sans-serif;margin:2em;max-width:70em}table{border-collapse:collapse}"
        "td,th{padding:.2em .7em;border-bottom:1px solid #ccc;text-align:left}img{max-width:100%}"
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Results</title>'
        f"<style>{style}</style></head><body>\n<h1>Results</h1>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


WRITERS: dict[str, Callable[[Table], str]] = {
    "md": markdown,
    "csv": comma_separated,
    "tex": latex,
}


def _latex_cell(text: str) -> str:
    return "".join(LATEX.get(character, character) for character in text)


def _html_table(table: Table) -> str:
    def row(cells: tuple[str, ...], kind: str) -> str:
        return "<tr>" + "".join(f"<{kind}>{html.escape(c)}</{kind}>" for c in cells) + "</tr>"

    body = "\n".join(row(cells, "td") for cells in table.rows)
    note = f"<p>{html.escape(table.note)}</p>" if table.note else ""
    return (
        f"<h2>{html.escape(table.title)}</h2>\n<table>\n{row(table.columns, 'th')}\n{body}\n"
        f"</table>\n{note}"
    )
