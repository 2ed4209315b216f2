"""Yes and no, said in the many ways there are."""

from __future__ import annotations

import re

from falai_engine.providers.offline.intents import shows
from falai_engine.providers.offline.message import Message
from falai_engine.providers.offline.numbers import numbers_in

__all__ = ["is_bare_answer", "yes_or_no"]

_SKIPPED = re.compile(
    r"^(?:(?:oi|ola|ah|eh|e|hm|hmm|bom|bem|entao|olha|acho que|acredito que|creio que|com|well|so|um|i think|i guess|"
    r"i believe|mas|but|so that) (?:, )?)*"
)
_NO_BUT_YES = re.compile(
    r"(?:nao (?:tem|ha|vejo|tenho) (?:nenhum )?problema|sem problemas?|nao (?:me )?(?:importo|incomodo)|por que nao|"
    r"tanto faz|no problem|not a problem|why not|do not mind|nao vejo por que nao|no worries|nada contra|nao tem "
    r"erro)\b"
)
_NO = re.compile(
    r"(?:n|nao|nem|negativo|nunca|jamais|nenhum|nenhuma|nada|nananinanao|claro que nao|de jeito nenhum|de forma "
    r"alguma|de modo algum|com certeza nao|que nao|(?:esta |ta |tudo |ficou |tem (?:algo |coisa |um )?)?(?:errad[oa]|"
    r"incorret[oa]|erro)|ainda nao|infelizmente(?: nao)?|no(?= ,| (?:i|we|it|sorry|that|not|way|please|sir|need|they|"
    r"he|she|do)\b|$)|nope|nah|nop|not|never|none|wrong|incorrect|negative|absolutely not|of course not|certainly "
    r"not|no way|unfortunately(?: not)?|afraid not|do not|does not|i do not|is not|it is (?:not|wrong)|that is "
    r"(?:not|wrong)|dispenso|recuso)(?=$|\s|,)"
)
_YES = re.compile(
    r"(?:s|sim|claro|certo|certinho|certissimo|correto|corretissimo|exato|exatamente|isso|isso mesmo|isso ai|e isso|"
    r"positivo|afirmativo|pode ser|pode sim|ok|okay|okey|oki|beleza|fechado|fechou|combinado|bora|partiu|perfeito|"
    r"perfeitamente|com certeza|certeza|sem duvidas?|aham|uhum|ahan|tudo (?:certo|ok|correto|bem)|(?:ta|esta) "
    r"(?:certo|otimo|ok|bom|correto|perfeito|tudo certo|bem)|de acordo|concordo|aceito|confirmo|confirmado|tenho|"
    r"temos|sou|somos|fiz|adoraria|topo|e sim|show|otimo|maravilha|logico|obvio|evidente|e verdade|verdade|ja "
    r"(?:tenho|temos|sou|somos|fiz|uso|usamos|vi|recebi|sim|conheco)|yes|yep|yeah|yup|ya|sure|sure thing|of course|"
    r"correct|right|that is (?:right|correct|it|true)|it is(?: right| correct)?|exactly|absolutely|definitely|indeed|"
    r"fine|sounds good|great|perfect|agreed|i agree|deal|confirmed|i do|i am|i have|we do|we have|we are|go ahead|"
    r"all good|all right|alright|true|certainly|looks good|you bet|works for me|i confirm|affirmative)(?=$|\s|,)|"
    r"(?:quero|queremos|gostaria|podemos|pode|vamos|ja|por favor|please(?: do)?|manda|pode mandar)(?: (?:sim|muito|"
    r"isso|mesmo|la|ver))?(?=$| ,)"
)
_ECHO = re.compile(r"(?:ja )?(?:tenho|temos|sou|somos|i am|i have|we have|we are)(?! (?:sim|mesmo|yes)\b)(?= \S)")
_OTHER_FACT = re.compile(r" (?:[oa]|d[aeo]s?|em|n[ao]|the|from|of|in) ")
"""What makes of "somos" more than a yes: "somos da Zeta", "I am the owner"."""
_BUT_A_FACT = re.compile(
    r"\b(?:mas|so que|porem|menos|exceto|tirando|but|except|only)\b(?:(?: (?:, )?\w+){1,4} (?:e|eh|sao|seria|esta|ta|"
    r"era|is|are|should|was) (?!quanto|qual|como|onde|quando|what|how)\w+| (?:somos|sao|temos|we are|we have) \w+)"
)
"""What takes a yes back: "tá certo, mas o nome é Patrícia Lima"."""
_NEGATED_YES = re.compile(
    r"\b(?:nao|not) (?:esta |ta |e |e bem |quite |all |is )?(?:certo|correto|isso|exato|correct|right|bom|ok|true|"
    r"verdade|quero|tenho|concordo|aceito)\b"
)
_YES_MARKS = frozenset("👍✅👌🙌☑✔")
_NO_MARKS = frozenset("👎❌✖🚫")
_BARE = 4


def yes_or_no(message: Message) -> bool | None:
    """True, False, or None when it says neither: a question, "don't know", a refusal to tell, another matter."""
    normal = message.normal
    if not normal:
        return _by_marks(message.text)
    if shows(message, "unsure") or (shows(message, "declines") and not re.match(r"(?:sim|yes)\b", normal)):
        return None
    opening = _SKIPPED.sub("", normal)
    answer = _opening_answer(opening)
    return None if message.is_question and not _is_plain(opening) else answer


def _by_marks(text: str) -> bool | None:
    yes, no = any(mark in _YES_MARKS for mark in text), any(mark in _NO_MARKS for mark in text)
    return None if yes == no else yes


def _opening_answer(opening: str) -> bool | None:
    if _NO_BUT_YES.match(opening):
        return True
    if _NO.match(opening):
        return False
    if not _YES.match(opening) or _tells_a_fact(opening):
        return _closing_answer(opening)
    if _BUT_A_FACT.search(opening):
        return None
    return not _NEGATED_YES.search(opening.partition(",")[0])


def _tells_a_fact(opening: str) -> bool:
    """The verb of a question echoed ("temos", "I am") says yes; with a number or a name after it, it tells that."""
    echo = _ECHO.match(opening)
    if echo is None:
        return False
    rest = opening[echo.end() :].partition(" ,")[0]
    return bool(_OTHER_FACT.match(rest)) or any(not number.weak for number in numbers_in(rest))


def _closing_answer(opening: str) -> bool | None:
    """An answer that does not come first: "está tudo certo sim", "that is not right"."""
    if _NEGATED_YES.search(opening):
        return False
    last = re.search(r"(?:^|\s)(sim|nao|yes|no)$", opening)
    if last:
        return last[1] in ("sim", "yes")
    found = re.search(r"\b(certo|correto|certinho|correct|right|errado|errada|incorreto|incorrect|wrong)\b", opening)
    return None if found is None else found[1] in ("certo", "correto", "certinho", "correct", "right")


def _is_plain(opening: str) -> bool:
    """A yes or no that stands by itself before what is asked ("sim, mas quanto custa?")."""
    return bool(re.match(r"(?:sim|nao|claro|isso|ok|yes|no|sure|yeah)(?=$| ,)", opening))


def is_bare_answer(message: Message) -> bool:
    """A yes, a no, a "don't know" and little else."""
    words = len(message.tokens)
    if _ECHO.match(message.normal):
        return False  # "tenho uma oficina" tells what there is
    return words <= _BARE and not message.is_question and (yes_or_no(message) is not None or shows(message, "unsure"))
