"""Every sentence that the offline provider says of its own, in Portuguese and English."""

from __future__ import annotations

from typing import Final

from falai_engine.providers.offline.language import Language

__all__ = ["FIELD_QUESTIONS", "SENTENCES", "say"]

SENTENCES: Final[dict[str, dict[Language, str]]] = {
    "hello": {"pt": "Olá!", "en": "Hello!"},
    "this_is": {"pt": "Aqui é {0}.", "en": "This is {0}."},
    "hi": {"pt": "Oi!", "en": "Hi!"},
    "good_morning": {"pt": "Bom dia!", "en": "Good morning!"},
    "good_afternoon": {"pt": "Boa tarde!", "en": "Good afternoon!"},
    "good_evening": {"pt": "Boa noite!", "en": "Good evening!"},
    "thanks_name": {"pt": "Obrigado, {0}!", "en": "Thank you, {0}!"},
    "noted_value": {"pt": "Anotado: {0}.", "en": "Noted: {0}."},
    "noted": {"pt": "Anotado, obrigado!", "en": "Noted, thank you!"},
    "all_noted": {"pt": "Perfeito, está tudo anotado.", "en": "Perfect, I have everything noted."},
    "confirmed": {"pt": "Ótimo, obrigado por confirmar!", "en": "Great, thank you for confirming!"},
    "denied": {"pt": "Entendi, obrigado por avisar.", "en": "Understood, thank you for telling me."},
    "not_understood": {"pt": "Desculpe, não entendi bem.", "en": "Sorry, I did not quite get that."},
    "again": {"pt": "Só para eu seguir:", "en": "Just so that I can go on:"},
    "resume": {"pt": "Retomando a nossa conversa:", "en": "Back to our conversation:"},
    "no_problem": {
        "pt": "Tudo bem, sem problema. Se puder me dizer depois:",
        "en": "That is fine. If you can tell me later:",
    },
    "insistence": {
        "pt": "Desculpe a insistência. Se puder me dizer:",
        "en": "Sorry for asking again. If you can tell me:",
    },
    "whichever": {"pt": "Pode ser o que for melhor para você:", "en": "Whichever suits you best:"},
    "estimate": {"pt": "Sem pressa, pode ser uma ideia aproximada:", "en": "No rush, a rough idea is enough:"},
    "later_answer": {
        "pt": "Sobre isso ainda não tenho a resposta aqui. Enquanto isso:",
        "en": "I have no answer to that here yet. Meanwhile:",
    },
    "options": {"pt": "Opções: {0}.", "en": "Options: {0}."},
    "or": {"pt": "ou", "en": "or"},
    "and": {"pt": "E {0}", "en": "And {0}"},
    "summary": {"pt": "Só para confirmar: {0}.", "en": "Just to confirm: {0}."},
    "is_it_right": {"pt": "Está certo?", "en": "Is that right?"},
    "can_you_tell": {"pt": "Pode me informar {0}?", "en": "Could you tell me {0}?"},
    "how_help": {"pt": "Como posso ajudar?", "en": "How can I help?"},
    "understood": {"pt": "Entendi.", "en": "I see."},
    "cannot": {
        "pt": "Entendi. Ainda não consigo cuidar disso por aqui.",
        "en": "I see. I cannot take care of that here yet.",
    },
    "anything_else": {"pt": "Posso ajudar em mais alguma coisa?", "en": "Is there anything else I can help with?"},
    "welcome": {
        "pt": "De nada! Se precisar de mais alguma coisa, é só chamar.",
        "en": "You are welcome! Just write if you need anything else.",
    },
    "all_right": {
        "pt": "Combinado! Se precisar de mais alguma coisa, é só chamar.",
        "en": "All right! Just write if you need anything else.",
    },
    "bye": {"pt": "Até logo!", "en": "Goodbye!"},
    "sorry": {
        "pt": "Sinto muito por isso. Pode me contar o que aconteceu?",
        "en": "I am sorry about that. Could you tell me what happened?",
    },
    "human": {"pt": "Entendi, você prefere falar com uma pessoa.", "en": "I see, you would rather talk to a person."},
    "no_answer": {
        "pt": "Boa pergunta! Ainda não tenho essa resposta aqui.",
        "en": "Good question! I do not have that answer here yet.",
    },
    "fine": {"pt": "Tudo bem, sem problema.", "en": "All right, no problem."},
    "what_to_know": {"pt": "Claro! O que você gostaria de saber?", "en": "Of course! What would you like to know?"},
    "what_about": {
        "pt": "Claro! O que você gostaria de saber sobre {0}?",
        "en": "Of course! What would you like to know about {0}?",
    },
    "continue": {"pt": "Oi! Podemos continuar de onde paramos?", "en": "Hi! Shall we go on from where we stopped?"},
    "thank": {"pt": "Muito obrigado!", "en": "Thank you very much!"},
    "thank_for": {"pt": "Obrigado {0}!", "en": "Thank you {0}!"},
    "apology": {"pt": "Pedimos desculpas.", "en": "We apologise."},
    "apology_for": {"pt": "Pedimos desculpas {0}.", "en": "We apologise {0}."},
    "offer": {"pt": "Que tal {0}?", "en": "How about {0}?"},
    "here": {"pt": "Estou aqui para ajudar.", "en": "I am here to help."},
    "will_check": {"pt": "Um momento, vou verificar.", "en": "One moment, let me check."},
    "tool_failed": {"pt": "Não consegui fazer essa consulta agora.", "en": "I could not look that up just now."},
    "found": {"pt": "Aqui está o que encontrei: {0}", "en": "Here is what I found: {0}"},
    "done": {"pt": "Pronto, está feito.", "en": "Done."},
    "yes": {"pt": "sim", "en": "yes"},
    "no": {"pt": "não", "en": "no"},
    "nothing_to_summarise": {"pt": "Conversa sem conteúdo a resumir.", "en": "Nothing in the conversation to sum up."},
    "summary_head": {"pt": "Resumo da conversa até aqui:", "en": "Summary of the conversation so far:"},
}

FIELD_QUESTIONS: Final[dict[str, dict[Language, str]]] = {
    "name": {"pt": "Qual é o seu nome?", "en": "What is your name?"},
    "company": {"pt": "Qual é o nome da sua empresa?", "en": "What is the name of your company?"},
    "email": {"pt": "Qual é o seu e-mail?", "en": "What is your e-mail address?"},
    "phone": {"pt": "Qual é o seu telefone?", "en": "What is your phone number?"},
    "url": {"pt": "Qual é o endereço do seu site?", "en": "What is the address of your site?"},
    "cpf": {"pt": "Qual é o seu CPF?", "en": "What is your CPF?"},
    "cnpj": {"pt": "Qual é o CNPJ da empresa?", "en": "What is the company's CNPJ?"},
    "zip": {"pt": "Qual é o seu CEP?", "en": "What is your zip code?"},
    "date": {"pt": "Qual data fica melhor para você?", "en": "Which date works best for you?"},
    "time": {"pt": "Qual horário fica melhor para você?", "en": "What time works best for you?"},
    "when": {"pt": "Quando fica melhor para você?", "en": "When works best for you?"},
    "place": {"pt": "De qual cidade você fala?", "en": "Which city are you in?"},
    "job": {"pt": "Qual é o seu cargo?", "en": "What is your role?"},
    "money": {"pt": "Quanto você pensa em investir?", "en": "How much are you planning to invest?"},
    "size": {"pt": "Quantas pessoas são?", "en": "How many people are you?"},
    "age": {"pt": "Qual é a sua idade?", "en": "How old are you?"},
    "competitor": {"pt": "Qual é o concorrente?", "en": "Which competitor is it?"},
}


def say(key: str, language: Language, *values: str) -> str:
    """A sentence with its values in place; values are put in as they are, braces and all."""
    sentence = SENTENCES[key][language]
    return sentence.replace("{0}", values[0]) if values else sentence
