"""What mutations put in: numbers, names, fields and words that have been trouble somewhere."""

from focal_app.lexicon import load_lexicon
from focal_app.words.hedges import HEDGES

CANARY = "Zyxqvardson"
"""Stands for a patient's name in headers: no message may repeat it."""

NUMBERS = (
    *("0", "-0", "-1", "1", "2", "11", "12", "13", "50", "255", "256", "257", "500", "10000"),
    *("65535", "65536", "2147483647", "2147483648", "4294967296", "9223372036854775807"),
    *("99999999999999999999", "9" * 400, "1e9", "1e308", "1e-308", "1e400", "nan", "inf", "-inf"),
    *("0x10", "1_0", "1_000", "５００", "٣", "1.5", ".5", "5.", "+5", "--5", "", "²", "1/0", "½"),
)
FIELDS = (
    *("8", "16", "61", "80", "160", "212", "310", "311", "24", "32", "508", "516", "524", "999"),
    *("16x2", "16x40", "16x0", "16+24", "16:3", "16x2:1+24", "212x1000000", "16+999999999"),
    *("200/mV", "200(0)/uV", "1(-5)/V", "200(99999999999)/mV", f"200/{CANARY}", "200/29.02.1934"),
    *("0/mV", "1e-7/mV", "1e13/mV", "-200/mV", "200(0)", "200/", "(5)/mV", "nan/mV", "1e-320/mV"),
    *("I", "aVR", "V1", "MLII", CANARY, "rec/3", f"rec 12 500 5000 {CANARY}"),
)
PATHS = (
    *("../rec.dat", "/etc/passwd", "/dev/zero", "/proc/self/environ", "C:\\rec.dat", "~", "-", "."),
    *("..", "rec.dat", "rec.mat", "a" * 300 + ".dat", f"{CANARY}.{CANARY}", "rec.dat/", "\x00"),
    *("http://127.0.0.1:9/rec.dat", "file:///etc/passwd", "\\\\host\\share\\rec.dat", "con"),
)
CHARACTERS = (
    *("\x00", "\x0b", "\x1c", "\x85", "\u2028", "\ufeff", "\u202e", "\ud800", "İ", "ß", "ǰ", "’"),
    *(",", ";", "?", "!", ".", ":", "'", '"', "\\", "```", "[", "{", "}", "]", "<think>", "\t"),
    *(
        "0",
        "９",
        "𝟗",
        "e\u0301" * 40,
        "\r",
        "\n",
        "\r\n",
        "😀",
        "<",
        ">",
        "&",
        "%s",
        "{0}",
        "(a" * 30,
    ),
)
VALUES = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, 10**30, 1e308, -0.0, 1.5, float("nan")),
    *(
        float("inf"),
        "",
        "x",
        "1",
        "\ud800",
        "../x",
        CANARY,
        "a" * 5000,
        [],
        {},
        [[]],
        [None],
        ["x"],
    ),
    *({"a": 1}, [1] * 1000, ["x"] * 500, {"feature": ["x"]}, 100_000, 1_000_000_000, 0.1),
)


def _words() -> tuple[str, ...]:
    names = [name for statement in load_lexicon() for name in statement.names]
    joins = "no,not,without,never,nor,denies,absent,negative for,absence of,ruled out,but,however"
    more = "and,or,with,plus,in V1-V3,in leads II and aVF,V1-6,aVR,inferior,anteroseptal,leads,?"
    return (*names, *HEDGES, *joins.split(","), *more.split(","), ",", "or", "no,", "possible a,")


WORDS = _words()
