"""What is read out of a message for a field, and what is not."""

from __future__ import annotations

import pytest

from tests.engine.offline.build import SIZES, choice, extracted

NAME, COMPANY = choice("nome"), choice("empresa")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("oi, sou a Ana da Zeta", "Ana"),
        ("me chamo joão da silva", "João da Silva"),
        ("meu nome é MARIA CLARA, tudo bem?", "Maria Clara"),
        ("aqui é o Pedro", "Pedro"),
        ("pode me chamar de Duda", "Duda"),
        ("quem fala é a Bia", "Bia"),
        ("nome: Ricardo Souza", "Ricardo Souza"),
        ("sou o Rui e quero um orçamento", "Rui"),
        ("I'm John Smith from Acme", "John Smith"),
        ("my name is mary jane", "Mary Jane"),
        ("this is Priya Natarajan, head of ops", "Priya Natarajan"),
        ("hey, Tyler here", "Tyler"),
        ("sou advogado", None),
        ("sou cliente há anos", None),
        ("sou de Campinas", None),
        ("i'm looking for a quote", None),
        ("I'm from Boston", None),
        ("i am interested", None),
        ("quanto custa?", None),
        ("Ana", None),
    ],
)
def test_a_name_is_read_after_an_introduction(text, name):
    """Unasked, a name is what somebody introduces as theirs; it stops at the company, a place, the next word."""
    assert extracted(text, NAME)["nome"] == name


@pytest.mark.parametrize(
    ("text", "company"),
    [
        ("oi, sou a Ana da Zeta", "Zeta"),
        ("Aqui é o Pedro, da Padaria Pão Quente", "Padaria Pão Quente"),
        ("sou o Rui, da Loja do Rui", "Loja do Rui"),
        ("trabalho na Acme Ltda, em São Paulo", "Acme Ltda"),
        ("sou gerente comercial da Construtora Alfa", "Construtora Alfa"),
        ("minha empresa se chama Zeta Sul", "Zeta Sul"),
        ("I'm John from Acme Corp, we're 12", "Acme Corp"),
        ("I work at Blue Kite", "Blue Kite"),
        ("sou a Ana da Bahia", None),
        ("sou a Ana Maria da Silva", None),
        ("Fernanda aqui, da Ótica Visão Clara", "Ótica Visão Clara"),
        ("I'm Omar, Omar Haddad, from Delta Foods", "Delta Foods"),
    ],
)
def test_a_company_is_read_after_who_speaks(text, company):
    """Unasked, a company is where somebody says to be from; a place or a surname is none."""
    assert extracted(text, NAME, COMPANY)["empresa"] == company


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Ana", "Ana"),
        ("ana paula", "Ana Paula"),
        ("oi, é a Ana", "Ana"),
        ("Ana da Zeta", "Ana"),
        ("bom dia", None),
        ("não quero dizer", None),
        ("prefiro não informar", None),
        ("por que você quer saber?", None),
        ("quero falar com um humano", None),
        ("kkkk", None),
        ("sim", None),
        ("preciso de um orçamento urgente", None),
    ],
)
def test_an_asked_name_may_be_the_whole_message(text, value):
    """Asked for, a plain answer is the name; greetings, refusals, questions and wishes are not."""
    assert extracted(text, choice("nome", asked=True))["nome"] == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Zeta", "Zeta"),
        ("é a Zeta Sul", "Zeta Sul"),
        ("zeta", "Zeta"),
        ("Zeta, e qual o preço?", "Zeta"),
        ("it's called Blue Kite", "Blue Kite"),
        ("nenhuma", None),
        ("quanto custa?", None),
    ],
)
def test_an_asked_company_may_be_the_whole_message(text, value):
    """What stands before a question still counts; articles and lead-ins go."""
    assert extracted(text, choice("empresa", asked=True))["empresa"] == value


def test_free_text_is_kept_as_it_was_written():
    """Asked for, free text is the message, without its greeting."""
    reason = choice("motivo", asked=True)
    assert extracted("ficou pequeno em mim", reason)["motivo"] == "ficou pequeno em mim"
    assert extracted("oi, o zíper quebrou. Foi no segundo dia!", reason)["motivo"].startswith("o zíper quebrou.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Maria Silva, Zeta", ("Maria Silva", "Zeta")),
        ("Ana", ("Ana", None)),
        ("Ana da Zeta", ("Ana", "Zeta")),
        ("sou a Bia", ("Bia", None)),
    ],
)
def test_two_asked_texts_share_a_message(text, values):
    """As many parts as fields: one each; a lone name is the name's."""
    found = extracted(text, choice("nome", asked=True), choice("empresa", asked=True))
    assert (found["nome"], found["empresa"]) == values


def test_what_gave_one_value_is_not_another():
    """A message that answers several things is cut up, not used twice."""
    fields = (choice("empresa", asked=True), choice("porte", enum=SIZES, asked=True))
    assert extracted("Zeta, 30 pessoas", *fields) == {"empresa": "Zeta", "porte": "11-50"}
    assert extracted("30 pessoas", *fields) == {"empresa": None, "porte": "11-50"}
    contact = (choice("name", asked=True), choice("email", asked=True))
    assert extracted("Dana Whitfield and my mail is dana@whit.io", *contact) == {
        "name": "Dana Whitfield",
        "email": "dana@whit.io",
    }


def test_several_facts_come_out_of_one_message():
    """Name, company, size, budget and address of one opening each find their field."""
    found = extracted(
        "Oi! Me chamo Léo Prado, da Acme. Somos 30 pessoas, orçamento de R$ 2,5 mil. leo@acme.com.br",
        NAME,
        COMPANY,
        choice("tamanho", enum=SIZES),
        choice("orcamento", "number"),
        choice("email"),
    )
    assert found == {
        "nome": "Léo Prado",
        "empresa": "Acme",
        "tamanho": "11-50",
        "orcamento": 2500,
        "email": "leo@acme.com.br",
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("somos 30", "11-50"),
        ("200+", "200+"),
        ("mais de 200", "200+"),
        ("mais de 50", "51-200"),
        ("11 a 50", "11-50"),
        ("entre 60 e 80", "51-200"),
        ("uns dez", "1-10"),
        ("na verdade é 60", "51-200"),
        ("30, na verdade 60", "51-200"),
        ("só eu", "1-10"),
        ("não sei", None),
        ("vocês atendem quantas?", None),
    ],
)
def test_a_number_falls_into_its_range(text, value):
    """An enum of ranges takes a number, an open end, a range of the customer's own, and the corrected one."""
    assert extracted(text, choice("tamanho", enum=SIZES, asked=True))["tamanho"] == value


@pytest.mark.parametrize(
    ("text", "asked", "value"),
    [
        ("quero o básico", False, "Básico"),
        ("o pro", True, "Pro"),
        ("basico", True, "Básico"),
        ("não o pro, o básico", True, "Básico"),
        ("a segunda", True, "Pro"),
        ("opção 1", True, "Básico"),
        ("premiun", True, "Premium"),
        ("básico ou pro?", True, None),
        ("vocês têm o básico?", False, None),
        ("tanto faz", True, None),
    ],
)
def test_an_option_is_chosen_by_name_or_place(text, asked, value):
    """Its own words, a slip forgiven, one not turned down, or its place in the list; two named are none chosen."""
    assert extracted(text, choice("plano", enum=("Básico", "Pro", "Premium"), asked=asked))["plano"] == value


@pytest.mark.parametrize(
    ("text", "slug", "value"),
    [
        ("mil e quinhentos", "orcamento", 1500),
        ("uns 2,5 mil", "orcamento", 2500),
        ("R$ 1.500,00 por mês", "orcamento", 1500),
        ("entre 5 e 10 mil", "orcamento", 10_000),
        ("me, my wife and two kids so 4", "travelers", 4),
        ("dois", "quartos", 2),
        ("um", "quartos", 1),
        ("não sei", "orcamento", None),
        ("prefiro não informar", "orcamento", None),
        ("por que 500?", "orcamento", None),
        ("30 pessoas", "orcamento", None),
    ],
)
def test_an_asked_number_is_read(text, slug, value):
    """Any number answers, but one that counts something else, and none in a question."""
    assert extracted(text, choice(slug, "number", asked=True))[slug] == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("2 quartos", 2), ("quartos: 3", 3), ("sou a Ana, tenho 30 anos", None), ("liga 11 98765-4321", None)],
)
def test_an_unasked_number_needs_its_word_beside_it(text, value):
    """A number counts for a field that nobody asked for when the field's word stands by it."""
    assert extracted(text, choice("quartos", "integer"))["quartos"] == value


def test_an_integer_has_no_fraction():
    """An integer field gets an int, cut as the engine would cut it."""
    value = extracted("2,7", choice("dias", "integer", asked=True))["dias"]
    assert value == 2
    assert isinstance(value, int)


@pytest.mark.parametrize(
    ("slug", "text", "value"),
    [
        ("email", "meu email é ana.b+x@zeta.com.br, obrigada", "ana.b+x@zeta.com.br"),
        ("email", "não tenho", None),
        ("email", "Ana", None),
        ("telefone", "me liga no (11) 98765-4321", "(11) 98765-4321"),
        ("phone", "555-201-8890", "555-201-8890"),
        ("telefone", "meu cpf é 123.456.789-09", None),
        ("cpf", "123.456.789-09", "123.456.789-09"),
        ("cep", "é 01310-100", "01310-100"),
        ("site", "www.zeta.com.br", "www.zeta.com.br"),
        ("data", "pode ser na próxima terça", "próxima terça"),
        ("data", "dia 15 de março às 10h", "dia 15 de março às 10h"),
        ("date", "tomorrow", "tomorrow"),
        ("horario", "às 15h30", "15h30"),
        ("horario", "terça", None),
        ("cidade", "moro em Ribeirão Preto", "Ribeirão Preto"),
        ("cidade", "no Recife de preferência", "Recife"),
        ("cargo", "sou gerente de vendas", "gerente de vendas"),
        ("idade", "tenho 30 anos", "30"),
    ],
)
def test_what_has_a_shape_is_read_by_it(slug, text, value):
    """Addresses, phones, documents, days, hours, places and jobs, by what the slug says."""
    if slug == "idade":
        assert extracted(text, choice(slug, "integer"))[slug] == int(value)
    else:
        assert extracted(text, choice(slug, asked=True))[slug] == value


def test_a_day_leaves_the_hour_to_its_own_field():
    """With a field for the hour the day is the day alone."""
    found = extracted("amanhã às 15h", choice("data"), choice("hora"))
    assert found == {"data": "amanhã", "hora": "15h"}


def test_a_description_tells_what_a_slug_does_not():
    """A field called "quando" or "x" is a day when its description says so; other words there are context."""
    assert extracted("quinta", choice("x", description="dia da consulta", asked=True))["x"] == "quinta"
    assert (
        extracted("vendo bolo", choice("ramo", description="O que o negócio vende.", asked=True))["ramo"]
        == "vendo bolo"
    )


def test_a_boolean_is_read_only_when_it_was_asked():
    """A yes to something else is no yes to this."""
    assert extracted("sim", choice("confirmado", "boolean"))["confirmado"] is None
    assert extracted("sim", choice("confirmado", "boolean", asked=True))["confirmado"] is True


def test_a_value_may_follow_its_label():
    """A field that nobody asked for is filled by "cor: azul", "a cor é azul"."""
    assert extracted("cor: azul", choice("cor"))["cor"] == "azul"
    assert extracted("a cor favorita é verde claro.", choice("cor_favorita"))["cor_favorita"] == "verde claro"
    assert extracted("a empresa está errada", choice("empresa"))["empresa"] is None
    assert extracted("a cor é azul?", choice("cor"))["cor"] is None


@pytest.mark.parametrize("text", ["tá, somos 8", "ah tá, show", "entendi, beleza", "nossa, legal", "oh well, nice"])
def test_an_interjection_is_no_name(text):
    """What people open with and mean nothing by answers nothing."""
    assert extracted(text, choice("nome", asked=True), choice("empresa", asked=True)) == {"nome": None, "empresa": None}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a Pague Fácil me cobra 2,49 no crédito, vocês cobrem?", None),
        ("eles cobram 300 por mês", None),
        ("another one charges 50 dollars", None),
        ("pago 3% de taxa", None),
        ("a Zeta cobra 2 por venda; eu vendo 15 mil", 15000),
        ("15 mil", 15000),
    ],
)
def test_a_price_of_others_is_no_sum_of_the_customers(text, value):
    """What somebody else charges, and a share of a hundred, is not what the customer has or sells."""
    field = choice("faturamento", "number", description="Quanto vende no cartão por mês, em reais.", asked=True)
    assert extracted(text, field)["faturamento"] == value


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("só eu", 1),
        ("trabalho sozinha", 1),
        ("just me", 1),
        ("I work by myself", 1),
        ("eu e meu irmão", 2),
        ("it's me and my sister", 2),
        ("eu e minha irmã, somos 2", 2),
        ("minha irmã", None),
    ],
)
def test_few_people_are_told_without_a_number(text, people):
    """Who works alone is one, who names one other is two; a number goes before."""
    assert extracted(text, choice("funcionarios", "integer"))["funcionarios"] == people


DAYS = ("segunda", "terça", "quarta", "quinta", "sexta")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("quais horários vocês têm na quarta?", None),
        ("tem vaga na quarta?", None),
        ("e na quarta?", None),
        ("what times do you have on quarta?", None),
        ("quarta. quais horários vocês têm?", "quarta"),
        ("pode ser quarta?", "quarta"),
        ("quero quarta, tem vaga?", "quarta"),
        ("quarta", "quarta"),
    ],
)
def test_an_option_asked_about_is_not_chosen(text, value):
    """A question about what there is chooses nothing yet; one that proposes something does."""
    assert extracted(text, choice("dia", enum=DAYS, asked=True))["dia"] == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("quanto fica um quarto planejado?", "quarto"), ("how much is a sala?", "sala"), ("vocês fazem sala?", None)],
)
def test_who_asks_the_price_of_one_wants_one(text, value):
    """The price of "um quarto" is asked by who wants it; whether something is on offer is not yet a wish."""
    assert extracted(text, choice("ambiente", enum=("cozinha", "quarto", "sala")))["ambiente"] == value


def test_since_when_is_no_choice():
    """What has lasted since a day chooses no day."""
    assert extracted("dói desde quarta", choice("dia", enum=DAYS))["dia"] is None


def test_what_is_told_by_a_choice_is_no_free_text():
    """A message of choices and hours alone does not fill the text that was asked for."""
    fields = [choice("queixa", asked=True), choice("dia", enum=DAYS), choice("horario")]
    assert extracted("sexta às 9h", *fields) == {"queixa": None, "dia": "sexta", "horario": "9h"}


def test_a_trade_told_alone_is_for_the_field_beside_the_name():
    """Said in lower case, a trade is nobody's name."""
    assert extracted("tenho uma oficina", choice("ramo", asked=True))["ramo"] == "tenho uma oficina"
    fields = [choice("nome", asked=True), choice("ramo", asked=True)]
    assert extracted("padaria", *fields) == {"nome": None, "ramo": "padaria"}
    assert extracted("Rosa", *fields) == {"nome": "Rosa", "ramo": None}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("sou Dona Marta", "Marta"),
        ("aqui é o Dr. Paulo", "Paulo"),
        ("I'm Mrs. Smith", "Smith"),
        ("sou dona da Zeta", None),
        ("can I import from gmail?", None),
    ],
)
def test_a_title_before_a_name_is_left_out(text, name):
    """Only before a name; and a word that merely ends in an introduction introduces nobody."""
    assert extracted(text, NAME)["nome"] == name


def test_a_sentence_is_no_company():
    """A contraction or a number's comma does not make a company of what was said about something else."""
    fields = [choice("company", asked=True), choice("team_size", enum=SIZES, asked=True)]
    assert extracted("we're 30, no wait, 25", *fields, locale="en") == {"company": None, "team_size": "11-50"}
    asked = [choice("nome", asked=True), choice("ramo", asked=True)]
    assert extracted("a CartãoJá cobra 1,99", *asked)["ramo"] is None


@pytest.mark.parametrize("text", ["uns 250, 300", "pouco, 50 reais", "we have 60 agents", "mais ou menos 300"])
def test_an_amount_is_no_company(text):
    """A number with what it counts and how exact it is names nothing."""
    fields = [choice("empresa", asked=True), choice("orcamento", "number", label="Orçamento", asked=True)]
    assert extracted(text, *fields)["empresa"] is None


@pytest.mark.parametrize(("text", "value"), [("tenho uma oficina", None), ("só uma pessoa", 1), ("um", 1)])
def test_an_article_is_no_number(text, value):
    """A lone "uma" counts only at the end or before people."""
    assert extracted(text, choice("porte", "integer", asked=True))["porte"] == value


def test_a_company_is_what_it_is_called():
    """What kind of company it is is not its name; the name of the company is nobody's name."""
    assert extracted("I run a small bakery called Sweet Corner", COMPANY, locale="en")["empresa"] == "Sweet Corner"
    assert extracted("tenho uma empresa chamada Zeta Sul", choice("empresa", asked=True))["empresa"] == "Zeta Sul"


def test_a_place_denied_is_none():
    """Where somebody does not live is not where they live; the letters of a state stay capitals."""
    assert extracted("não moro em SP, moro em Curitiba", choice("cidade"))["cidade"] == "Curitiba"
    assert extracted("moro em SP", choice("cidade"))["cidade"] == "SP"


@pytest.mark.parametrize(("text", "value"), [("o que tem à tarde?", None), ("pode ser à tarde?", "tarde")])
def test_an_hour_asked_about_is_not_chosen(text, value):
    """What there is at an hour is asked; that it may be that hour is proposed."""
    assert extracted(text, choice("horario", asked=True))["horario"] == value


@pytest.mark.parametrize("text", ["na verdade somos 60", "actually we are 60", "digo, somos 60"])
def test_a_corrected_number_of_people_is_no_sum_of_money(text):
    """What a correction counts stays with its number: people are no budget, though that was asked for."""
    budget = choice("orcamento", "number", asked=True, description="Quanto pensa em investir por mês, em reais.")
    assert extracted(text, budget)["orcamento"] is None
