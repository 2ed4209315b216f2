"""Names, companies, places and jobs, told by the words people introduce them with."""

from __future__ import annotations

import re
from collections.abc import Iterator

from falai_engine.providers.offline.contacts import Found
from falai_engine.providers.offline.known_names import BUSINESSES, GIVEN_NAMES, NOT_NAMES, PLACES, SURNAMES
from falai_engine.providers.offline.words import fold

__all__ = ["as_company", "as_name", "companies", "jobs", "looks_like_name", "names", "places"]

_PARTICLES = frozenset(("da", "de", "do", "das", "dos", "di", "del", "van", "von", "la", "le"))
_WORD = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*\.?")


def _either(*cues: str) -> str:
    return f"(?:{'|'.join(cues)})"


_NAME_INTRO = re.compile(
    r"(?<!\w)"
    + _either(
        r"meu nome(?: completo)? (?:e|eh|:)|meu nome:|nome(?: completo)?\s?(?::|-|e )|mi nome e",
        r"(?:eu )?me chamo|chamo-me|pode(?:m)? me chamar de|me chama(?:m)? de",
        r"(?:aqui|quem fala|quem esta falando|aki) (?:e|eh|quem fala e) (?:[oa] )?|(?:aqui|quem fala) (?=[oa] )[oa] ",
        r"(?:no|em) nome de|in the name of|under the name(?: of)?",
        r"(?P<weak>(?:eu )?sou (?:[oa] )?)",
        r"my (?:full )?name(?: is|['’]?s|:)|name(?: is|['’]s|:)|(?:(?:you can )?call me|this is)(?!\w)|it['’]s me,?",
        r"(?P<weak_en>(?:i['’]?m|i am)(?!\w))",
    )
    + r"\s?"
)
_NAME_HERE = re.compile(r"(?:^|[.,!?]\s*)(?P<name>[^\W\d_]+(?: [^\W\d_]+)?) (?:here|aqui|falando|speaking)(?!\w)")
_GREETING = re.compile(
    r"(?:(?:oi|ola|opa|bom dia|boa tarde|boa noite|hi|hello|hey|claro|sim|sure)[\s,.!]+)*"
    r"(?:e |eh |it['’]s )?(?:[oa] (?=\w))?"
)
_TITLES = (
    "gerente|diretora?|don[oa]|soci[oa]|analista|coordenadora?|supervisora?|assistente|vendedora?|consultora?|"
    "engenheir[oa]|advogad[oa]|medic[oa]|professora?|proprietari[oa]|fundadora?|empresari[oa]|estudante|chefe|lider|"
    "comprador|compradora|manager|director|owner|founder|analyst|engineer|developer|designer|lawyer|doctor|teacher|"
    "student|consultant|assistant|head|lead|vp|chief|buyer|ceo|cto|cfo|coo"
)
_COMPANY_INTRO = re.compile(
    r"(?<!\w)"
    + _either(
        r"(?:trabalho|trampo|atuo|estou|sou|falo|represento|compro|respondo) (?:n?a|pela|para a|aqui n?a|da) empresa",
        r"d?a (?:minha )?empresa|empresa\s?(?::|-|e a|e o|e|chamada|se chama|chama)",
        r"(?:minha|nossa|a) (?:empresa|loja|firma|companhia|agencia|startup) (?:se chama|chama|e a|e o|e|eh)",
        r"(?:trabalho|trampo|atuo) (?:n[ao]|pel[ao]|para [ao]|pra|em)",
        r"(?:falo|ligo|escrevo) (?:d[ao]|pel[ao]|em nome d[ao])",
        r"(?:sou|somos|aqui e|aqui) (?:aqui )?d[ao]|represento [ao]",
        rf"(?:{_TITLES})(?: [^\W\d_]+)? (?:d[ao]|n[ao])|(?:{_TITLES})(?: (?:of )?[^\W\d_]+){{0,2}} (?:of|at)",
        r"(?:my|our|the) (?:company|business|employer)(?: name)? (?:is|is called|:)|company(?: name)?\s?(?::|is)",
        r"(?:it['’]?s|it is|we['’]?re|we are|company is|business is) called",
        r"(?:my|our) (?:company|business)['’]s(?: name)?(?: is)?|organization\s?(?::|is)",
        r"(?:i |we )?work(?:ing)? (?:for|at|with)|on behalf of|i (?:run|own|represent)|calling from|writing from",
        r"(?:we|i)['’]?(?:re| are|m| am) (?:with|from|at)",
    )
    + r"\s+"
)
_AFTER_NAME = re.compile(
    r"\s?,?\s?(?:(?:sou )?(?:aqui )?d[ao]|n[ao]|(?:sou )?(?:aqui )?de|"
    r"(?:i['’]m |and i work )?(?:from|at|with|of|for))(?: (?:empresa|firma|company)(?! d[aeo]\b))?\s+(?:(?:the|a|o) )?"
)
_OF_WHERE = re.compile(r"(?<=[,.] )(?:d[ao]|from|at|with|of) (?=[A-ZÀ-Ý])")
"""Where somebody who said their name is from, after a pause: "Fernanda aqui, da Ótica Visão"."""
_PLACE_INTRO = re.compile(
    r"(?<!\w)"
    + _either(
        r"(?:moro|vivo|resido|fico|ficamos|estamos|estou|sou aqui|falo|somos|sou)(?: aqui)? (?:em|no|na|de|do|da)\s+",
        r"cidade\s?(?::|e |de )|city\s?(?::|is )|live in|based in|located in|i['’]m in|we['’]re in|from|em|in|de",
    )
    + r"\s?"
)
_NEGATED = re.compile(r"(?<!\w)(?:nao|not|don['’]?t)\s+$")
_PLACE = re.compile(_either(*sorted(map(re.escape, PLACES), key=len, reverse=True)) + r"(?:\s?[-/,]\s?[a-z]{2})?(?!\w)")
_JOB = re.compile(
    r"(?<!\w)"
    + _either(
        r"(?:eu )?(?:sou|trabalho como|atuo como)(?: [oa]| um| uma)?|(?:meu )?cargo (?:e|:)|cargo:|role:",
        r"i['’]?m (?:a|an|the)|i am (?:a|an|the)|i work as (?:a|an|the)?|my (?:role|job|position|title) is",
    )
    + rf"\s+(?P<job>(?:[^\W\d_]+ ){{0,2}}?(?:{_TITLES})(?: (?:de|do|da|of) (?!empresa)[^\W\d_]+)?)(?!\w)"
)
_TITLE = re.compile(r"(?:dona|seu|sr|sra|dr|dra|doutora?|prof|professora?|mr|mrs|ms|miss|doctor)\.? ")
_ARTICLE = re.compile(r"(?:[oa]|the) (?=\w)")
_MOST_WORDS = 5


def _words_from(text: str, start: int) -> Iterator[re.Match[str]]:
    """The words that follow without punctuation between them."""
    at = start
    while (match := _WORD.match(text, at)) is not None:
        yield match
        at = match.end()
        if text[at : at + 1] != " " or match[0].endswith("."):
            return
        at += 1


def _name_at(text: str, start: int, weak: bool) -> Found | None:
    """The name that begins at `start`; after a mere "sou" it must be known or written with a capital."""
    taken: list[str] = []
    end = start
    for match in _words_from(text, start):
        if not _continues(taken, match[0], weak) or len(taken) == _MOST_WORDS:
            break
        taken.append(match[0])
        end = match.end()
    if taken and fold(taken[-1]) in _PARTICLES:
        end -= len(taken.pop()) + 1
    return Found(as_name(" ".join(taken)), start, end) if taken else None


def _continues(taken: list[str], word: str, weak: bool) -> bool:
    folded = fold(word).rstrip(".")
    if not taken:
        return _may_start(word, folded, weak)
    if fold(taken[-1]) in _PARTICLES:
        return folded in SURNAMES
    if folded in _PARTICLES:
        return True
    if folded in NOT_NAMES:
        return False
    return word[0].isupper() or folded in SURNAMES or (not taken[0][0].isupper() and folded in GIVEN_NAMES)


_OCCUPATION = re.compile(r"\w+(?:ista|eiro|eira|ente|ante|ario|aria|tor|tora|dor|dora|ivo|iva|ico|ica|ing|ed)$")


def _may_start(word: str, folded: str, weak: bool) -> bool:
    if folded in NOT_NAMES or len(folded) < 2:
        return False
    if folded in GIVEN_NAMES or word[0].isupper() or not weak:
        return True
    return not _OCCUPATION.fullmatch(folded)


def names(text: str, folded: str, asked: bool = False) -> list[Found]:
    """Names that somebody introduced, in order; when a name was asked for, also "Ana da Zeta" alone."""
    found: list[Found] = []
    for match in _NAME_INTRO.finditer(folded):
        weak = bool(match["weak"] or match["weak_en"])
        start = match.end()
        if match["weak"] is None and not match["weak_en"]:
            start += len(_article(folded, start))
        start += _title(text, folded, start)
        name = _name_at(text, start, weak)
        if name is not None and not _is_place(folded, start):
            found.append(Found(name.value, match.start(), name.end))
    return found or _names_here(text, folded) or (_opening_name(text, folded) if asked else [])


def _opening_name(text: str, folded: str) -> list[Found]:
    greeting = _GREETING.match(folded)
    name = _name_at(text, greeting.end() if greeting else 0, weak=True)
    return [name] if name is not None and _AFTER_NAME.match(folded, name.end) else []


def _names_here(text: str, folded: str) -> list[Found]:
    matches = _NAME_HERE.finditer(folded)
    spans = (match.span("name") for match in matches)
    return [Found(as_name(text[a:b]), a, b) for a, b in spans if looks_like_name(text[a:b], strict=True)]


def _article(folded: str, at: int) -> str:
    match = _ARTICLE.match(folded, at)
    return match[0] if match else ""


def _title(text: str, folded: str, at: int) -> int:
    """How long a "Dona", "Dr." before a name is; "sou dona da Zeta" has none."""
    match = _TITLE.match(folded, at)
    word = _WORD.match(text, match.end()) if match else None
    is_name = word is not None and (word[0][0].isupper() or fold(word[0]) in GIVEN_NAMES)
    return match.end() - at if match and is_name else 0


def _is_place(folded: str, at: int) -> bool:
    match = _PLACE.match(folded, at)
    return match is not None and match[0] not in GIVEN_NAMES


def looks_like_name(text: str, strict: bool = False) -> bool:
    """A text that may be somebody's name and nothing else; `strict`: it opens with a common given name."""
    words = text.split()
    folded = [fold(word).strip(".,") for word in words]
    if not words or len(words) > _MOST_WORDS or not all(_WORD.fullmatch(word.rstrip(",")) for word in words):
        return False
    if folded[0] in GIVEN_NAMES:
        return all(word in _PARTICLES or word not in NOT_NAMES for word in folded)
    is_trade = text.islower() and any(word in BUSINESSES for word in folded)
    return not strict and not is_trade and not any(word in NOT_NAMES for word in folded if word not in _PARTICLES)


def as_name(text: str) -> str:
    """A name as it is written on a card: capitals, particles small; "McKay" and "Ana-Lia" kept."""
    return " ".join(_capital(word, i) for i, word in enumerate(text.split()))


def _capital(word: str, position: int) -> str:
    if position and fold(word) in _PARTICLES:
        return word.lower()
    if word.isupper() or word.islower():
        return "-".join(part[:1].upper() + part[1:].lower() for part in word.split("-"))
    return word


def companies(text: str, folded: str, people: list[Found]) -> list[Found]:
    """Companies that somebody says to be of: "da Zeta" right after a name, "trabalho na Zeta", "from Acme"."""
    found = [_company_after(text, folded, match.start(), match.end()) for match in _COMPANY_INTRO.finditer(folded)]
    for person in people:
        match = _AFTER_NAME.match(folded, person.end)
        if match is not None:
            found.append(_company_after(text, folded, match.start(), match.end()))
        found += [_company_after(text, folded, m.start(), m.end()) for m in _OF_WHERE.finditer(text, person.end)]
    return sorted({item for item in found if item is not None}, key=lambda item: item.start)


_CALLED = re.compile(r"(?:[^\W\d_]+ ){0,4}(?:called|named|chamad[oa]|que se chama) (?=\w)")
"""What kind of company it is, before its name: "a small bakery called Sweet Corner"."""
_COMPANY_WORD = re.compile(r"[^\W_][\w&.'’+-]*|&")
_COMPANY_STOP = NOT_NAMES - _PARTICLES | frozenset(
    ("e", "and", "com", "with", "que", "somos", "temos", "quero", "preciso")
)


def _company_after(text: str, folded: str, start: int, at: int) -> Found | None:
    called = _CALLED.match(folded, at)
    at = called.end() if called else at + len(_article(folded, at))
    place = _PLACE.match(folded, at)
    if place is not None and not re.match(r" [A-Z]", text[place.end() :]):
        return None
    words: list[str] = []
    end = at
    while len(words) < _MOST_WORDS and (match := _COMPANY_WORD.match(text, end + bool(words))) is not None:
        if not _company_continues(words, match[0]):
            break
        words.append(match[0])
        end = match.end()
        if text[end : end + 1] != " " or match[0].endswith("."):
            break
    while words and fold(words[-1]) in _PARTICLES:
        end -= len(words.pop()) + 1
    value = " ".join(words).rstrip(".,")
    return Found(as_company(value), start, end) if value else None


def _company_continues(taken: list[str], word: str) -> bool:
    folded = fold(word).rstrip(".")
    if folded in _COMPANY_STOP and not word[0].isupper():
        return False
    if not taken:
        return folded not in _PARTICLES
    if taken[0][0].isupper():
        return word[0].isupper() or word[0].isdigit() or folded in _PARTICLES or word == "&"
    return len(taken) < 3


def as_company(text: str) -> str:
    """As the customer wrote it; with capitals when there were none."""
    if text != text.lower():
        return text
    return " ".join(word if fold(word) in _PARTICLES else word[:1].upper() + word[1:] for word in text.split(" "))


def places(text: str, folded: str) -> list[Found]:
    """Cities that somebody says to live in or write from."""
    found: list[Found] = []
    for match in _PLACE_INTRO.finditer(folded):
        if _NEGATED.search(folded, max(0, match.start() - 10), match.start()):
            continue
        known = _PLACE.match(folded, match.end())
        if known is not None:
            found.append(Found(_as_place(text[match.end() : known.end()]), match.start(), known.end()))
        elif re.match(r"(?:moro|vivo|resido|cidade|city|live|based|located)", match[0].lstrip()):
            name = _name_at(text, match.end(), weak=False)
            found.extend([Found(name.value, match.start(), name.end)] if name else [])
    return found


def _as_place(text: str) -> str:
    """A name, or the letters of a state in capitals."""
    return text.upper() if len(text) == 2 else as_name(text)


def jobs(text: str, folded: str) -> list[Found]:
    """What somebody says to work as."""
    return [Found(text[m.start("job") : m.end("job")], m.start(), m.end()) for m in _JOB.finditer(folded)]
