"""Yes, no, and neither."""

from __future__ import annotations

import pytest

from falai_engine.providers.offline.answers import yes_or_no
from falai_engine.providers.offline.message import Message

YES = """
sim|Sim!|claro|pode ser|isso|isso mesmo|exato|com certeza|blz|tá certo|tudo certo|ok|fechado|quero sim|tenho sim
não tem problema|sem problema|sim, mas quanto custa?|acho que sim|está tudo certo sim|👍|simmm|s
somos sim|já tenho|temos, e muitas|sou cliente
yes|yep|sure|of course|that's right|correct|i do|sounds good|no problem|yeah, go ahead|absolutely"""
NO = """
não|nao|n|negativo|não, a empresa está errada|claro que não|de jeito nenhum|ainda não|não está certo|nao ta certo nao
está errado|acho que não|nunca|nao, valeu|👎
no|nope|nah|not really|no, thanks|that's wrong|not yet|no way|it is not right"""
NEITHER = """
não sei|talvez|quanto custa?|prefiro não dizer|Ana|quero falar com um atendente|será que pode ser amanhã?||...|hm
not sure|maybe|i don't know|what do you mean?|I'd rather not say|👍👎|no momento temos 30 lojas
somos 40 funcionários|temos uma equipe de 12|sou o dono da Zeta|somos da Zeta|we have 12 people|I am the owner
tá certo, mas o nome é Ana Lima|sim, só que são 30 pessoas|yes, but the name is Ann"""


def cases(text):
    return [case for line in text.strip().splitlines() for case in line.split("|")]


@pytest.mark.parametrize(
    ("text", "answer"),
    [(text, True) for text in cases(YES)] + [(t, False) for t in cases(NO)] + [(t, None) for t in cases(NEITHER)],
)
def test_an_answer_is_told_from_what_is_none(text, answer):
    """A clear yes or no is one; doubt, a question, a refusal and other matters are neither."""
    assert yes_or_no(Message(text)) is answer
