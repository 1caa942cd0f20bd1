"""Where sentences end in legal prose, and where a clause may be cut when it must."""

from __future__ import annotations

import re

from parm_core.segmentation.words import word_set

# These announce what follows, so never close a sentence.
_NEVER_LAST = word_set(
    """v vs versus mr mrs ms messrs mme dr prof hon rev st sgt lt col capt gen gov sen rep cpl
    mt ft viz cf e.g i.e eg ie u/s u/ss u/art u/arts r/w s ss sub-s sub-ss sec secs sect art arts
    para paras par pars pp pt pts chap ch cl cls vol vols ex exs ext exh fig figs reg regs
    r rr o ord sched schs app'x crim civ evid proc bankr fed supp ed eds ann stat const amend amends
    tit subd subds stats rptr f dist dept dep't gov't int'l nat'l ass'n att'y sup ct op slip comm
    cong sess pub priv res rs smt shri sri kum dated nos appx adm admin cas crl cr misc
    jan feb mar apr jun jul aug sept sep oct nov dec"""
)

# These may close one: they do when what follows is a word that opens sentences.
_MAYBE_LAST = word_set(
    """id ibid al inc corp co cos ltd llc llp l.l.c pvt plc bros jr sr esq etc cir ors anr ano
    mass conn cal calif fla ga ill ind tex wash pa va md minn mich mo miss neb nev okla ore tenn vt
    ins eng hosp bd univ mut indus mfg ry elec serv servs auth comm'r commr educ bldg sys tech
    transp telecomm constr fin inst lab labs mach mktg mem mun org pac pharm prods prot sch soc tel
    util atl chem coll comp consol coop cty cnty envtl equip exch exec fid guar hous imp inv invs
    loc merch metro mort nat sav twp wks tr'g prop props hldgs intern'l assocs res ser stip tr
    wis wyo ala ariz ark colo del kan ky la mont me dak assn assoc dep div
    cir ave blvd rd a.m p.m u.s u.k n.y d.c ph.d m.d b.a j jj c.j"""
)

# Abbreviations only before a number, plain words otherwise.
_BEFORE_NUMBER = word_set("no art sec p n fn nn note ch rule cl at pg sup col line")

_OPENERS = word_set(
    """a an the this that these those we our us it its he his she her they their there here i in on
    at as if when while where whether although though because since before after during under upon
    for from by with without to of such some any all each both no not neither nor only even also
    thus therefore hence however moreover further furthermore finally first second third next then
    accordingly consequently nevertheless nonetheless instead indeed rather yet but and so or what
    which who why how nothing appellant appellants appellee defendant defendants plaintiff
    plaintiffs petitioner petitioners respondent respondents counsel section"""
)

_ENDS = "!?\u2026\u0589\u061f\u06d4\u0964\u0965\u203c\u203d\u2047-\u2049"
_FULL_WIDTH = "\u3002\uff01\uff1f\uff0e\uff61"
_CLOSERS = "\"'\u201d\u2019\u00bb\u203a)\\]\u300d\u300f\uff09"
_OPENING = "\"'\u201c\u2018\u00ab\u2039(\\[\u2014\u2013\u00bf\u00a1-"

_CANDIDATE = re.compile(
    rf"(?<![.{_ENDS}])[.{_ENDS}]+(?P<closers>[{_CLOSERS}]*)"
    rf"(?P<note>(?:\[?[*\d]{{1,3}}\]?)?)(?P<gap>\s+)(?=(?P<next>\S))"
)
_WIDE = re.compile(rf"[{_FULL_WIDTH}]+[{_CLOSERS}{_FULL_WIDTH}]*\s*(?=\S)")
_LAST_TOKEN = re.compile(r"[^\s(\[\"'\u201c\u2018\u2014]{1,20}$")
_NEXT_TOKEN = re.compile(rf"[{_OPENING}]*(?P<word>[^\W_]+(?:['\u2019-]\w+)*)?")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_REPORTER = re.compile(r"[A-Z][A-Za-z.]*\.\d?[A-Za-z]*")
_ENUMERATOR = re.compile(r"(?:\d{1,3}|[IVXLC]{1,6}|[A-Za-z])")
_CITATION = re.compile(
    r"(?:But |But, |And )?(?:[Ss]ee\b|Id\b|Ibid\b|Cf\b|Accord\b|Compare\b|E\.g\b|Contra\b)|\("
    r"|(?!(?:In|On|As|At|By|Under|Since|After|The|When|While) )[A-Z][\w'\u2019&,. -]{0,120}?,\s"
    r"\d{1,4}\s[A-Z][\w.]{0,9}(?:\s\d?[A-Za-z.]{1,6}){0,2}\s\d"
)

_CLAUSE = re.compile(
    r"(?:[;:!?\u2026\uff1b\uff1a\u061b]|(?<=[^\W\d_A-Z]{4})\.)\s+(?=\S)|[\uff1b\uff1a]|\u2014"
)
_COMMA = re.compile(r"[,)\]\u060c]\s+(?=\S)|[\uff0c\u3001]|\s(?=\()")


def sentence_starts(text: str) -> list[int]:
    """Offsets at which a sentence begins after another has ended, rising; 0 is not among them."""
    spaced = [match.end() for match in _CANDIDATE.finditer(text) if _closes(text, match)]
    wide = [match.end() for match in _WIDE.finditer(text)]
    return sorted({*spaced, *wide}) if wide else spaced


def is_citation(text: str, start: int) -> bool:
    """Whether the sentence at `start` only cites authority for the one before."""
    return _CITATION.match(text, start) is not None


def ends_sentence(text: str) -> bool:
    """Whether the text closes with a sentence's end, whatever follows it."""
    tail = text[-60:].rstrip()
    padded = tail + " The"
    last = next((m for m in _CANDIDATE.finditer(padded) if m.end() == len(tail) + 1), None)
    if last is not None:
        return _closes(padded, last) and not _is_bare_enumerator(text)
    return bool(re.search(rf"[{_FULL_WIDTH}][{_CLOSERS}]*$", tail))


def clause_starts(text: str, start: int, end: int) -> list[int]:
    """Where text[start:end] may be cut between clauses, if no sentence end serves."""
    return [match.end() for match in _CLAUSE.finditer(text, start, end)]


def comma_starts(text: str, start: int, end: int) -> list[int]:
    """Where text[start:end] may be cut at a comma or a bracket, if no clause end serves."""
    return [match.end() for match in _COMMA.finditer(text, start, end)]


def _is_bare_enumerator(text: str) -> bool:
    return len(text) < 12 and _ENUMERATOR.fullmatch(text.strip().rstrip(".)")) is not None


def _closes(text: str, match: re.Match[str]) -> bool:
    if match["next"].islower() or match["next"] in ",;:.)]}":
        return False
    dots = text[match.start() : match.start("closers")]
    if match["note"].isdigit() and text[match.start() - 1 : match.start()].isdigit():
        return False
    if dots != ".":
        return not (set(dots) <= {".", "\u2026"} and len(dots) < 4 and dots != "\u2026.")
    token = _last_token(text, match.start())
    return bool(token) and _period_closes(text, match, token)


def _last_token(text: str, end: int) -> str:
    found = _LAST_TOKEN.search(text, max(0, end - 20), end)
    return found.group() if found else ""


def _period_closes(text: str, match: re.Match[str], token: str) -> bool:
    following = _NEXT_TOKEN.match(text, match.end())
    word = (following["word"] if following else None) or ""
    if _is_heading_number(text, match.start(), token) or token in ".\u2026":
        return False
    if word and word[0].islower():
        return False
    return not _abbreviates(token, word)


def _abbreviates(token: str, word: str) -> bool:
    bare = token.casefold().strip(",;:*")
    opens = (word.casefold() in _OPENERS and not word.isupper()) or word in ("A", "I")
    if bare in _NEVER_LAST or bare.rpartition("-")[2] in _NEVER_LAST:
        return True
    if bare in _BEFORE_NUMBER:
        return word[:1].isdigit() or not word
    if bare in _MAYBE_LAST and (len(bare) > 2 or token[0].isupper()):
        return not opens
    if _INITIALS.fullmatch(token) or _REPORTER.fullmatch(token):
        return not opens
    return token.isdigit() and word[:1].isdigit()


def _is_heading_number(text: str, end: int, token: str) -> bool:
    """`1.`, `IV.` or `A.` at the head of a line."""
    if not _ENUMERATOR.fullmatch(token):
        return False
    before = text[max(0, end - len(token) - 3) : end - len(token)].rstrip(" \t([\"'")
    return not before or before[-1] == "\n"
