"""Common things that customers do, told by turns of phrase: what authors call them, and how customers say them.

Cues are matched on the normal form (abbreviations written out, punctuation as `,`). They are regular expressions
without nested repetition, so that their time is linear.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from falai_engine.providers.offline.message import Message

__all__ = ["INTENTS", "Intent", "shows"]


@dataclass(frozen=True, slots=True)
class Intent:
    """`described` finds it in an author's words, `shown` in a customer's; `strength` is what being shown is worth."""

    described: re.Pattern[str]
    shown: re.Pattern[str]
    strength: int = 90


def _intent(described: str, shown: str, strength: int = 90) -> Intent:
    return Intent(_cues(described), _cues(shown), strength)


_CONTINUED = re.compile(r"\|\n\s*")
_PARTED = re.compile(r"\s*\n\s*| \| ")
_GAP = re.compile(r"~(\d)")


def _cues(text: str) -> re.Pattern[str]:
    """One pattern of many cues, parted by lines or ` | `; `~3` is up to three words, PERSON, HUMAN, SOMEBODY a list."""
    cues = "|".join(_PARTED.split(_CONTINUED.sub("|", text.strip())))
    for name, words in (("PERSON", _PERSON), ("HUMAN", _HUMAN), ("SOMEBODY", _SOMEBODY)):
        cues = cues.replace(name, f"(?:{words})")
    spelled_out = _GAP.sub(r"(?: \\w+){0,\1}", cues)
    return re.compile(rf"(?<!\S)(?:{spelled_out})(?!\S)")


NEVER = r"(?!)"
_PERSON = "humano|humana|atendente|pessoa|ser humano|gente|vendedora?|consultora?|gerente|supervisor|responsavel"
_HUMAN = "human|humans|person|people|agent|representative|rep|operator|manager|salesperson|sales person"
_SOMEBODY = "alguem|someone|somebody"

INTENTS: dict[str, Intent] = {
    "human": _intent(
        r"""
        (?:pede|pedir|pediu|quer|querer|fala|falar|chama|chamar|solicita|prefere|exige|transferir|conversar)~4 PERSON
        (?:ask|asks|want|wants|request|requests|talk|speak|prefer|prefers|transfer)~5 HUMAN
        (?:falar|conversar) com SOMEBODY | (?:talk|speak|chat) (?:to|with) SOMEBODY | (?:^)PERSON(?=$) | (?:^)HUMAN(?=$)
        atendimento humano | human hand ?off | pediu humano
        (?:nao quer|odeia|does not want|hates?)~4 (?:robos?|bots?|maquinas?|machines?)
        """,
        r"""
        (?:quero|queria|gostaria|preciso|precisava|prefiro|pode|poderia|posso|deixa|tem como|da para|me|
          cade)(?: (?!para\b|por\b|sou\b|somos\b|juridica\b)\w+){0,4} PERSON(?! (?:juridica|fisica|para|que))
        (?:chama|chamar|passa|passar|transfere|transferir|encaminha|falar|conversar)~3 PERSON(?! (?:juridica|fisica))
        (?:falar|fala|conversar|passa|passar|chama|chamar|me liga|transfere|transferir)~3 SOMEBODY
        tem SOMEBODY ai | (?:um |uma |o |a )?PERSON(?: de verdade| real| por favor| , por favor)(?=$)
        (?:^)(?:um |uma )?(?:humano|humana|atendente|pessoa)(?=$)
        (?:nao quero|nao falo|nao vou|odeio|cansei de|chega de|parar de|detesto)~3 (?:robos?|bots?|maquinas?)
        (?:talk|speak|chat|connect|transfer|get|want|need|prefer|put|pass|have)(?: (?!for\b|
          from\b)\w+){0,5} HUMAN(?! (?:for|count))
        (?:talk|speak|chat|connect|transfer|call)~3 SOMEBODY | (?:real|actual|live) (?:human|person|agent)
        (?:^)(?:a )?HUMAN(?: please| , please)?(?=$) | (?:not|hate|tired of|stop)~4 (?:bots?|robots?|machines?)
        atendimento humano | voce e (?:um )?(?:robo|bot) | are you (?:a )?(?:bot|robot)
        """,
    ),
    "gives_up": _intent(
        r"""
        desiste | desistir | desistiu | recusa | recusar | rejeita
        (?:nao quer|nao tem|sem|perde o|perdeu o)(?: mais| ter| nenhum)? (?:interesse|continuar|seguir|mais)
        nao quer | nao esta interessad[oa] | declina | gives? up | giving up | declines? | refuses? | rejects?
        not interested | loses? interest | no interest | (?:is|are) not interested
        does not want(?: to (?:continue|proceed|go on))? | no longer wants? | backs out
        changes? (?:his|her|their) mind | muda de ideia
        """,
        r"""
        desisto | desisti | desistindo
        nao quero(?: mais)?(?: (?:isso|nada|continuar|seguir|saber|nao))?(?=$| ,) | nao quero mais
        deixa (?:para la|quieto|queto) | (?:^)deixa(?= ,)
        ja (?:consegui|resolvi|comprei|fechei|contratei|achei|encontrei)(?: em| com| no| na)? outr[oa] | found another~1
        esquece | esqueca | esquece isso
        (?:nao|nenhum|sem|zero|nao tenho|nao temos)(?: mais| nenhum)? interesse
        nao (?:estou|to|tenho) (?:mais )?interess\w+ | nao , (?:muito )?obrigado | nao obrigado
        nao (?:vou|vamos|iremos|pretendo) (?:mais )?(?:querer|continuar|seguir|comprar|fechar|contratar)
        mudei de ideia | perdi (?:o|a) (?:interesse|vontade) | agora nao(?=$| ,) | nao rola | nao vai rolar
        fica para (?:a )?proxima | nao (?:me )?interessa | not interested(?: anymore)? | no longer interested
        never mind | nevermind | forget (?:it|about it|this) | no , thanks?(?: you)? | no thanks?(?: you)?
        i give up | changed my mind | i do not want (?:it|this|that|to continue|to proceed)
        do not want (?:it|this|to continue)(?: anymore)? | i will pass | not for me | let us stop
        """,
    ),
    "opt_out": _intent(
        r"""
        (?:pede|quer|pedir|asks?|wants?)~2 (?:parar|sair|stop|be removed|opt out)~4 | nao quer receber~3
        descadastr\w+ | unsubscribes? | opts? out | does not want(?: to (?:get|receive))? messages?
        """,
        r"""
        (?:para|pare|parem|parar) de (?:me )?(?:mandar|enviar|chamar|ligar|encher)~1
        me (?:tira|tire|remove|remova|exclui)~3 | sair da lista | descadastr\w+
        nao (?:quero|me)~2 (?:receber|mande|manda|envie|mandem|chame)~2 | (?:^)(?:pare|parar|stop|sair)(?=$)
        stop (?:sending|messaging|texting|writing|calling|contacting) | unsubscribe | remove me | take me off
        do not (?:text|message|contact|call|write)(?: me)? | leave me alone | me deixa em paz
        """,
    ),
    "declines": _intent(
        r"""
        (?:nao quer|recusa|prefere nao|se recusa a|evita|nao deseja)~1 (?:dizer|informar|responder|passar|falar|
          contar|dar)
        refuses? to (?:say|tell|answer|give|share) | does not want to (?:say|tell|answer|give|share)
        prefers? not to(?: say| tell| answer)? | will not (?:say|tell|answer)
        """,
        r"""
        (?:nao|prefiro nao|melhor nao|nem)~2 (?:dizer|informar|responder|revelar|compartilhar|te contar|te passar|
          divulgar)~3
        (?:nao|prefiro nao)(?: (?:quero|vou|gostaria|posso|gosto|me sinto))? (?:passar|dar|falar|contar|
          fornecer)(?: (?:isso|esse|essa|meu|minha|o|a|agora|nada|sobre|ainda|de))?
        prefiro nao | isso e (?:pessoal|particular|confidencial|sigiloso) | nao e da sua conta | e confidencial
        (?:pra|para) que (?:voce )?(?:quer|precisa)
        (?:rather|prefer|like|want|wish|going|comfortable|willing|able|will|can)~1 not(?: to)? (?:say|tell|answer|
          share|give|disclose|sharing|saying|giving)
        (?:do not|not|would not|will not|can not)(?: (?:want|like|wish|comfortable|going|willing))?(?: to)? (?:say|
          tell|telling|answer|answering|share|sharing|giving|give|disclose)
        prefer not(?: to)? | rather not | none of your business | that is (?:private|personal|confidential)
        confidential | no comment | pula essa | skip (?:that|this|it) | pular | proxima pergunta | next question
        """,
    ),
    "unsure": _intent(
        r"""
        nao sabe | esta em duvida | nao tem certeza | indecis[oa] | vai pensar | quer pensar | precisa pensar
        does not know | is not sure | not sure | unsure | undecided | wants? to think | needs? to think
        """,
        r"""
        nao sei(?: ainda)? | sei la | nao faco ideia | nem ideia | sem ideia | nao tenho (?:certeza|ideia|nocao)
        nao lembro | vou pensar | preciso pensar | deixa eu (?:ver|pensar) | talvez | quem sabe | nao decidi
        depende | ainda nao (?:sei|decidi|defini|definimos|pensei)~1 | i do not know | do not know | not sure
        no idea | i am unsure | maybe | perhaps | let me think | have to think | need to think | it depends
        undecided | have not decided | can not say | hard to say | dificil dizer | no clue
        nao (?:defini|definimos|temos ideia) | (?:vou|preciso|deixa eu|tenho que) (?:ver|falar|conversar|confirmar) com
        te (?:aviso|falo|retorno|respondo) | (?:talk|check|speak) (?:to|with) my | get back to you | let you know
        """,
    ),
    "agrees": _intent(
        r"""
        concorda | concordar | (?<!se )aceita | (?<!quer )aceitar | aceitou | confirma | confirmar | confirmou | topa
        topar | aprova | esta de acordo | de acordo | (?:diz|responde|fala|disse) (?:que )?sim | quer continuar
        agrees? | accepts? | confirms? | approves? | says? yes | wants? to (?:continue|proceed|go ahead) | sim
        yes
        """,
        NEVER,
    ),
    "denies": _intent(
        r"""
        nega | negar | discorda | discordar | (?:diz|responde|fala|disse) (?:que )?nao | says? no | disagrees?
        denies | deny | nao concorda | nao aceita | nao confirma | does not (?:agree|accept|confirm) | nao | no
        """,
        NEVER,
    ),
    "complains": _intent(
        r"""
        reclama | reclamar | reclamando | reclamou | se queixa | queixa
        (?:esta |fica |ficou )?(?:insatisfeit[oa]|descontente|decepcionad[oa]) | critica | complains?
        complaining | complaint | (?:is |are )?(?:unhappy|dissatisfied|disappointed) | reclamacao
        """,
        r"""
        pessim[oa]s? | horrivel | horriveis | terrivel | absurdo | absurda | reclamacao | reclamar | reclamando
        nao gostei | muito ruim | ruim demais | (?:uma )?vergonha | descaso | falta de respeito | lixo
        porcaria | insatisfeit[oa] | decepcionad[oa] | decepcao
        ninguem (?:me )?(?:responde|respondeu|resolve|resolveu|atende|atendeu) | propaganda enganosa
        enganad[oa] | procon | reclame aqui | terrible | awful | horrible | unacceptable | disappoint(?:ed|ing)
        worst | complain | complaint | very bad | so bad | ridiculous | disgrace | rip ?off | scam
        nobody (?:answers|answered|helps|responds) | unhappy | dissatisfied | a joke
        """,
    ),
    "frustrated": _intent(
        r"""
        (?:esta |fica |ficou |parece |soa |demonstra |mostra )?(?:irritad[oa]|frustrad[oa]|brav[oa]|nervos[oa]|
          com raiva|impaciente|chatead[oa]|frustracao|irritacao)
        perde a paciencia | xinga | ofende | reclama muito
        (?:is |are |sounds? |seems? |gets? |becomes? )?(?:frustrated|angry|upset|annoyed|mad|impatient|furious|
          irritated)
        frustration | anger | swears | loses? patience
        """,
        r"""
        irritad[oa] | irritante | frustrad[oa] | frustrante | nao aguento(?: mais)? | cansei | cansad[oa] d\w+
        to de saco cheio | saco cheio | que saco | ja (?:falei|disse|respondi|expliquei|mandei|pedi)~1
        pela (?:segunda|terceira|quarta|decima|milesima) vez | quantas vezes | palhacada | inferno | droga
        merda | porra | caramba | puta | que raiva | raiva | paciencia | absurdo | absurda | vergonha | descaso
        falta de respeito | nao e possivel | ridicul[oa] | de novo isso | frustrated | frustrating | annoyed
        annoying | angry | furious | fed up | sick of | tired of | already (?:told|said|answered|asked)~1
        how many times | ridiculous | damn | wtf | bullshit | useless | waste of time | unacceptable
        unbelievable | for the (?:second|third|tenth|hundredth) time | are you kidding(?: me)? | come on
        """,
    ),
    "expensive": _intent(
        r"""
        (?:acha|achou|diz que esta|diz que e|considera|reclama que e)~1 caro
        (?:reclama|objecao|objeta)~2 (?:preco|valor|custo) | caro | preco alto
        (?:finds?|thinks?|says?)~3 (?:expensive|too much) | expensive | can not afford | price objection
        complains about the price
        """,
        r"""
        car[oa] | carissim[oa] | salgado | puxado | fora do (?:meu )?orcamento
        pesad[oa] (?:no|para o) (?:bolso|meu) | nao (?:tenho|temos) (?:esse|tanto) dinheiro | muito alto
        preco alto | acima do que | pesou | expensive | too much(?: money)? | can not afford
        out of (?:my |our )?budget | over (?:my |our )?budget | pricey | steep | too high
        nao cabe no(?: meu)? (?:bolso|orcamento)
        """,
    ),
    "doubt": _intent(
        r"""
        (?:tem|tem uma|tem alguma|com|tira|tirar|faz)~1 (?:duvida|duvidas|pergunta|perguntas) | duvida | duvidas
        faz pergunta | pergunta algo | pergunta alguma coisa | (?:has|asks?)~2 (?:question|questions|doubts?)
        questions?
        """,
        r"""
        duvidas? | uma pergunta | perguntinha | perguntar uma coisa | nao entendi | question | questions
        quick question | i do not understand | tirar uma duvida | me explica | como assim
        """,
        70,
    ),
    "greets": _intent(
        r"""
        cumprimenta | cumprimentar | sauda | saudacao | (?:da|manda|diz|fala) (?:um )?(?:oi|ola|bom dia)
        greets? | greeting | says? (?:hello|hi) | oi | ola | hello | hi
        """,
        r"""
        oi | ola | opa | e ai | eai | bom dia | boa tarde | boa noite | hello | hi | hey
        good (?:morning|afternoon|evening) | salve | alo | oie | oii
        """,
    ),
    "thanks": _intent(
        r"""
        agradece | agradecer | agradeceu | agradecimento | thanks | (?:says? )?thank you | is grateful
        """,
        r"""
        obrigado | agradeco | valeu | grato | grata | gratidao | thanks | thank you | thankful
        much appreciated | cheers
        """,
    ),
    "leaves": _intent(
        r"""
        se despede | despede | despedir | despedida | (?:da|diz) tchau | tchau | encerra a conversa
        says? (?:goodbye|bye) | goodbye | ends? the conversation
        """,
        r"""
        tchau | ate (?:mais|logo|amanha|breve|a proxima) | falou | abracos? | adeus | bye | goodbye | see you
        take care | bom fim de semana | have a (?:nice|good|great) (?:day|one|weekend)
        """,
    ),
    "competitor": _intent(
        r"""
        (?:cita|menciona|fala de|compara com|fala da|citou|mencionou|comenta)~3 (?:concorrente|concorrentes|
          concorrencia|outro fornecedor|outra empresa)
        concorrentes? | concorrencia | outro fornecedor
        (?:mentions?|names?|compares?~1 (?:with|to)|talks? about)~2 (?:competitors?|another (?:vendor|company|
          supplier|provider))
        competitors?
        """,
        r"""
        concorrentes? | concorrencia | outr[oa] (?:fornecedor|empresa|marca|loja|proposta|orcamento)
        (?:cobra|cobram|faz|fazem|oferece|vende)~2 (?:metade|mais barato|menos|por menos|melhor)
        mais barato (?:na|no|em|com)
        (?:ja uso|ja usamos|uso|usamos|trabalho com|fechei com|fechamos com|contratei|cotei com|cotando com|
          orcando com|proposta d[ao]|orcamento d[ao]|vi na|vi no|comparando com|em relacao a|melhor que [oa]|
          diferenca (?:de voces )?para [oa]) (?!voces)\w+
        competitors? | (?:another|other|different) (?:vendor|company|supplier|provider|quote|offer)
        (?:charges?|offers?|sells?|does)~2 (?:half|less|cheaper) | cheaper (?:at|with|from|than)
        n[ao] \w+(?: esta| ta| e| sai| fica)?~1 mais (?:barat[oa]|em conta|vantajos[oa])
        (?:already|currently) (?:use|using|with|work with) \w+ | (?:quote|offer|proposal) from \w+
        compared? (?:to|with) \w+ | better than \w+ | switch(?:ing)? from \w+
        """,
    ),
    "later": _intent(
        r"""
        (?:pede|quer|prefere)~4 (?:depois|mais tarde|outra hora|outro dia|outro momento)
        (?:esta |ta )?ocupad[oa] | sem tempo | nao pode falar agora | (?:asks?|wants?)~5 later | is busy | busy
        adia | adiar
        """,
        r"""
        (?:mais tarde|outra hora|outro dia|outro momento|depois (?:eu )?(?:falo|vejo|respondo|te|a gente|falamos|
          conversamos|volto)|(?:falamos|falar|fala|respondo|vejo|chama|liga|volto|retorno) (?:\w+ )?depois)~1
        agora nao (?:posso|da|consigo) | nao posso (?:falar )?agora
        (?:to|estou) (?:muito |meio )?(?:ocupad[oa]|dirigindo|em reuniao|no trabalho|trabalhando|correndo|sem tempo)
        sem tempo | amanha (?:eu )?(?:falo|te|vejo|respondo) | later | another time | some other time
        i am busy | busy (?:right )?now | not (?:right )?now | not a good time | in a meeting | can not talk
        get back to you | (?:talk|call|text|write|message)~2 tomorrow
        """,
    ),
    "corrects": _intent(
        r"""
        corrige | corrigir | correcao | (?:diz que )?(?:esta|tem algo|ha algo) errad[oa] | corrects?
        correction | (?:says? )?(?:it is|something is|that is) wrong
        """,
        r"""
        errad[oa] | errei | na verdade | nao e isso | nao e bem isso | quis dizer | me enganei | incorret[oa]
        corrigi\w+ | correcao | wrong | incorrect | not right | actually | i meant | my mistake | correction
        nao (?:esta |ta )?(?:certo|correto)
        not correct | no caso (?:e|sao|somos) | (?:^)(?:muda|troca|altera|arruma|ajusta|corrige|corrija|mude|troque|
          altere|change|fix|correct|update) | (?:want|need|like|have|let me|can you|can i|please)~1 (?:change|correct|
          fix|update|edit|adjust)
        (?:quero|queria|preciso|gostaria de|vou|pode|poderia|da para|tem que|posso|falta) (?:mudar|trocar|alterar|
          arrumar|ajustar|atualizar|acertar|consertar|editar|refazer)
        (?:^)nao , (?!obrigad|valeu|thanks)(?:\w+ (?:, )?){0,8}(?:e|eh|sao|somos|sou|era|eram|temos|tem|chama|chamo) \w+
        (?:^)no , (?!thanks|thank)(?:\w+ (?:, )?){0,8}(?:is|are|am|have|has|called) \w+
        """,
    ),
    "troubled": _intent(
        r"""
        (?:tem|relata|avisa|conta)~2 problema | (?:has|reports?)~2 problem
        """,
        r"""
        (?:nao|nunca|nem) (?:me |foi |veio )?(?:chegou|chegaram|recebi|recebemos|entregue|entregaram|funciona|
          funcionou|funcionando|veio|vieram|abre|liga) | atras(?:ou|ado|ada|ados|adas|aram)
        (?:veio|chegou|vieram|chegaram)~1 (?:errad[oa]s?|quebrad[oa]s?|rasgad[oa]s?|faltando|estragad[oa]s?|sem|
          amassad[oa]s?|podres?|trocad[oa]s?)
        quebrou | estragou | estragad[oa]s? | rasgou | travou | sumiu | parou de \w+ | deu (?:errado|ruim|problema|erro)
        (?:not|never|has not|did not|have not)~1 (?:arrived|arrive|come|came|received|receive|work|working|worked)
        broke | broken | damaged | missing | (?:is|was|are) late | went wrong | stopped working
        """,
    ),
    "solved": _intent(
        r"""
        (?:voltou|volta|voltar)(?: a (?:funcionar|andar))? | (?:foi |esta |ficou )?(?:resolvid[oa]|resolveu) | deu certo
        (?:is |was |got )?(?:solved|fixed|resolved) | works? again | is back
        """,
        r"""
        (?<!nao )(?<!nem )(?<!nunca )(?:voltou|funcionou|resolveu|resolvido|resolvida|consegui|deu certo|normalizou)
        (?<!nao )(?:ta|esta|tudo) (?:funcionando|normal|resolvido) | (?<!not )(?:works|working) (?:now|again|fine)
        (?:it|that) (?:works|worked) | (?<!not )(?<!not been )(?:fixed|solved|resolved)
        (?:is|are) back(?: up| online)?(?=$| ,| now| thank)
        """,
    ),
    "indifferent": _intent(
        r"""
        tanto faz | nao tem preferencia | indiferente | does not care | no preference
        """,
        r"""
        tanto faz | qualquer (?:um|uma|dia|hora|horario|coisa|lugar|opcao)
        (?:voce|voces) (?:escolhe|decide|que sabe)\w*
        (?:sem|nao tenho) preferencia | indiferente | whatever | (?:any|either)(?: one| day| time| of them)? (?:is fine|
          works|will do) | any (?:day|time|one) | you (?:choose|pick|decide) | do not (?:care|mind) | no preference
        """,
    ),
    "waits": _intent(
        r"""
        (?:diz que )?(?:vai|pode) (?:esperar|aguardar) | aguarda | espera | waits? | will wait
        """,
        r"""
        (?:vou|vamos|posso|fico|estou|to) (?:te |ai |ja |no |na )?(?:esperar|esperando|espera|aguardar|aguardando|
          aguardo|aguarde) | (?:fico|estou|to) (?:no aguardo|a espera) | no aguardo | eu (?:espero|aguardo)
        (?:^)(?:aguardo|espero)(?=$| ,) | sem pressa | i (?:will|can) wait | i am waiting | will be waiting
        (?:no|not in a) (?:rush|hurry) | take your time | looking forward
        """,
    ),
    "laughs": _intent(
        r"""
        ri | da risada | laughs
        """,
        r"""
        k | kk | rs | rsrs | rsrsrs | haha | hahaha | hehe | lol | lmao | ahaha
        """,
    ),
}
"""`agrees` and `denies` are shown by what `answers` reads, not by a pattern."""


def shows(message: Message, *names: str) -> bool:
    """Whether a cue of one of the intents stands in the message."""
    return any(INTENTS[name].shown.search(message.normal) for name in names)
