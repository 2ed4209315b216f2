"""Scores, mentions and branches: who gets the message."""

from __future__ import annotations

import pytest

from tests.engine.offline.build import choice, flow, mention, understand

FLOWS = (
    flow("triagem", "quer saber como funciona", "pede um orçamento", title="Triagem"),
    flow("suporte", "relata um problema", "não consegue acessar", title="Suporte"),
    flow("agenda", "quer marcar um horário", title="Agendamento", excludes=("quer cancelar",)),
    flow("entrega", "prazo de entrega", "onde está o pedido", title="Entrega"),
    flow("duvida", "tem dúvida", title="Dúvidas"),
)


def scores(message, flows=FLOWS, **about):
    return understand(message, flows=flows, **about)["flows"]


@pytest.mark.parametrize(
    ("message", "winner"),
    [
        ("qto custa?", "triagem"),
        ("queria um orçamneto", "triagem"),
        ("how does it work?", "triagem"),
        ("o sistema ta fora do ar", "suporte"),
        ("nao to conseguindo acessar, da erro", "suporte"),
        ("vc tem horario amanha?", "agenda"),
        ("cadê meu pedido", "entrega"),
        ("tenho uma dúvida", "duvida"),
    ],
)
def test_a_strong_match_scores_75_or_more_and_wins(message, winner):
    """What a flow's phrase is about, in other words, abbreviated or misspelt, takes the message."""
    found = scores(message)
    assert found[winner] >= 75
    assert max(found, key=found.__getitem__) == winner


@pytest.mark.parametrize("message", ["oi", "bom dia!", "ok", "kkkk", "gostei da cor azul", "asdf", "", "   ", "???"])
def test_a_weak_match_stays_below_40(message):
    """Small talk and nonsense take no flow."""
    found = scores(message, FLOWS[:-1])
    assert all(score < 40 for score in found.values())


def test_an_excluded_phrase_scores_nothing():
    """An exclusion holds whatever else matched."""
    assert scores("quero marcar um horário")["agenda"] >= 75
    assert scores("quero cancelar o horário que marquei")["agenda"] == 0


def test_a_title_and_a_description_count_too():
    """A flow without a fitting phrase is found by its name, weaker, or by what it is said to be about."""
    by_title = scores("quero suporte", [flow("s", "xyz", title="Suporte")])
    by_description = scores("perdi a senha do login", [flow("s", "xyz", description="Ajuda com senha e login.")])
    assert 40 <= by_title["s"] < 90
    assert 40 <= by_description["s"] < 90


def test_what_all_flows_name_tells_none_apart():
    """In a business of flats, "flat" alone chooses no flow."""
    flats = [flow(name, f"{verb} o apartamento") for name, verb in (("a", "alugar"), ("b", "vender"), ("c", "visitar"))]
    assert max(scores("é um apartamento", flats).values()) < 40
    assert scores("quero visitar o apartamento", flats)["c"] >= 75


def asked(*slugs):
    kinds = {"orcamento": "number", "porte": "string", "nome": "string", "motivo": "string"}
    enums = {"porte": ("1-10", "11-50")}
    return tuple(choice(slug, kinds[slug], enum=enums.get(slug), asked=True) for slug in slugs)


ASKING = (flow("triagem", "pede uma proposta", asking=True), *FLOWS[1:])


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ("30", "porte"),
        ("o prazo", "motivo"),
        ("5 mil", "orcamento"),
        ("sim", "nome"),
        ("não sei", "orcamento"),
        ("prefiro não dizer", "nome"),
        ("tive um problema com a entrega", "motivo"),
    ],
)
def test_a_plain_answer_belongs_to_the_flow_that_asks(message, field):
    """While a flow asks, an answer scores no other flow to where it would take the floor."""
    found = scores(message, ASKING, fields=asked(field))
    assert all(score < found["triagem"] + 15 for name, score in found.items() if name != "triagem")


@pytest.mark.parametrize(
    ("message", "winner"), [("antes, qual o prazo de entrega?", "entrega"), ("quero marcar um horário", "agenda")]
)
def test_another_matter_takes_the_floor(message, winner):
    """A request that is plainly another flow's beats the flow that asks, and is no value of its field."""
    found = understand(message, flows=ASKING, fields=asked("motivo"))
    assert found["flows"][winner] >= max(40, found["flows"]["triagem"] + 15)
    assert found["fields"] == {"motivo": None}


@pytest.mark.parametrize(
    ("message", "is_so"),
    [
        ("a Acme cobra metade disso", True),
        ("a concorrência faz mais barato", True),
        ("we currently use Intercom", True),
        ("quero um orçamento", False),
        ("oi", False),
    ],
)
def test_a_competitor_is_heard(message, is_so):
    """A mention is told by how people compare, not only by the author's words."""
    found = understand(message, mentions=[mention("c", "cita um concorrente")])
    assert found == {"mentions": {"c": is_so}}


def test_a_mention_has_the_higher_bar():
    """Half a phrase scores a flow to be taken, and mentions nothing."""
    half = "quero saber do pedido"
    assert scores(half, [flow("f", "pedido de fantasia")])["f"] >= 40
    assert understand(half, mentions=[mention("f", "pedido de fantasia")])["mentions"] == {"f": False}


def test_an_exclusion_denies_a_mention():
    """An excluded phrase answers false."""
    human = mention("h", "pede uma pessoa", excludes=("só concorda com o horário",))
    assert understand("quero uma pessoa", mentions=[human])["mentions"] == {"h": True}
    assert understand("pode ser nesse horário", mentions=[human])["mentions"] == {"h": False}


def test_parameters_are_read_out_of_a_mention():
    """The rival's name and the customer's words; nothing, in the same shape, when nothing was mentioned."""
    rival = mention(
        "c",
        "cita um concorrente",
        extract={"concorrente": {"type": "string"}, "trecho": {"type": "string"}, "preco": {"type": "number"}},
    )
    found = understand("a Acme cobra metade, uns R$ 500", mentions=[rival])["extract"]
    assert found == {"c": {"concorrente": "Acme", "trecho": "a Acme cobra metade, uns R$ 500", "preco": 500}}
    assert understand("oi", mentions=[rival])["extract"] == {"c": {"concorrente": None, "trecho": None, "preco": None}}


WHENS = {
    "pede humano": ["quero pessoa", "me passa pra um atendente", "quero falar com alguém", "let me talk to a person"],
    "asks for a human": ["quero falar com um humano", "can I speak to an agent?", "real person please"],
    "desiste": ["deixa pra lá", "não quero mais", "never mind", "não, obrigado"],
    "o cliente desiste da compra": ["desisto", "forget it"],
    "não tem interesse": ["não tenho interesse", "not interested"],
    "não quer informar o orçamento": ["prefiro não dizer o orçamento", "não vou informar meu orçamento"],
    "acha caro": ["nossa, muito caro", "that's too expensive"],
    "está irritado": ["JÁ FALEI QUE NÃO!!!", "isso é ridículo", "I'm fed up"],
    "reclama do atendimento": ["que atendimento péssimo"],
    "concorda": ["sim", "pode ser", "sounds good"],
    "diz que não": ["não", "nope"],
    "pede para falar depois": ["agora não posso, tô em reunião", "call me later"],
    "pergunta o preço": ["quanto custa?", "what's the price?"],
    "tem mais de 50 funcionários": ["somos 80", "temos uns 120 funcionários"],
    "vai pensar ou não sabe": ["vou pensar", "não sei ainda"],
}


@pytest.mark.parametrize(("when", "message"), [(when, text) for when, texts in WHENS.items() for text in texts])
def test_a_branch_holds_when_the_customer_does_so(when, message):
    """Common intents are known by how customers say them, in both languages."""
    assert understand(message, whens=[when])["branches"] == {when: True}


@pytest.mark.parametrize(
    ("when", "message"),
    [
        ("pede humano", "somos 30 pessoas"),
        ("pede humano", "sou atendente na Zeta"),
        ("desiste", "quero continuar"),
        ("não quer continuar", "quero continuar"),
        ("não quer informar o orçamento", "o orçamento é 5 mil"),
        ("acha caro", "tá barato"),
        ("está irritado", "gostei muito"),
        ("concorda", "não"),
        ("diz que não", "não sei"),
        ("a proposta chegou", "ainda não chegou a proposta"),
        ("tem mais de 50 funcionários", "somos 12"),
        ("tem mais de 50 funcionários", "somos uma empresa grande"),
        ("pergunta o preço", "oi"),
    ],
)
def test_a_branch_does_not_hold_by_a_word_alone(when, message):
    """Naming the topic is not doing it, and what is denied is not so."""
    assert understand(message, whens=[when])["branches"] == {when: False}


def test_what_was_asked_need_not_be_named_again():
    """A mere "prefiro não dizer" refuses the budget when the budget was asked for."""
    when = "não quer informar o orçamento"
    budget = choice("orcamento", "number", asked=True)
    assert understand("isso eu prefiro não dizer", whens=[when], fields=[budget])["branches"] == {when: True}


def test_only_the_sections_of_the_brief_are_answered():
    """A reply names what the brief names and nothing else."""
    assert understand("oi") == {}
    assert understand("oi", flows=[flow("a", "x")]) == {"flows": {"a": 0}}
    assert understand("oi", fields=[choice("nome")]) == {"fields": {"nome": None}}


@pytest.mark.parametrize(
    ("message", "taken"),
    [
        ("quanto custa a avaliação?", False),
        ("onde fica a avaliação?", False),
        ("quero uma avaliação, quanto custa?", True),
        ("quero agendar uma avaliação", True),
        ("quanto custa agendar uma avaliação?", True),
    ],
)
def test_a_question_about_a_thing_does_not_start_its_flow(message, taken):
    """Who wants to know the price of what a flow is about does not start it, unless the rest of it is said, too."""
    flows = [flow("agendar", "quer agendar uma avaliação", "está com dor")]
    assert (scores(message, flows)["agendar"] >= 40) is taken


@pytest.mark.parametrize(
    ("message", "holds"),
    [
        ("ok voltou, brigada", True),
        ("pronto, funcionou", True),
        ("não voltou", False),
        ("ainda não funcionou", False),
        ("ainda nada", False),
    ],
)
def test_a_problem_solved_is_told_in_few_words(message, holds):
    """Nobody names again what works again."""
    when = "a pessoa diz que a internet voltou a funcionar"
    assert understand(message, whens=[when])["branches"][when] is holds


@pytest.mark.parametrize(
    ("message", "wants_person"),
    [
        ("no thanks, just looking", False),
        ("I don't want it", False),
        ("I hate talking to bots", True),
        ("não quero falar com robôs", True),
        ("não quero, obrigado", False),
    ],
)
def test_a_refusal_of_something_else_calls_nobody(message, wants_person):
    """Who wants no bot is told from who wants nothing."""
    flows = [flow("p", "does not want to talk to a bot", "não quer falar com robô")]
    assert (scores(message, flows)["p"] >= 40) is wants_person


@pytest.mark.parametrize(("message", "winner"), [("meu joelho está doendo", "dor"), ("wifi não funciona", "net")])
def test_pain_and_connections_have_many_words(message, winner):
    """What hurts is a pain, and the wifi is the internet."""
    found = scores(message, [flow("dor", "está com dor"), flow("net", "a internet caiu")])
    assert found[winner] >= 40
    assert max(found, key=found.__getitem__) == winner
