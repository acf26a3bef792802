"""Bad inputs out of good ones: mutations that know what a header, a text or a JSON document is.

The ending of a file's name says what it is. The same `Random` gives the same mutations.
"""

import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from tests.fuzz.kept import Files
from tests.fuzz.odd import CHARACTERS, FIELDS, NUMBERS, PATHS, VALUES, WORDS

LONGEST = 60_000
"""Bytes of a file that a mutation may make; beyond all limits of the parsers of text."""


def mutated(files: Files, others: Sequence[Files], random: Random) -> Files:
    """One to four mutations of an input; `others` are inputs from which parts may be taken."""
    changed = dict(files)
    for _ in range(random.choice((1, 1, 2, 4))):
        if len(changed) > 1 and random.random() < 0.08:
            changed = _rearranged(changed, random)
        name = random.choice(list(changed))
        donor = random.choice(others).get(name, changed[name])
        if random.random() < 0.05:
            changed[name] = donor
            continue
        changed[name] = _content(name, changed[name], donor, random)
    return changed


def _rearranged(files: Files, random: Random) -> Files:
    """One file away, another's content, or under another name."""
    names = list(files)
    name, other = random.choice(names), random.choice(names)
    way = random.randrange(3)
    if way == 0:
        return {kept: content for kept, content in files.items() if kept != name}
    if way == 1:
        return {**files, name: files[other]}
    ending = name.rpartition(".")[2]
    return {(f"other.{ending}" if n == name else n): content for n, content in files.items()}


def _content(name: str, content: bytes, donor: bytes, random: Random) -> bytes:
    ending = name.rpartition(".")[2]
    if random.random() < 0.1 or ending not in _BY_ENDING:
        return _of_bytes(content, donor, random)[: max(len(content), LONGEST)]
    text = content.decode("utf-8", errors="surrogateescape")
    made = _BY_ENDING[ending](text, random)
    return made.encode("utf-8", errors="surrogatepass" if random.random() < 0.5 else "replace")[
        : max(len(content), LONGEST)
    ]


def _of_bytes(content: bytes, donor: bytes, random: Random) -> bytes:
    held = bytearray(content or b"\0")
    at, length = random.randrange(len(held)), random.choice((1, 2, 4, 8, 40, 400))
    if len(held) > 100 and random.random() < 0.3:
        at = random.randrange(64)  # where headers of binary formats stand
    way = random.randrange(7)
    if way == 0:
        held[at] ^= 1 << random.randrange(8)
    elif way == 1:
        held[at : at + length] = random.randbytes(length)
    elif way == 2:
        number = random.choice(
            (0, 1, 12, 255, 65_535, 2**31 - 1, 2**32 - 1, random.getrandbits(32))
        )
        held[at : at + 4] = number.to_bytes(4, random.choice(("little", "big")))
    elif way == 3:
        del held[at:]
    elif way == 4:
        del held[at : at + length]
    elif way == 5:
        held[at:at] = donor[at : at + length] or random.randbytes(length)
    else:
        held[at:at] = held[at : at + length] * random.choice((1, 2, 50))
    return bytes(held)


def _of_header(text: str, random: Random) -> str:
    """Lines and fields of a WFDB header: exchanged, repeated, left out, put in other words."""
    lines = text.splitlines() or [""]
    row = random.randrange(len(lines))
    way = random.randrange(8)
    if way == 0:
        lines.insert(row, lines[random.randrange(len(lines))])
    elif way == 1:
        del lines[row]
    elif way == 2:
        other = random.randrange(len(lines))
        lines[row], lines[other] = lines[other], lines[row]
    elif way == 3:
        lines.append(
            random.choice(("# <age>: ", "# Sex: ", "#Dx: ", "# ")) + random.choice(NUMBERS)
        )
    else:
        lines[row] = _of_fields(lines[row], random)
    return "\n".join(lines) + "\n"


def _of_fields(line: str, random: Random) -> str:
    fields = line.split(" ")
    at = random.randrange(len(fields))
    way = random.randrange(6)
    if way == 0:
        del fields[at]
    elif way == 1:
        fields.insert(at, random.choice(NUMBERS))
    elif way == 2:
        fields[at] += random.choice(CHARACTERS)
    else:
        fields[at] = random.choice(random.choice((NUMBERS, FIELDS, PATHS)))
    return " ".join(fields)


def _of_text(text: str, random: Random) -> str:
    """Words of reports put in, parts repeated many times, cut out or turned into capitals."""
    start = random.randrange(len(text) + 1)
    end = min(len(text), start + random.choice((1, 3, 10, 60)))
    way = random.randrange(7)
    if way == 0:
        return text[:start] + text[end:]
    if way == 1:
        return text[:start] + random.choice(CHARACTERS) + text[start:]
    if way == 2:
        times = random.choice((2, 10, 100, 10_000))
        part = (text[start:end] or "no,") * min(times, 9_990 // max(1, end - start))
        return text[:start] + part + text[end:]
    if way == 3:
        return text.swapcase() if random.random() < 0.5 else text.upper()
    words = [random.choice(WORDS) for _ in range(random.choice((1, 2, 5)))]
    if way == 4 and random.random() < 0.2:
        words *= random.choice((10, 200))
    between = random.choice((" ", ", ", " ", ",", ". ", ""))
    return f"{text[:start]} {between.join(words)} {text[end:]}"


def _of_json(text: str, random: Random) -> str:
    """A value, a key or the nesting of a document changed; sometimes its very letters."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return _of_text(text, random)
    way = random.randrange(10)
    if way == 0:
        return _of_text(text, random)
    if way == 1:
        deep = random.choice((50, 1000, 30_000))
        opened, closed = random.choice((("[", "]"), ('{"a":', "}")))
        inner = opened * deep + "1" + closed * deep
        return inner if random.random() < 0.3 else text.replace(":", f': {inner}, "x":', 1)
    holders = list(_holders(document))
    if not holders or way == 2:
        return json.dumps(random.choice(VALUES))
    _change(random.choice(holders), random)
    return json.dumps(document, ensure_ascii=random.random() < 0.5)


def _holders(document: Any) -> Any:  # noqa: ANN401
    if isinstance(document, dict | list) and document:
        yield document
        for value in document.values() if isinstance(document, dict) else document:
            yield from _holders(value)


def _change(holder: Any, random: Random) -> None:  # noqa: ANN401
    key = random.choice(list(holder)) if isinstance(holder, dict) else random.randrange(len(holder))
    way = random.randrange(8)
    if way == 0:
        del holder[key]
    elif way == 1 and isinstance(holder, dict):
        holder[random.choice((f"{key}x", "", "__class__", *map(str, holder)))] = holder.pop(key)
    elif way == 2 and isinstance(holder[key], str):
        holder[key] = _of_text(holder[key], random)
    elif way == 3 and isinstance(holder[key], str):
        holder[key] = random.choice((*PATHS, *NUMBERS))
    elif way == 4 and isinstance(holder, list):
        holder.extend(holder[:200])
    else:
        holder[key] = random.choice(VALUES)


def _of_table(text: str, random: Random) -> str:
    """A field of a table of comma-separated values, or its text."""
    lines = text.splitlines() or [""]
    row = random.randrange(len(lines))
    fields = lines[row].split(",")
    if random.random() < 0.3:
        return _of_text(text, random)
    fields[random.randrange(len(fields))] = random.choice((*PATHS, *NUMBERS, *CHARACTERS))
    lines[row] = ",".join(fields)
    return "\n".join(lines) + "\n"


def _of_settings(text: str, random: Random) -> str:
    """A line of `name: value`, as in YAML."""
    lines = text.splitlines() or [""]
    row = random.randrange(len(lines))
    name, colon, _ = lines[row].partition(":")
    way = random.randrange(5)
    if way == 0:
        return _of_text(text, random)
    if way == 1:
        del lines[row]
    elif way == 2:
        lines.insert(row, lines[random.randrange(len(lines))])
    else:
        lines[row] = f"{name}{colon} {random.choice((*NUMBERS, *PATHS, '[]', '{}', 'null', 'yes'))}"
    return "\n".join(lines) + "\n"


def _of_xml(text: str, random: Random) -> str:
    """A number, a name, a text or an element exchanged, repeated, nested or left out."""
    found = list(_XML_PART.finditer(text))
    way = random.randrange(8)
    if not found or way == 0:
        return _of_text(text, random)
    part = random.choice(found)
    before, held, after = text[: part.start()], part[0], text[part.end() :]
    if way == 1:
        return before + after
    if way == 2:
        return before + held * random.choice((2, 50)) + after
    if way == 3:
        deep = random.choice((5, 100, 5000))
        return before + "<a>" * deep + held + "</a>" * deep + after
    if way == 4:
        return before + random.choice(found)[0] + after
    if way == 5:
        return text[: part.start()] + random.choice(("&a;", "<!-- ", "<![CDATA[", "&#0;", "</"))
    odd = random.choice((*NUMBERS, *PATHS, *WORDS, *CHARACTERS))
    return before + (re.sub(r"[^<>=\"]+", lambda _: odd, held, count=1)) + after


_XML_PART = re.compile(r'(?<![\w:.])[\w:.]+="[^"]{0,80}"|>[^<>]{1,80}<|<[^<>]{1,200}>')

_BY_ENDING: dict[str, Callable[[str, Random], str]] = {
    "hea": _of_header,
    "txt": _of_text,
    "json": _of_json,
    "jsonl": _of_json,
    "csv": _of_table,
    "xml": _of_xml,
    "yaml": _of_settings,
}
