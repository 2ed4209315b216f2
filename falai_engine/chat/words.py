"""Everything the chat says of its own, in English and Portuguese."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from falai_engine.records.outcomes import CODE_MESSAGES, Code, SkipCode

__all__ = ["CODES_IN_PORTUGUESE", "SENTENCES", "Language", "code_sentence", "language_of", "say"]

Language: TypeAlias = Literal["en", "pt"]

SENTENCES: Final[Mapping[str, Mapping[Language, str]]] = {
    "opening": {
        "en": "You are the customer of {0}. The offline provider answers, which is no model. /help lists the commands.",
        "pt": "Você é o cliente de {0}. Responde o provedor offline, que não é um modelo. /help lista os comandos.",
    },
    "agent": {"en": "the agent", "pt": "o agente"},
    "you": {"en": "you> ", "pt": "você> "},
    "bye": {"en": "The conversation ends here.", "pt": "A conversa termina aqui."},
    "interrupted": {
        "en": "Interrupted, and nothing was kept. Write on, or leave with /quit or Ctrl-D.",
        "pt": "Interrompido, e nada foi guardado. Continue a escrever, ou saia com /quit ou Ctrl-D.",
    },
    "help": {
        "en": (
            "Whatever does not begin with / is a message of the customer; // sends one that does.\n"
            "/wake                    move the clock to the next wake and bring it\n"
            "/event NAME {...}        an event happens, with a JSON payload if you like\n"
            "/start FLOW {...}        start a flow, with a JSON input if you like\n"
            "/silence REASON          the assistant may not speak; /silence alone lifts it\n"
            "/context {...}           what the host knows, for {{context.x}}; alone takes it away\n"
            "/state                   runs, data, claims and wakes\n"
            "/help                    this list\n"
            "/quit                    leave (or Ctrl-D)"
        ),
        "pt": (
            "O que não começa com / é uma mensagem do cliente; // envia uma que começa.\n"
            "/wake                    avança o relógio até a próxima espera e a conclui\n"
            "/event NOME {...}        um evento acontece, com dados em JSON se quiser\n"
            "/start FLUXO {...}       inicia um fluxo, com dados em JSON se quiser\n"
            "/silence MOTIVO          o assistente não pode falar; /silence sozinho libera\n"
            "/context {...}           o que o sistema sabe, para {{context.x}}; sozinho retira\n"
            "/state                   execuções, dados, registros e esperas\n"
            "/help                    esta lista\n"
            "/quit                    sai (ou Ctrl-D)"
        ),
    },
    # commands
    "unknown_command": {
        "en": "There is no command {0}. /help lists them; to send this as a message, write /{0}",
        "pt": "O comando {0} não existe. /help lista os comandos; para enviar como mensagem, escreva /{0}",
    },
    "no_name": {"en": "Say which one: {0}. There are: {1}.", "pt": "Diga qual: {0}. Existem: {1}."},
    "unknown_name": {
        "en": "There is no {0} here, so nothing happened. There are: {1}.",
        "pt": "Aqui não existe {0}, então nada aconteceu. Existem: {1}.",
    },
    "none": {"en": "none", "pt": "nenhum"},
    "bad_json": {
        "en": "What follows is not JSON ({0}), so nothing happened. Write it like this: {1}",
        "pt": "O que vem depois não é JSON ({0}), então nada aconteceu. Escreva assim: {1}",
    },
    "takes_nothing": {
        "en": "{0} takes nothing after it, so nothing happened.",
        "pt": "{0} não leva nada depois, então nada aconteceu.",
    },
    "no_wake": {"en": "Nothing waits for a time.", "pt": "Nada espera por um horário."},
    "silenced": {
        "en": "From now on the assistant may not speak: {0}.",
        "pt": "A partir de agora o assistente não pode falar: {0}.",
    },
    "may_speak": {"en": "The assistant may speak.", "pt": "O assistente pode falar."},
    "context_set": {"en": "The context is set.", "pt": "O contexto foi definido."},
    "context_gone": {"en": "There is no context now.", "pt": "Agora não há contexto."},
    # a turn
    "clock": {"en": "[{0}]", "pt": "[{0}]"},
    "after": {"en": "(after {0})", "pt": "(depois de {0})"},
    "media": {"en": "[with {0}]", "pt": "[com {0}]"},
    "nothing_said": {"en": "Nothing was said.", "pt": "Nada foi dito."},
    "nothing_came": {"en": "Nothing came of it.", "pt": "Nada resultou disso."},
    "turn_failed": {
        "en": "The turn failed and nothing of it was kept: {0}",
        "pt": "O turno falhou e nada dele foi guardado: {0}",
    },
    "input_failed": {"en": "That did not work: {0}", "pt": "Isso não funcionou: {0}"},
    "started": {"en": "{0} starts.", "pt": "{0} começa."},
    "not_started": {"en": "{0} does not start. {1}", "pt": "{0} não começa. {1}"},
    "ended_end": {"en": "{0} has come to its end.", "pt": "{0} chegou ao fim."},
    "ended_reset": {"en": "{0} begins anew.", "pt": "{0} recomeça."},
    "ended_flow": {"en": "{0} hands over to another flow.", "pt": "{0} passa para outro fluxo."},
    "ended_replaced": {"en": "{0} gives way to a newer start.", "pt": "{0} dá lugar a um início mais novo."},
    "ended_skipped": {"en": "{0} is over without its end.", "pt": "{0} acabou sem chegar ao fim."},
    "ended_failed": {"en": "{0} has failed.", "pt": "{0} falhou."},
    "performed": {"en": "{0} {1} gave {2}", "pt": "{0} {1} respondeu {2}"},
    "data": {"en": "Data: {0}", "pt": "Dados: {0}"},
    "forgotten": {"en": "{0} forgotten", "pt": "{0} (apagado)"},
    "waits": {"en": "Waits: {0}", "pt": "Esperas: {0}"},
    "stand_in_action": {
        "en": "The action {0} is not registered here, so it answers ok (--registry brings Python ones).",
        "pt": "A ação {0} não está registrada aqui, então responde ok (--registry traz as de Python).",
    },
    "stand_in_tool": {
        "en": 'The tool {0} is not registered here, so it answers {{"ok": true}} (--registry brings Python ones).',
        "pt": 'A ferramenta {0} não está registrada aqui e responde {{"ok": true}} (--registry traz as de Python).',
    },
    "stand_in_condition": {
        "en": "The condition {0} is not registered here, so it holds where its argument is true, and nowhere else.",
        "pt": "A condição {0} não está registrada aqui, então vale onde seu argumento é true, e em nenhum outro lugar.",
    },
    # outcome lines without a code
    "talk_ok": {"en": "The model spoke.", "pt": "O modelo falou."},
    "talk_done": {"en": "Nothing is left to ask.", "pt": "Não falta perguntar nada."},
    "say_ok": {"en": "The fixed text was sent.", "pt": "O texto fixo foi enviado."},
    "do_ok": {"en": "The action ran.", "pt": "A ação foi executada."},
    "wait_waiting": {"en": "A wait begins.", "pt": "Uma espera começa."},
    "if_ok": {"en": "The fork was decided.", "pt": "O desvio foi decidido."},
    "idle_ok": {"en": "The model answered outside of any flow.", "pt": "O modelo respondeu fora de qualquer fluxo."},
    "until": {"en": "until {0}", "pt": "até {0}"},
    "next_step": {"en": "next {0}", "pt": "segue em {0}"},
    "next_end": {"en": "next the end", "pt": "segue para o fim"},
    "next_flow": {"en": "next the flow {0}", "pt": "segue no fluxo {0}"},
    "in_time": {"en": "in {0}, at {1}", "pt": "em {0}, às {1}"},
    "overdue": {"en": "due since {0}", "pt": "vencida desde {0}"},
    "of_silence": {"en": "{0} (silence)", "pt": "{0} (silêncio)"},
    "of_event": {"en": "{0} (event {1})", "pt": "{0} (evento {1})"},
    # the state
    "state_time": {"en": "Time: {0}", "pt": "Horário: {0}"},
    "state_silenced": {"en": "Silenced: {0}", "pt": "Silenciado: {0}"},
    "state_runs": {"en": "Runs:", "pt": "Execuções:"},
    "state_data": {"en": "Data:", "pt": "Dados:"},
    "state_claims": {
        "en": "Claims (starts that happened, and when):",
        "pt": "Registros (inícios que houve, e quando):",
    },
    "state_wakes": {"en": "Wakes:", "pt": "Esperas:"},
    "state_none": {"en": "none", "pt": "nada"},
    "run_at": {"en": "{0}, at {1}, {2}", "pt": "{0}, em {1}, {2}"},
    "run_new": {"en": "{0}, before its first step, {1}", "pt": "{0}, antes do primeiro passo, {1}"},
    "run_asked": {"en": "asked {0}", "pt": "perguntou {0}"},
    "status_running": {"en": "running", "pt": "em andamento"},
    "status_asking": {"en": "asking", "pt": "perguntando"},
    "status_staying": {"en": "staying", "pt": "à disposição"},
    "status_waiting": {"en": "waiting", "pt": "esperando"},
    "status_suspended": {"en": "suspended", "pt": "suspenso"},
    # the scenario
    "scenario_saved": {
        "en": "Kept as a scenario in {0}; running it gives the same.",
        "pt": "Guardado como cenário em {0}; ao ser rodado dá o mesmo.",
    },
    "scenario_differs": {
        "en": "Kept as a scenario in {0}, but running it differs at {1}",
        "pt": "Guardado como cenário em {0}, mas ao ser rodado difere em {1}",
    },
    "scenario_empty": {
        "en": "Nothing happened, so there is no scenario to keep.",
        "pt": "Nada aconteceu, então não há cenário a guardar.",
    },
    "scenario_unwritten": {"en": "The scenario could not be written: {0}", "pt": "O cenário não pôde ser gravado: {0}"},
}

CODES_IN_PORTUGUESE: Final[Mapping[str, str]] = {
    Code.ACTION_DEFERRED: "A ação pediu para ser executada de novo mais tarde.",
    Code.ACTION_FAILED: "A ação falhou.",
    Code.ACTION_SKIPPED: "A ação não tinha o que fazer.",
    Code.ALREADY_KNOWN: "Tudo o que este passo pergunta já era conhecido.",
    Code.ALREADY_SENT: "Esta mensagem sai uma vez por conversa, e já saiu.",
    Code.ANOTHER_REPLY: "Outro fluxo respondeu a esta mensagem, então este passo espera pela próxima.",
    Code.ASKED_FIXED: "A pergunta fixa foi feita palavra por palavra.",
    Code.AWAITING_EVENT: "À espera do evento.",
    Code.AWAITING_TRIGGER: "À espera do prazo do gatilho antes do primeiro passo.",
    Code.BAD_VALUE: "O valor não serve para o tipo do campo e foi descartado.",
    Code.BRANCH: "Um desvio do passo valeu.",
    Code.CUSTOMER_REPLIED: "O cliente escreveu nesse meio-tempo, então o lembrete foi cancelado.",
    Code.DUPLICATE_INPUT: "Uma mensagem com este id já foi tratada.",
    Code.EVENT_ARRIVED: "O evento chegou.",
    Code.FLOW_GONE: "O fluxo não faz mais parte do agente.",
    Code.INLINE_DELAY: "Uma pequena pausa antes da próxima mensagem.",
    Code.MAX_ASKS: "O campo foi perguntado quantas vezes era permitido e fica em aberto.",
    Code.NO_EVENT: "O evento não chegou a tempo.",
    Code.NO_REPLY: "O prazo acabou sem resposta.",
    Code.NO_SESSION: "Não há conversa para esta espera.",
    Code.NOT_IN_ENUM: "O valor não é uma das opções do campo e foi descartado.",
    Code.PREMISE_CHANGED: "Aquilo que motivou o fluxo não vale mais.",
    Code.PROVIDER_AUTH: "O provedor do modelo recusou as credenciais.",
    Code.PROVIDER_CONTEXT: "A conversa é longa demais para o modelo.",
    Code.PROVIDER_INVALID: "O provedor do modelo recusou o pedido.",
    Code.PROVIDER_QUOTA: "A cota do provedor do modelo acabou.",
    Code.PROVIDER_UNAVAILABLE: "O modelo não deu uma resposta utilizável.",
    Code.REPLIED: "O cliente respondeu.",
    Code.SILENCE_BROKEN: "O cliente escreveu, ou algo foi enviado, desde que esta espera foi marcada.",
    Code.SILENCED: "O assistente não pode falar agora.",
    Code.STALE_WAKE: "Nenhuma execução espera mais por este horário.",
    Code.STEP_GONE: "O passo não faz mais parte do fluxo.",
    Code.STEP_LOOP: "Os passos deram voltas sem chegar ao fim.",
    Code.UNKNOWN_FIELD: "O agente não tem um campo com este nome.",
    SkipCode.ALREADY_CLAIMED: "O fluxo já aconteceu para esta conversa.",
    SkipCode.ALREADY_RUNNING: "O fluxo já está em andamento para esta conversa.",
    SkipCode.COOLDOWN: "O fluxo aconteceu para esta conversa há pouco tempo.",
    SkipCode.HOP_LIMIT: "Fluxos demais iniciaram uns aos outros em seguida.",
}
"""The sentences of CODE_MESSAGES; `flow-gone` is a code of both tables."""


def language_of(locale: object) -> Language:
    """Portuguese for an agent whose locale is Portuguese, else English."""
    return "pt" if isinstance(locale, str) and locale.strip().lower().startswith("pt") else "en"


def say(language: Language, key: str, *values: object) -> str:
    """A sentence with its values in place."""
    return SENTENCES[key][language].format(*values) if values else SENTENCES[key][language]


def code_sentence(language: Language, code: str) -> str:
    """The sentence for a code; a host's own code stands for itself."""
    table = CODE_MESSAGES if language == "en" else CODES_IN_PORTUGUESE
    return table.get(code, code)
