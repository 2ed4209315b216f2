"""Common given names, surnames that follow a particle, places, and words that never are a name; folded."""

from __future__ import annotations

from falai_engine.providers.offline.lexicon import INTERJECTIONS, word_set

__all__ = ["BUSINESSES", "GIVEN_NAMES", "NOT_NAMES", "PLACES", "SURNAMES"]

GIVEN_NAMES = word_set(
    "ana maria joao jose antonio francisco carlos paulo pedro lucas luiz luis marcos gabriel rafael daniel marcelo "
    "bruno eduardo felipe rodrigo manoel mateus matheus andre fernando fabio leonardo gustavo guilherme leandro "
    "tiago thiago anderson ricardo marcio jorge alexandre roberto edson diego vitor victor sergio claudio geraldo "
    "adriano luciano julio renato alex vinicius rogerio samuel ronaldo mario flavio douglas igor davi jeferson "
    "cicero caio henrique otavio arthur miguel bernardo heitor enzo nicolas murilo danilo cesar vicente conrado hugo "
    "ivan raul renan mauricio wagner wellington juliana marcia fernanda patricia aline sandra camila amanda bruna "
    "jessica leticia julia luciana vanessa mariana gabriela vera vitoria larissa claudia beatriz bia rita luana "
    "sonia renata eliane josefa simone natalia cristiane carla debora rosangela jaqueline rosa daniela marlene "
    "raimunda andreia fabiana helena sofia alice laura manuela isabela isabella cecilia eloa livia lorena clara "
    "carolina carol paula tatiana priscila bianca viviane silvia monica regina elaine ines joana catarina raquel "
    "sara sarah john james robert michael william david richard joseph thomas charles chris christopher matthew "
    "anthony mark steven paul andrew joshua kenneth kevin brian george edward ronald timothy jason jeffrey ryan "
    "jacob gary nick nicholas eric jonathan stephen larry justin scott brandon benjamin ben sam frank greg raymond "
    "jack dennis jerry tyler aaron henry peter adam noah mary jennifer linda elizabeth barbara susan karen lisa "
    "nancy betty margaret ashley kimberly emily donna michelle melissa deborah stephanie rebecca sharon cynthia "
    "kathleen amy angela shirley anna brenda pamela emma nicole samantha kate katherine christine rachel jane olivia "
    "hannah grace megan lucy ellen tom mike dave bob jim joe steve dan matt tony kim ze duda edu gabi rafa lu nando "
    "fe juca beto guto leo lia tina gil rui nuno tomas"
)

SURNAMES = word_set(
    "silva santos souza sousa oliveira pereira lima ferreira costa rodrigues almeida nascimento alves carvalho "
    "araujo ribeiro barbosa barros cardoso rocha dias monteiro mendes freitas moreira cruz cunha fonseca mota motta "
    "veiga gama paz graca luz conceicao anjos neves reis campos jesus moraes morais castro andrade ramos nunes "
    "teixeira correia correa melo mello azevedo macedo miranda pinto lopes gomes martins vieira marques machado "
    "batista duarte borges rosa aguiar medeiros carmo penha assis paula paiva siqueira matos mattos franca camargo "
    "pinheiro tavares coelho farias vasconcelos sa faria guimaraes smith johnson williams brown jones garcia miller "
    "davis martinez anderson taylor moore jackson martin lee thompson white harris clark lewis robinson walker hall "
    "young allen king wright hill green adams baker nelson mitchell roberts turner"
)

_PLACES = (
    "sao paulo|rio de janeiro|belo horizonte|porto alegre|curitiba|salvador|recife|fortaleza|brasilia|manaus|belem|"
    "goiania|campinas|florianopolis|vitoria|natal|joao pessoa|maceio|aracaju|teresina|sao luis|cuiaba|campo grande|"
    "palmas|porto velho|rio branco|macapa|boa vista|guarulhos|osasco|santo andre|sao bernardo do campo|santos|"
    "sorocaba|ribeirao preto|uberlandia|juiz de fora|londrina|maringa|joinville|blumenau|caxias do sul|niteroi|sao "
    "jose dos campos|piracicaba|jundiai|bauru|contagem|lisboa|porto|braga|coimbra|sp|rj|mg|bh|minas gerais|minas|"
    "bahia|parana|santa catarina|goias|ceara|pernambuco|brasil|brazil|portugal|new york|los angeles|chicago|houston|"
    "boston|san francisco|seattle|miami|austin|dallas|denver|atlanta|london|manchester|dublin|toronto|vancouver|"
    "sydney|melbourne|paris|berlin|madrid|lisbon|texas|california|florida|canada|england|ireland"
)
PLACES = tuple(_PLACES.split("|"))

BUSINESSES = word_set(
    "padaria lanchonete restaurante loja lojinha mercado mercadinho supermercado farmacia oficina salao clinica escola "
    "academia bar boteco cafe cafeteria hotel pousada pizzaria hamburgueria sorveteria confeitaria acougue hortifruti "
    "papelaria livraria barbearia consultorio escritorio imobiliaria construtora transportadora distribuidora fabrica "
    "industria agencia startup floricultura otica joalheria petshop lavanderia autoescola creche igreja ong mercearia "
    "quitanda peixaria bakery restaurant shop store market pharmacy garage salon clinic school gym pub hotel pizzeria "
    "butcher bookshop bookstore barbershop office factory agency laundry nursery church charity roupas comida comidas "
    "doces bolos salgados moveis calcados sapatos eletronicos cosmeticos bebidas clothes food cakes shoes furniture"
)
"""What a business is or sells: said alone, it is that, and nobody's name."""

NOT_NAMES = INTERJECTIONS | word_set(
    "de da do das dos e a o as os um uma em no na com para por que se mas ou eu voce ele ela nos meu minha seu sua "
    "este esta isso quero queria preciso gostaria tenho temos trabalho falo moro estou tou to sou somos era fui vou "
    "vim vi sei acho posso cliente novo nova dono dona gerente diretor diretora socio socia advogado advogada medico "
    "medica professor professora estudante aluno aluna vendedor vendedora empresario empresaria autonomo autonoma "
    "representante responsavel proprietario proprietaria funcionario funcionaria analista consultor consultora "
    "engenheiro engenheira arquiteto dentista coordenador coordenadora supervisor ceo cto cfo fundador fundadora "
    "assistente secretaria atendente favor brasileiro brasileira contra solteiro casado casada solteira maior menor "
    "mesmo mesma ainda muito mais so tambem aqui ali la ai hoje amanha agora sim nao claro ok certo certeza beleza "
    "oi ola bom boa dia tarde noite tudo bem obrigado valeu nada ninguem alguem interessado interessada aposentado "
    "aposentada formado desempregado morador moradora assinante usuario usuaria tecnico empresa loja companhia "
    "equipe time site email telefone numero nome whatsapp pessoa fisica juridica mei pj an the in at from with of "
    "and or but for not just very really still also here there looking interested calling writing trying sorry fine "
    "good great happy glad well okay ready sure new afraid done back busy going having getting wondering hoping "
    "thinking planning working using struggling waiting based located your you my we they it he she this that "
    "customer client manager owner director founder student teacher developer engineer lawyer doctor nurse designer "
    "unable able confused frustrated angry upset tired lost stuck curious only about all always already currently "
    "actually name company want need would like have has am is are was be does can could will please thanks thank "
    "yes nope yeah hello hi hey later now today tomorrow what how when where who why which pode chamar anota anotar "
    "outro outra quem somente apenas porem entao tipo assim onde quando como qual quanto falando respondo atendo "
    "compro uso cuido"
)
"""Words after "sou", "I'm" that say something else than who one is, and where a name stops."""
