"""Segmentation: every rule by hand-written examples."""

from __future__ import annotations

from itertools import pairwise

import pytest

from parm_core.errors import ConfigError, DataError
from parm_core.segmentation import (
    MAX_CHARACTERS,
    SegmentOptions,
    check_text,
    count_words,
    fold_white_space,
    segment,
    segment_case,
    segment_collection,
)
from parm_core.segmentation.sentences import sentence_starts
from parm_core.types import Case, Kind

SENTENCE = "The tenant paid the rent late in each of the four winters that followed. "


def texts_of(source: str, **options: object) -> list[str]:
    return [p.text for p in segment(source, SegmentOptions(**options)).paragraphs]  # type: ignore[arg-type]


def kinds_of(source: str, **options: object) -> list[str]:
    return [p.kind.value for p in segment(source, SegmentOptions(**options)).paragraphs]  # type: ignore[arg-type]


def sentences_of(text: str) -> list[str]:
    bounds = [0, *sentence_starts(text), len(text)]
    return [text[a:b].strip() for a, b in pairwise(bounds)]


# Sentences


@pytest.mark.parametrize(
    "sentence",
    [
        "See Ash v. Elm, 12 F.3d 45, 46 (1st Cir. 1999), where the rule began.",
        "Mr. J. R. Oak of Acme Inc. spoke to Dr. Birch at 5 p.m. on Jan. 4.",
        "Under Art. 14 and para. 7 of No. 33 he may sue, cf. Reg. 2(1).",
        "He relied on 42 U.S.C. § 1983(a). because it was cited.",
        "Fed. R. Civ. P. 12(b)(6) and Mass. Gen. Laws ch. 93A govern.",
        "The court in Pine Ins. Co. v. Larch Univ. Hosp. Bd. agreed.",
        "It held, e.g. in Yew, i.e. the last case, that Id. at 7 was wrong.",
        "He owed Rs. 350. 00 and paid 3.14 of it.",
        "The act of ... Parliament was read.",
        "Justice Holmes, J., dissented from the Hon. Justice A. B. Beech.",
        "The point is put at ¶ 12. of the brief.",
    ],
)
def test_an_abbreviation_or_citation_does_not_end_a_sentence(sentence: str) -> None:
    assert sentences_of(sentence + " We affirm.") == [sentence, "We affirm."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He lost. She won.", ["He lost.", "She won."]),
        ('He said "no." She left.', ['He said "no."', "She left."]),
        ("Was it so? It was! Yes.", ["Was it so?", "It was!", "Yes."]),
        ("It fails.4 The rest stands.[12] We affirm.", None),
        ("It was sold by Acme, Inc. The buyer sued.", None),
        ("He came from the U.S. The rest did not.", None),
        ("So it was in 1993. Nothing changed.", None),
        ("See Ash, 1 U.S. at 2 (1790). The rule stands.", None),
    ],
)
def test_a_sentence_ends_where_a_reader_says(text: str, expected: list[str] | None) -> None:
    found = sentences_of(text)
    assert " ".join(found) == text
    assert found == expected if expected else len(found) in (2, 3)


def test_sentences_end_in_other_scripts() -> None:
    assert sentences_of("法院認為。請求駁回。") == ["法院認為。", "請求駁回。"]
    assert sentences_of("न्यायालय ने कहा। अपील खारिज।") == ["न्यायालय ने कहा।", "अपील खारिज।"]
    assert sentences_of("هل دفع؟ نعم دفع.") == ["هل دفع؟", "نعم دفع."]


# numbered


NUMBERED = """Ash v Elm
Summary: A landlord who knows of a loose stair owes a duty of care to visitors.
1. The claimant fell on the stair of a house that the defendant owned.
2. In 1993. the stair was mended, the judge found, but it was badly done.
(a) first by a joiner, and
(b) then by a mason.
3. The appeal is dismissed for the reasons that the judge below has given."""


def test_numbered_tells_introduction_summary_and_numbers_apart() -> None:
    assert kinds_of(NUMBERED) == ["intro", "summary", "numbered", "numbered", "numbered"]
    assert segment(NUMBERED).rule == "numbered"
    assert texts_of(NUMBERED)[3].endswith("(b) then by a mason.")


@pytest.mark.parametrize("style", ["{}.", "{})", "[{}]", "({})", "¶ {}", "{} ."])
def test_every_style_of_number_is_known(style: str) -> None:
    source = "\n".join(f"{style.format(n)} {SENTENCE}" for n in range(1, 6))
    assert [text.split(maxsplit=1)[0] for text in texts_of(source, rule="numbered")] == [
        style.format(n).split()[0] for n in range(1, 6)
    ]
    assert segment(source).rule == "numbered"


def test_numbers_may_skip_and_may_start_again() -> None:
    numbers = [1, 2, 3, 5, 6, 1, 2, 3, 4]
    source = "\n".join(f"{n}. {SENTENCE}" for n in numbers)
    found = [int(text.split(".")[0]) for text in texts_of(source, rule="numbered")]
    assert found == numbers


def test_a_list_inside_a_paragraph_does_not_number_paragraphs() -> None:
    source = f"""1. {SENTENCE}
2. {SENTENCE}
3. The grounds of the appeal which the tenant brought are these three:
1. the rent was paid;
2. the notice was bad;
3. the judge was wrong.
4. {SENTENCE}
5. {SENTENCE}"""
    found = texts_of(source, rule="numbered")
    assert [text[0] for text in found] == list("12345")
    assert found[2].endswith("3. the judge was wrong.")


def test_a_reporter_or_a_decimal_at_a_line_start_is_no_number() -> None:
    source = f"1. {SENTENCE}\n2. F.2d was cited there\n2. {SENTENCE}\n2.5 per cent\n3. {SENTENCE}"
    assert len(texts_of(source, rule="numbered")) == 3


def test_a_heading_between_numbers_goes_with_what_it_heads() -> None:
    source = f"1. {SENTENCE}\n2. {SENTENCE}\nTHE LAW\n3. {SENTENCE}"
    assert texts_of(source)[2].startswith("THE LAW 3. The tenant")


def test_numbered_section_headings_do_not_number_paragraphs() -> None:
    source = "\n".join(f"{n}. Standard of Review\n{SENTENCE * 3}" for n in (1, 2, 3))
    assert segment(source).rule == "lines"


def test_numbered_without_numbers_falls_back_to_lines() -> None:
    done = segment(f"{SENTENCE}\n{SENTENCE}", SegmentOptions(rule="numbered"))
    assert (done.rule, len(done.paragraphs)) == ("lines", 2)


# lines


PDF = """                 COURT OF APPEALS

                          JANE ROE,
                             v.
                        ACME CORP.,

                     HOLLY, Judge.  This appeal concerns the juris-
diction of the county court over a claim that was filed too late, after
the period had run, and whether a delay is excused under the statute on
which the well-
known rule rests.  We affirm the judgment.

                           I.  BACKGROUND

     The plaintiff worked for the defendant for three years.  In that
year she was dismissed.  She filed her complaint in June, and she says
that Mr. Jones of Acme Inc. had told her, in the presence of two of

                                -2-

                         Roe v. Acme Corp.

her colleagues, that no claim could be brought before the spring.

     The defendant moved to dismiss.  The court allowed the motion, and
this appeal followed.  We look at that decision afresh.

                            Page 3 of 4

                         Roe v. Acme Corp.

                          II.  DISCUSSION

     A claim accrues when the plaintiff knows of her injury.  She knew
of it in the first year.  Nothing suggests that she did not.

Affirmed.
"""


def test_hard_wrapped_text_is_flowed_again() -> None:
    found = texts_of(PDF)
    assert found[0] == "COURT OF APPEALS JANE ROE, v. ACME CORP.," or found[0].startswith("COURT")
    assert any("the jurisdiction of the county court over a claim" in text for text in found)
    assert any("the well-known rule rests. We affirm" in text for text in found)


def test_a_paragraph_goes_on_over_a_page_break() -> None:
    assert any("in the presence of two of her colleagues, that no" in t for t in texts_of(PDF))


def test_page_furniture_is_dropped_with_its_reason() -> None:
    dropped = [(PDF[d.start : d.end], d.reason) for d in segment(PDF).dropped]
    assert ("-2-", "page furniture") in dropped
    assert ("Page 3 of 4", "page furniture") in dropped
    assert dropped.count(("Roe v. Acme Corp.", "running head")) == 2


def test_a_sentence_about_a_case_is_no_page_stamp() -> None:
    stamp = "Case: 98-7654 Document: 00112233 Page: 4 Date Filed: 01/02/2003"
    source = f"Case 12 was filed by the tenant.\n{stamp}\n{SENTENCE}"
    assert [source[d.start : d.end] for d in segment(source).dropped] == [stamp]


def test_headings_join_what_they_head_and_a_last_stray_what_precedes() -> None:
    found = texts_of(PDF)
    assert any(text.startswith("I. BACKGROUND The plaintiff worked") for text in found)
    assert found[-1].startswith("II. DISCUSSION A claim") and found[-1].endswith("Affirmed.")


def test_one_line_a_paragraph_keeps_its_lines() -> None:
    source = "\n".join([SENTENCE, SENTENCE, SENTENCE])
    assert len(texts_of(source, rule="lines")) == 3


def test_a_line_that_stops_short_is_joined_to_the_next() -> None:
    source = (
        "The tenant in this case paid the rent that he owed to the\n"
        "landlord, who kept it.\n" + SENTENCE
    )
    assert len(texts_of(source, rule="lines")) == 2


def test_a_caption_becomes_the_introduction() -> None:
    source = "\n".join(
        [
            "Court of Appeals, Second Division",
            "ASH HOLDINGS LIMITED,",
            "Appellant,",
            "v.",
            "ELM AND OTHERS, Respondents.",
            "Rowan Hazel for the appellant, with whom was A. Alder.",
            SENTENCE * 3,
        ]
    )
    assert kinds_of(source) == ["intro", "body"]
    assert texts_of(source)[1] == fold_white_space(SENTENCE * 3)


def test_words_that_announce_a_quotation_stay_with_it() -> None:
    source = f"{SENTENCE}\nThe statute on this point says:\n{SENTENCE}\n{SENTENCE}"
    assert texts_of(source, rule="lines")[1].startswith("The statute on this point says: The")


def test_a_citation_alone_goes_with_what_it_supports() -> None:
    source = f"{SENTENCE}\nId. at 713.\n{SENTENCE}"
    assert texts_of(source, rule="lines")[0].endswith("Id. at 713.")


def test_a_text_of_headings_only_is_one_paragraph() -> None:
    assert texts_of("BACKGROUND\nFACTS\nII. DISCUSSION") == ["BACKGROUND FACTS II. DISCUSSION"]


# coliee


COLIEE = """[French language version follows English language version]
[La version française vient à la suite de la version anglaise]
MLB headnote and full text of the decision, Ash v. Minister of Forests (respondent)

Summary:
The forester asked for review of a licence. <FRAGMENT_SUPPRESSED> The court refused it.
Forests - Topic 12
[1]
 Beech, J.
: The forester asks this court to set aside the refusal of a licence.
[2]
 He says that the officer was wrong, as in
<FRAGMENT_SUPPRESSED>
, at para. 12, and did not read the map.
*  *  *
[3]
 The application is dismissed with no order as to the costs of it.
Le forestier a demandé le contrôle judiciaire de la décision par laquelle le juge a refusé.
[1]
 Le juge Beech : Le forestier demande à la cour une ordonnance pour la forêt.
"""


def test_coliee_keeps_the_english_and_tells_its_parts_apart() -> None:
    done = segment(COLIEE)
    assert done.rule == "coliee"
    assert [p.kind.value for p in done.paragraphs] == ["intro", "summary", *["numbered"] * 3]
    assert done.paragraphs[3].text == (
        "[2] He says that the officer was wrong, as in , at para. 12, and did not read the map."
    )
    assert not any("forestier" in p.text for p in done.paragraphs)


def test_coliee_says_why_it_dropped() -> None:
    reasons = [drop.reason for drop in segment(COLIEE).dropped]
    assert reasons.count("bilingual marker") == 2
    assert reasons.count("suppressed citation") == 2
    assert reasons.count("punctuation only") == 1
    assert reasons.count("French version") == 3


def test_recurring_introductions_are_kept_but_not_retrieved() -> None:
    body = "\n".join(f"[{n}] {SENTENCE}" for n in (1, 2, 3))
    head = "Unedited judgment of the court, published without any headnote at all."
    cases = [Case(str(n), "", f"{head}\n{body}") for n in range(4)]
    other = Case("x", "", f"{SENTENCE}\n{body}")
    done = segment_collection([*cases, other], SegmentOptions(rule="coliee"))
    assert [p.retrieved for p in done[0].paragraphs] == [False, True, True, True]
    assert all(p.retrieved for p in done[4].paragraphs)
    assert done[0].paragraphs[0].text == head


def test_segment_collection_reports_progress() -> None:
    seen: list[tuple[int, int, str]] = []
    cases = [Case("a", "", SENTENCE), Case("b", "", SENTENCE)]
    segment_collection(cases, SegmentOptions(), lambda *step: seen.append(step))
    assert seen == [(1, 2, "cases segmented"), (2, 2, "cases segmented")]


# caselaw, windows, auto


def test_caselaw_merges_sentences_until_200_words_are_passed() -> None:
    words = [len(t.split()) for t in texts_of(SENTENCE * 40, rule="caselaw", max_words=0)]
    assert words == [210, 210, 140]


def test_windows_overlap() -> None:
    source = " ".join(f"w{n}" for n in range(25))
    found = texts_of(source, rule="windows", window_words=10, overlap_words=4)
    assert [(t.split()[0], t.split()[-1]) for t in found] == [
        ("w0", "w9"),
        ("w6", "w15"),
        ("w12", "w21"),
        ("w18", "w24"),
    ]


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        (COLIEE, "coliee"),
        (NUMBERED, "numbered"),
        (PDF, "lines"),
        (SENTENCE, "lines"),
        (SENTENCE * 40, "caselaw"),
        ("no stop and no capital " * 100, "windows"),
    ],
)
def test_auto_picks_the_rule_that_suits(source: str, rule: str) -> None:
    assert segment(source).rule == rule
    assert segment(source) == segment(source, SegmentOptions(rule="auto"))


def test_footnotes_between_broken_sentences_are_not_paragraph_numbers() -> None:
    broken = "The landlord, who had let the house and who had kept the key to it in a drawer of the"
    source = "\n".join(f"{SENTENCE * 2}\n{broken}\n{n}. {SENTENCE}" for n in range(1, 6))
    assert segment(source).rule == "lines"


# Sizes


def test_a_long_paragraph_is_split_at_sentence_ends_into_near_equal_parts() -> None:
    found = texts_of(SENTENCE * 14, rule="lines", max_words=100)
    assert [len(text.split()) for text in found] == [98, 98]
    assert all(text.endswith("followed.") for text in found)


def test_a_sentence_stays_with_the_authority_cited_for_it() -> None:
    source = (SENTENCE + "Ash v. Elm, 12 F.3d 45, 46 (1st Cir. 1999). ") * 4
    found = texts_of(source, rule="lines", max_words=60)
    assert all(text.startswith("The tenant") for text in found)


def test_only_a_sentence_that_is_too_long_is_cut_and_then_at_a_clause() -> None:
    source = "the roof leaked and the walls were damp; " * 10
    found = texts_of(source, rule="lines", max_words=40)
    assert all(text.endswith(";") and len(text.split()) <= 40 for text in found)


def test_zero_means_never_split() -> None:
    assert len(texts_of(SENTENCE * 50, rule="lines", max_words=0)) == 1


def test_very_short_paragraphs_join_a_neighbour() -> None:
    source = f"{SENTENCE}\nWe agree.\n{SENTENCE}\nAppeal allowed."
    found = texts_of(source, rule="lines")
    assert [len(text.split()) for text in found] == [16, 16]


@pytest.mark.parametrize(
    "source",
    [
        "法院认为原告的请求没有依据。" * 80,
        "ศาลเห็นว่าโจทก์ไม่มีสิทธิ" * 80,
        "a" * 9_000,
        "👩\u200d⚖️" * 3_000,
    ],
)
def test_text_without_spaces_is_bounded_too(source: str) -> None:
    done = segment(source)
    assert len(done.paragraphs) > 1
    assert all(count_words(p.text) <= SegmentOptions().max_words for p in done.paragraphs)
    assert not any(p.text[0] in "\u200d\ufe0f\u0e31\u0e47\u0e48" for p in done.paragraphs)


# The border


def test_check_text_cleans_what_cannot_be_read() -> None:
    assert check_text("\ufeffa\x00b\r\nc\rd\u2028e\x0cf\u00adg\ud800") == "ab\nc\nd\ne\nfg"


@pytest.mark.parametrize("bad", ["", " \n\t", "\x00\x00", "12 ... 34 !?", "😀😀"])
def test_check_text_refuses_text_without_letters(bad: str) -> None:
    with pytest.raises(DataError):
        check_text(bad)


@pytest.mark.parametrize("good", ["法", "ع", "क", "ก", "é", "a" * MAX_CHARACTERS])
def test_check_text_takes_letters_of_any_script(good: str) -> None:
    assert check_text(good) == good


def test_check_text_says_how_much_is_too_much() -> None:
    with pytest.raises(DataError, match="2,000,000"):
        check_text("a" * (MAX_CHARACTERS + 1))


@pytest.mark.parametrize(
    "options",
    [{"rule": "pages"}, {"max_words": -1}, {"window_words": 0}, {"overlap_words": 500}],
)
def test_options_check_themselves(options: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        SegmentOptions(**options)  # type: ignore[arg-type]


def test_an_unknown_rule_is_answered_with_the_choices() -> None:
    with pytest.raises(ConfigError, match="numbered"):
        SegmentOptions(rule="pages")


def test_segment_case_replaces_the_paragraphs_alone() -> None:
    case = Case("a", "Ash v Elm", SENTENCE, date="1999-01-01")
    done = segment_case(case, SegmentOptions())
    assert (done.id, done.title, done.text, done.date) == (
        case.id,
        case.title,
        case.text,
        case.date,
    )
    assert [(p.text, p.kind) for p in done.paragraphs] == [(SENTENCE.strip(), Kind.BODY)]


@pytest.mark.parametrize(("tokens", "words"), [(256, 160), (512, 320), (10, 40), (10**6, 400)])
def test_paragraphs_fit_what_an_encoder_reads(tokens, words):
    options = SegmentOptions.fitting(tokens, rule="lines")
    assert (options.max_words, options.window_words, options.rule) == (words, words, "lines")
    assert SegmentOptions.fitting(256) == SegmentOptions()
