"""The lexicon: complete in its codes, unambiguous in its names, consistent in its relations."""

import ast
import csv
import re
from pathlib import Path

import pytest

from focal_app.lexicon import (
    FEATURE_GROUPS,
    GROUPS,
    Lexicon,
    Statement,
    load_lexicon,
    load_prompt_sets,
    normalize_code,
)

HEADS = {
    "NORM": "normal ECG",
    "MI": "myocardial infarction",
    "STTC": "ST-T change",
    "CD": "conduction disturbance",
    "HYP": "hypertrophy",
}
# PTB-XL 1.0.3: the diagnostic statements by superclass, then those about form and rhythm alone.
SCP_DIAGNOSTIC = {
    "NORM": "NORM",
    "MI": "IMI ASMI AMI ALMI ILMI LMI PMI IPMI IPLMI INJAS INJAL INJIN INJLA INJIL",
    "STTC": "NDT NST_ DIG LNGQT ISC_ ISCAL ISCIN ISCIL ISCAS ISCLA ISCAN ANEUR EL",
    "CD": "LAFB LPFB IRBBB CRBBB ILBBB CLBBB IVCD 1AVB 2AVB 3AVB WPW",
    "HYP": "LVH RVH SEHYP LAO/LAE RAO/RAE",
}
SCP_FORM_AND_RHYTHM = (
    "ABQRS PVC STD_ VCLVH QWAVE LOWT NT_ PAC LPR INVT LVOLT HVOLT TAB_ STE_ PRC(S) "
    "SR AFIB STACH SARRH SBRAD PACE SVARR BIGU AFLT SVTAC PSVT TRIGU"
)
# SNOMED CT codes that the challenge 2020 gives to the nine classes of CPSC2018.
CPSC2018 = {
    "NORM": "426783006",
    "AFIB": "164889003",
    "1AVB": "270492004",
    "CLBBB": "164909002",
    "CRBBB": "59118001",
    "PAC": "284470004",
    "VPC": "164884008",
    "STD": "429622005",
    "STE": "164931005",
}
MIRROR_IMAGES = [
    ("left bundle branch block", "right bundle branch block"),
    ("complete left bundle branch block", "incomplete right bundle branch block"),
    ("left anterior fascicular block", "left posterior fascicular block"),
    ("left ventricular hypertrophy", "right ventricular hypertrophy"),
    ("left atrial enlargement", "right atrial enlargement"),
    ("left axis deviation", "right axis deviation"),
    ("ST elevation", "ST depression"),
    (
        "ST elevation in inferior leads (II, III, aVF)",
        "ST depression in inferior leads",
    ),
    ("normal ECG", "abnormal ECG"),
    ("sinus bradycardia", "sinus tachycardia"),
    ("low QRS voltage", "high QRS voltage"),
]
BENCHMARKS = {
    "ptbxl-super": ("ptbxl/super_class/ptbxl_super_class_test.csv", 6),
    "ptbxl-sub": ("ptbxl/sub_class/ptbxl_sub_class_test.csv", 6),
    "ptbxl-form": ("ptbxl/form/ptbxl_form_test.csv", 6),
    "ptbxl-rhythm": ("ptbxl/rhythm/ptbxl_rhythm_test.csv", 6),
    "cpsc2018": ("icbeb/icbeb_test.csv", 7),
    "csn": ("chapman/chapman_test.csv", 3),
}
"""The published split of each benchmark and the column at which its classes begin."""


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return load_lexicon()


def of_class(lexicon: Lexicon, benchmark: str, name: str) -> Statement | None:
    """The statement of a benchmark's class; CPSC2018 and CSN name theirs in their own way."""
    if benchmark not in ("cpsc2018", "csn"):
        return lexicon.of_scp(name)
    code = normalize_code(name)
    known = {normalize_code(c): one for one in lexicon for c in getattr(one, benchmark)}
    return known.get(code)


def test_the_lexicon_is_rich_enough_to_tune_and_to_measure_a_tag_encoder(lexicon: Lexicon) -> None:
    assert len(lexicon) >= 180
    assert sum(len(statement.held_out) for statement in lexicon) >= 180
    for statement in lexicon:
        assert statement.group in GROUPS
        assert 3 <= len(statement.synonyms) <= 8, statement.tag
        assert 1 <= len(statement.held_out) <= 2, statement.tag


def test_every_description_is_one_sentence(lexicon: Lexicon) -> None:
    for statement in lexicon:
        assert re.fullmatch(r"[A-Z][^.]*(\d\.\d[^.]*)*\.", statement.description), statement.tag


@pytest.mark.parametrize("superclass", SCP_DIAGNOSTIC)
def test_every_diagnostic_scp_code_lies_below_the_head_of_its_superclass(
    lexicon: Lexicon, superclass: str
) -> None:
    for code in SCP_DIAGNOSTIC[superclass].split():
        statement = lexicon.of_scp(code)
        assert statement is not None, code
        assert HEADS[superclass] in {statement.tag, *lexicon.ancestors(statement.tag)}, code


def test_the_71_scp_codes_of_ptbxl_name_71_statements(lexicon: Lexicon) -> None:
    codes = " ".join([*SCP_DIAGNOSTIC.values(), SCP_FORM_AND_RHYTHM]).split()
    found = [lexicon.of_scp(code) for code in codes]
    assert None not in found
    assert len({statement.tag for statement in found if statement}) == len(codes) == 71


def test_a_cpsc2018_class_is_its_snomed_statement_or_a_relative(lexicon: Lexicon) -> None:
    for name, code in CPSC2018.items():
        by_name, by_code = of_class(lexicon, "cpsc2018", name), lexicon.of_snomed(code)
        assert by_name and by_code, name
        if name != "NORM":  # the challenge coded the normal recordings as sinus rhythm
            assert by_code.tag in {by_name.tag, *lexicon.ancestors(by_name.tag)}


def test_codes_are_found_whatever_their_case_and_outer_underscores(lexicon: Lexicon) -> None:
    assert lexicon.of_scp("nst") is lexicon.of_scp("NST_") is lexicon["nonspecific ST change"]
    assert lexicon.of_scp("_AVB") is lexicon.of_scp("AVB") is lexicon["AV block"]


def test_the_same_letters_may_mean_another_class_in_another_data_set(lexicon: Lexicon) -> None:
    assert of_class(lexicon, "csn", "AF") is lexicon["atrial flutter"]
    assert of_class(lexicon, "cpsc2018", "AF") is lexicon["atrial fibrillation"]
    assert of_class(lexicon, "csn", "VEB") is lexicon["ventricular escape beat"]
    assert lexicon.resolve("VEB") is lexicon["premature ventricular complex"]


def test_unknown_codes_and_names_give_none(lexicon: Lexicon) -> None:
    assert lexicon.of_scp("no such code") is lexicon.of_snomed("no such code") is None
    assert of_class(lexicon, "cpsc2018", "no such class") is None
    assert lexicon.resolve("weather report") is None
    assert lexicon.resolve("") is None
    assert "weather report" not in lexicon


def test_snomed_codes_are_written_as_digits(lexicon: Lexicon) -> None:
    assert all(code.isdigit() for statement in lexicon for code in statement.snomed)


def test_every_name_resolves_to_its_statement(lexicon: Lexicon) -> None:
    for statement in lexicon:
        for name in statement.names:
            spoiled = "  " + re.sub(r"[ \-']", " - ", name.upper()) + "."
            assert lexicon.resolve(name) is lexicon.resolve(spoiled) is statement, name


def test_held_out_wordings_hold_no_abbreviation(lexicon: Lexicon) -> None:
    abbreviations = {
        word for s in lexicon for word in s.abbreviations if re.fullmatch("[A-Z]{2,}", word)
    }
    for statement in lexicon:
        for wording in statement.held_out:
            assert not abbreviations.intersection(re.findall(r"\w+", wording)), wording


def test_exclusion_and_opposition_are_symmetric(lexicon: Lexicon) -> None:
    for tag, statement in lexicon.statements.items():
        assert all(tag in lexicon[other].excludes for other in statement.excludes)
        assert all(tag in lexicon[other].opposites for other in statement.opposites)
        assert all(tag in lexicon.exclusions(other) for other in lexicon.exclusions(tag))
        assert all(tag in lexicon.contrasts(other) for other in lexicon.contrasts(tag))


def test_what_excludes_a_statement_excludes_all_that_imply_it(lexicon: Lexicon) -> None:
    for tag in lexicon.statements:
        for below in lexicon.descendants(tag):
            assert lexicon.exclusions(tag) <= lexicon.exclusions(below)


def test_no_statement_excludes_itself_its_family_or_its_features(lexicon: Lexicon) -> None:
    for tag, statement in lexicon.statements.items():
        family = {tag, *lexicon.ancestors(tag), *lexicon.descendants(tag), *statement.features}
        assert not family & lexicon.exclusions(tag)


def test_descent_is_the_reverse_of_implication_and_has_no_circle(lexicon: Lexicon) -> None:
    for tag in lexicon.statements:
        assert tag not in lexicon.ancestors(tag)
        assert all(tag in lexicon.descendants(above) for above in lexicon.ancestors(tag))


def test_what_is_implied_joins_and_what_is_implied_alone_is_left_out(lexicon: Lexicon) -> None:
    for tag in lexicon.statements:
        above = lexicon.ancestors(tag)
        assert lexicon.with_implied([tag, "no statement"]) == {tag, "no statement", *above}
        assert lexicon.most_specific([*above, tag, "no statement"]) == (tag, "no statement")


def test_features_describe_a_form_of_the_signal(lexicon: Lexicon) -> None:
    for statement in lexicon:
        assert all(lexicon[feature].group in FEATURE_GROUPS for feature in statement.features)


@pytest.mark.parametrize("head", [head for head in HEADS.values() if head != "normal ECG"])
def test_a_normal_ecg_excludes_every_abnormal_head_and_all_below(
    lexicon: Lexicon, head: str
) -> None:
    assert {head, *lexicon.descendants(head)} <= lexicon.exclusions("normal ECG")


@pytest.mark.parametrize(
    "tag",
    [
        "sinus rhythm",
        "sinus arrhythmia",
        "sinus bradycardia",
        "sinus tachycardia",
        "early repolarization",
        "premature atrial complex",
        "premature ventricular complex",
    ],
)
def test_a_normal_ecg_may_hold_what_healthy_hearts_show(lexicon: Lexicon, tag: str) -> None:
    assert tag not in lexicon.exclusions("normal ECG")


@pytest.mark.parametrize(("one", "other"), MIRROR_IMAGES)
def test_mirror_images_are_told_apart(lexicon: Lexicon, one: str, other: str) -> None:
    assert other in lexicon.contrasts(one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("inferior myocardial infarction", "anterior myocardial infarction"),
        ("ST elevation in inferior leads (II, III, aVF)", "ST depression in V4-V6"),
        ("left ventricular hypertrophy", "right ventricular hypertrophy"),
        ("right bundle branch block", "left anterior fascicular block"),
        ("third degree AV block", "sinus rhythm"),
    ],
)
def test_what_can_occur_together_is_not_excluded(lexicon: Lexicon, one: str, other: str) -> None:
    assert other not in lexicon.exclusions(one)


@pytest.mark.parametrize("rhythm", ["atrial fibrillation", "atrial flutter"])
def test_sinus_rhythms_exclude_fibrillation_and_flutter(lexicon: Lexicon, rhythm: str) -> None:
    assert {"sinus rhythm", *lexicon.descendants("sinus rhythm")} <= lexicon.exclusions(rhythm)


def test_every_code_of_the_real_ptbxl_records_maps(lexicon: Lexicon, shared_ecg: Path) -> None:
    with (shared_ecg / "ptb-xl" / "ptbxl_database.csv").open(encoding="utf-8") as file:
        codes = {c for row in csv.DictReader(file) for c in ast.literal_eval(row["scp_codes"])}
    assert codes
    assert not [code for code in codes if lexicon.of_scp(code) is None]


def test_the_official_scp_table_agrees_with_the_heads(lexicon: Lexicon, shared_ecg: Path) -> None:
    with (shared_ecg / "ptb-xl" / "scp_statements.csv").open(encoding="utf-8") as file:
        rows = {row[""]: row["diagnostic_class"] for row in csv.DictReader(file)}
    for code, superclass in rows.items():
        statement = lexicon.of_scp(code)
        assert statement is not None, code
        if superclass:
            assert HEADS[superclass] in {statement.tag, *lexicon.ancestors(statement.tag)}, code


def diagnoses(shared_ecg: Path) -> list[list[str]]:
    """The SNOMED CT codes of each challenge header, which writes `#Dx:` or `# Dx:`."""
    headers = [path.read_text() for path in (shared_ecg / "challenge").glob("*.hea")]
    return [re.findall(r"\d+", re.findall("# ?Dx:(.*)", header)[0]) for header in headers]


def test_every_snomed_code_of_the_challenge_headers_maps(
    lexicon: Lexicon, shared_ecg: Path
) -> None:
    codes = {code for found in diagnoses(shared_ecg) for code in found}
    assert codes
    assert not [code for code in codes if lexicon.of_snomed(code) is None]


def test_no_challenge_header_holds_statements_that_exclude_each_other(
    lexicon: Lexicon, shared_ecg: Path
) -> None:
    for codes in diagnoses(shared_ecg):
        tags = {statement.tag for code in codes if (statement := lexicon.of_snomed(code))}
        assert not any(tags & lexicon.exclusions(tag) for tag in tags), sorted(tags)


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_the_classes_of_a_benchmark_are_asked_in_the_words_of_the_lexicon(
    lexicon: Lexicon, benchmark: str
) -> None:
    prompts = load_prompt_sets()[benchmark]
    assert len(prompts.labels) == len(prompts.prompts)
    for label, prompt in zip(prompts.labels, prompts.prompts, strict=True):
        assert of_class(lexicon, benchmark, label) is lexicon[prompt], label


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_the_labels_of_a_benchmark_are_the_columns_of_its_split(
    shared_benchmark: Path, benchmark: str
) -> None:
    name, first = BENCHMARKS[benchmark]
    with (shared_benchmark / "data_split" / name).open(encoding="utf-8") as file:
        columns = next(csv.reader(file))[first:]
    assert sorted(load_prompt_sets()[benchmark].labels) == sorted(columns)


def test_every_prompt_of_every_set_is_a_preferred_tag(lexicon: Lexicon) -> None:
    sets = load_prompt_sets()
    assert set(sets) == {"everyday", "waveform", *BENCHMARKS}
    for prompts in sets.values():
        assert all(prompt in lexicon for prompt in prompts.prompts), prompts.name
        assert prompts.title
        assert prompts.description


@pytest.mark.parametrize("name", ["everyday", "waveform"])
def test_the_sets_for_readers_fit_on_a_page(name: str) -> None:
    assert 20 <= len(load_prompt_sets()[name].prompts) <= 30


def test_the_waveform_set_asks_for_forms_of_the_signal(lexicon: Lexicon) -> None:
    groups = {lexicon[prompt].group for prompt in load_prompt_sets()["waveform"].prompts}
    assert groups <= FEATURE_GROUPS


def test_loading_twice_gives_the_same_lexicon() -> None:
    assert load_lexicon() is load_lexicon()
    assert load_prompt_sets() is load_prompt_sets()
