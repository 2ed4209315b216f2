"""The Portuguese and English vocabulary of the offline provider: plain tables, folded (no accents, lower case)."""

from __future__ import annotations

__all__ = ["ABBREVIATIONS", "AGREEMENTS", "CONCEPTS", "DESCRIBING", "GENERIC", "INTERJECTIONS", "STOP", "word_set"]


def word_set(words: str) -> frozenset[str]:
    """The words of a text as a set: a table that can be read."""
    return frozenset(words.split())


def _topic(words: str, turns: str = "") -> tuple[str, str]:
    """Words, and turns of phrase parted by a bar."""
    return words, turns


def _pairs(table: str) -> dict[str, str]:
    rows = (row.partition("=") for row in table.split(";"))
    return {word: meaning.strip() for words, _, meaning in rows for word in words.split()}


ABBREVIATIONS = _pairs(
    "vc voc vce=voce; vcs=voces; qto qnto qt qnt=quanto; qtos qts=quantos; qtas=quantas; qdo qnd qndo=quando; pq "
    "pque porq porque=por que; tbm tb tmb tbem=tambem; blz blza=beleza; obg obgd obrigada brigado brigada=obrigado; "
    "msg mensage=mensagem; msgs=mensagens; hj=hoje; amh amnh amanh=amanha; n naum nao ñ=nao; q=que; oq=o que; "
    "td=tudo; pra p=para; pro=para o; pras=para as; pros=para os; c=com; dps=depois; pfv pf pfvr pfavor=por favor; "
    "pls plz=please; vlw=valeu; cmg=comigo; mt mto=muito; mta=muita; qq qlqr qlq=qualquer; eh=e; agr=agora; "
    "flw=falou; tel fone=telefone; cel=celular; zap zapzap wpp wpps whatsap=whatsapp; orc orcto=orcamento; infos "
    "info=informacao; pgto pagto=pagamento; qtd qtde=quantidade; hrs=horas; func funcs=funcionarios; u=you; ur=your; "
    "thx ty tks thks=thanks; im i'm=i am; ive i've=i have; i'd=i would; i'll=i will; dont don't=do not; doesnt "
    "doesn't=does not; didnt didn't=did not; cant can't cannot=can not; couldnt couldn't=could not; wont won't=will "
    "not; isnt isn't=is not; arent aren't=are not; wasnt wasn't=was not; what's=what is; it's=it is; that's "
    "thats=that is; there's=there is; we're=we are; we've=we have; you're youre=you are; idk=i do not know; dunno=do "
    "not know; wanna=want to; gonna=going to; gimme=give me; nvm=never mind; appt=appointment; who's=who is; "
    "how's=how is; name's=name is; let's=let us; they're=they are; he's=he is; she's=she is; emails e-mails e-mail "
    "mail=email; aki=aqui; entaum=entao; bele=beleza; nd=nada; ngm=ninguem; tdb=tudo bem; sla=sei la; fzr=fazer; "
    "vlr=valor; prc=preco; hr=hora; dnv=de novo; msm=mesmo; tmrw tmr=tomorrow; ppl=people; bdia=bom dia; "
    "sr=senhor; sra=senhora"
)

AGREEMENTS = word_set(
    "show joia legal massa top bacana perfeito perfeita otimo otima maravilha uhum aham entendi tendi saquei bele "
    "beleza fechou fechado combinado isso exato exatamente certo certinho claro ok okay okey sim tranquilo tranquila "
    "suave ta tah cool nice great yeah yep yup right alright gotcha understood sure"
)
INTERJECTIONS = AGREEMENTS | word_set(
    "eita ih ixi uai ue ah oh ahn hm hum hmm hmmm ne po poxa puxa putz nossa vixe vish sei opa olha entao bom bem "
    "enfim wow well anyway so"
)
"""What people open a message with and mean nothing by: no name, and no answer to what something is."""

STOP = word_set(
    "a o as os um uma uns umas de do da dos das em no na nos nas para por pelo pela com sem ao aos e ou mas que se "
    "ja so eu tu voce voces ele ela eles elas nos meu minha meus minhas seu sua seus suas nosso nossa isso isto esse "
    "essa este esta estes estas aquele aquela aqui ai la me te lhe lhes mim ser sou somos e sao era foi estou estao "
    "ta to tem tenho temos ter ha vai vou vao ir pode posso podem poderia ate muito tambem entao bem como qual quais "
    "quando quanto onde quem agora hoje por favor senhor senhora algum alguma alguns gente assim ainda tudo the an "
    "of to in on at by with and or but that this these those i you he she it we they my your his her its our their "
    "me him us them is are am was were be been do does did has have had can could will would shall should may might "
    "so as if for from please nao not no sim yes ok what which when how where who there here just also now some any "
    "very too let"
)
"""Words that carry no topic of their own."""

DESCRIBING = word_set(
    "cliente clientes usuario pessoa contato lead customer client user quer quero queria querem querendo quiser quis "
    "deseja desejo desejaria gostaria gostariamos pede pedir peco pediu pedindo pedem pergunta perguntar perguntou "
    "perguntando perguntam menciona mencionar mencionou cita citar citou diz dizer disse fala fale falar falou "
    "falando solicita solicitar precisa preciso precisar precisamos precisando procura procuro procurar procurando "
    "busca busco buscar buscando sobre interessa interesse interessado interessada algo alguma coisa responde "
    "escreve envia avisa informa relata manda mostra oi ola opa bom boa dia tarde noite hello hi hey good morning "
    "afternoon evening obrigado thanks thank want wants wanted like need needs ask asks asked asking mention "
    "mentions say says said tell tells talk talks talking about request requests requesting look looks looking "
    "interested interest something anything write writes"
)
"""How authors describe what a customer does, and how customers open: not compared when there is more to go by."""

GENERIC = word_set(
    "saber conhecer entender mais informacao informacoes detalhe detalhes fazer ver mandar enviar receber passar "
    "ajuda ajudar novo nova outro outra mesmo dar duvida know learn understand more information details detail get "
    "give make send see help other another same loja lojas store shop sistema system app aplicativo"
)
"""Words that many topics share: they count, but less."""

CONCEPTS = {
    "price": _topic(
        "orcamento preco precos valor valores =custo =custa =custam custar cotacao =cotar tabela mensalidade price "
        "prices pricing cost costs quote quotes quotation fee fees rates budget",
        "quanto custa|quanto custam|quanto fica|quanto sai|quanto e|quanto voces cobram|quanto cobra|quanto cobram|"
        "quanto vale|quanto ta|quanto esta|quanto seria|how much|quanto voce cobra|quanto e que e|quanto vou pagar|"
        "what do you charge",
    ),
    "how": _topic(
        "funcionamento",
        "como funciona|como funcionam|como que funciona|como e que funciona|como voces trabalham|como trabalham|como "
        "e feito|como e o processo|como voces funcionam|how it works|how does it work|how does this work|how do you "
        "work|how this works|how that works|how does that work",
    ),
    "human": _topic(
        "humano humana atendente atendentes human humans representative operador",
        "real person|pessoa de verdade|ser humano|pessoa real|alguem de verdade|live agent|pessoa humana",
    ),
    "book": _topic(
        "agendar agendamento agenda =marcar =marco =marca =marcando =marcado reservar reserva reservas reservation "
        "=book =booking =books appointment appointments schedule scheduling horario horarios consulta consultas",
        "set up a time|marcar hora|marcar um horario|que horas tem|que horas voces tem|quais horas|what times",
    ),
    "meeting": _topic("reuniao reunioes meeting meetings", "conversa com o time|call com"),
    "reschedule": _topic(
        "remarcar reagendar remarcacao reschedule adiar postpone",
        "mudar o horario|trocar o horario|change my appointment",
    ),
    "cancel": _topic(
        "cancelar cancelamento =cancela =cancelo desmarcar cancel cancels cancellation unsubscribe rescindir"
    ),
    "problem": _topic(
        "problema problemas erro erros defeito bug bugs quebrado quebrou quebrada travou travando travado travada "
        "falha falhas problem problems issue issues error errors broken crash crashes crashing crashed bugado bugada "
        "pifou",
        "nao funciona|nao esta funcionando|nao ta funcionando|parou de funcionar|deu ruim|nao consigo|nao abre|nao "
        "liga|nao entra|nao carrega|not working|does not work|stopped working|can not access|can not log in|will not "
        "open|nao esta abrindo|nao ta abrindo|fora do ar",
    ),
    "doubt": _topic("duvida duvidas question questions doubt"),
    "help": _topic("suporte support assistencia ajuda help", "me ajuda|ajuda ai"),
    "delivery": _topic(
        "entrega entregas entregar entregam prazo prazos frete envio delivery deliver deliveries shipping ship "
        "shipment rastrear rastreio tracking transportadora",
        "quando chega|nao chegou|ainda nao chegou|quanto tempo demora|has not arrived|did not arrive|where is my "
        "order|cade meu pedido|cade o meu pedido|onde esta meu pedido",
    ),
    "order": _topic("=pedido =pedidos encomenda encomendas order orders =compra =compras"),
    "complaint": _topic("reclamacao reclamar reclamacoes reclama complaint complaints complain complains ouvidoria"),
    "pay": _topic(
        "pagar pagamento pagamentos boleto boletos pix cartao =pago parcelar parcela parcelas parcelamento pay "
        "payment payments invoice invoices fatura faturas cobranca billing installments",
        "nota fiscal|credit card",
    ),
    "refund": _topic(
        "reembolso reembolsar devolver devolucao estorno refund refunds", "dinheiro de volta|money back|meu dinheiro"
    ),
    "place": _topic(
        "endereco localizacao address location",
        "onde fica|onde voces ficam|where are you located|onde e a loja|onde estao",
    ),
    "opening": _topic(
        "", "horario de funcionamento|que horas abre|que horas fecha|opening hours|ate que horas|que horas voces abrem"
    ),
    "plan": _topic(
        "plano planos plan plans assinatura assinaturas assinar subscription subscriptions pacote pacotes package "
        "packages"
    ),
    "buy": _topic(
        "comprar compro contratar contratacao adquirir buy buying purchase purchasing venda vendas sales =contrato "
        "hire",
        "fechar negocio|fechar contrato|sign up",
    ),
    "discount": _topic("desconto descontos discount discounts promocao promocoes cupom coupon oferta ofertas"),
    "competitor": _topic(
        "concorrente concorrentes concorrencia competitor competitors competidor", "outro fornecedor|outra empresa"
    ),
    "job": _topic(
        "vaga vagas emprego empregos curriculo job jobs hiring career careers resume",
        "trabalhar com voces|trabalhar ai|tao contratando|estao contratando|voces contratam|estao precisando de gente|"
        "are you hiring",
    ),
    "trial": _topic("demonstracao demonstracoes demo demos teste testes trial trials experimentar testar"),
    "access": _topic("senha senhas login acesso acessar password logar access", "log in|sign in"),
    "partner": _topic("parceria parcerias parceiro partnership revenda revender reseller"),
    "late": _topic("atraso atrasado atrasada atrasou demora demorando demorou late delay delayed"),
    "warranty": _topic("garantia warranty guarantee"),
    "product": _topic("produto produtos product products catalogo catalog"),
    "service": _topic("servico servicos service services"),
    "person_count": _topic("funcionario funcionarios colaborador colaboradores employee employees"),
    "room": _topic("quarto quartos hospedagem suite room rooms"),
    "company": _topic(
        "empresa empresas company companies organizacao business",
        "nome da empresa|nome da minha empresa|nome da loja|company name|name of the company|name of my company",
    ),
    "insurance": _topic("convenio convenios insurance", "plano de saude|seguro saude|health plan"),
    "pause": _topic("pausar pausa congelar trancar suspender pause freeze suspend", "on hold|dar um tempo"),
    "change": _topic("alterar alteracao mudar mudanca change changes modify move switch"),
    "property": _topic("imovel imoveis apartamento apartamentos apto ap casa property apartment house flat"),
    "rent": _topic("alugar aluguel locacao rent rental lease"),
    "visit": _topic("visitar visita visitas visit tour"),
    "enrol": _topic("matricular matricula matriculas inscrever inscricao enroll enrol enrollment register"),
    "luggage": _topic("bagagem mala malas luggage baggage suitcase suitcases bag bags"),
    "flight": _topic("voo voos passagem passagens flight flights ticket tickets"),
    "stay": _topic("hotel pousada hospedar diaria hostel"),
    "trip": _topic("viagem viagens viajar trip trips travel vacation"),
    "menu": _topic("cardapio menu pratos"),
    "repair": _topic(
        "conserto consertar reparo manutencao arrumar vazamento vazando repair fix maintenance leak leaking"
    ),
    "document": _topic("documento documentos documentacao document documents paperwork"),
    "broken_in": _topic("rasgado rasgada amassado manchado furado torn damaged"),
    "pain": _topic(
        "dor dores =doi =doem doendo doer dolorido dolorida pain pains painful hurt hurts hurting ache aching sore"
    ),
    "internet": _topic("internet wifi =net conexao roteador modem router connection", "wi fi|banda larga"),
    "urgent": _topic("urgente urgencia urgent urgently asap", "o quanto antes|as soon as possible|para ontem"),
}
"""Topic: its words (a `=` before one: only as written, never by its stem) and its turns of phrase."""
