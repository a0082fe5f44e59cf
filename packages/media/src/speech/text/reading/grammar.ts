/** A language's words for figures and signs, except those of CLDR (numbers, units, months, emoji). */
export interface Grammar {
  /** The decimal mark, the word for it, and whether the fraction is read figure by figure. */
  readonly decimal: '.' | ',';
  readonly point: string;
  readonly byDigits: boolean;
  /** Word before the unit of a price (`2 €/kg`), and names of a multiple (`3x`), by plural category as in {@link money}; `''` where neither is read. */
  readonly per: string;
  readonly times: string;
  /** Word between the ends of a range, and between the two figures of a score. */
  readonly to: string;
  readonly score: string;
  /** Word before the fraction of a mixed number: `two and a half`. */
  readonly and: string;
  /** Words for signs between or before figures. */
  readonly signs: Readonly<Record<string, string>>;
  /** Words for signs of an address, `.` to `=`. */
  readonly address: Readonly<Record<string, string>>;
  /** Common names of currencies, by plural category; `_` is the first letter of the grammatical gender, `minor` the subunit. */
  readonly money: Readonly<Record<string, string>>;
  /** Word between an amount and its subunits, and whether the subunit is named. */
  readonly moneyAnd: string;
  readonly namesCoins: boolean;
  /** Halves, thirds, … by denominator: one and many. */
  readonly parts: Readonly<Record<number, string>>;
  /** Words before or after four figures that are a year (lower case), and words before Roman numerals. */
  readonly beforeYears: string;
  readonly beforeNumerals: string;
  /** Words after a Roman ordinal: `XXI secolo`. */
  readonly afterNumerals: string;
  readonly beforePhones: string;
}

/** Reads a list of words in the order of the signs, separated by semicolons. */
function wordsOf(signs: string): (words: string) => Readonly<Record<string, string>> {
  return (words) => {
    const list = words.split(';');
    return Object.fromEntries([...signs].map((sign, index) => [sign, list[index] ?? '']));
  };
}
const signs = wordsOf('+−×÷=<>≈±√≤≥≠∞π&%‰§°²³→^~@x');
const address = wordsOf('./:@-_=&?#%+~,');

/** By language code. Currencies: `euro/euros` is one/other; Slavic ones one/few/many/other; a letter after `:` is the gender. */
export const GRAMMARS: Readonly<Record<string, Grammar>> = {
  en: {
    decimal: '.',
    per: 'per',
    times: 'times/times',
    point: 'point',
    byDigits: true,
    to: 'to',
    score: 'to',
    and: 'and',
    signs: signs(
      'plus;minus;times;divided by;equals;is less than;is greater than;is approximately;plus or minus;square root of;is at most;is at least;is not equal to;infinity;pi;and;percent;per mille;section;degrees;squared;cubed;to;to the power of;about;at;by',
    ),
    address: address('dot;slash;colon;at;dash;underscore;equals;and;question mark;hash;percent;plus;tilde;comma'),
    money: {
      USD: 'dollar/dollars',
      EUR: 'euro/euros',
      GBP: 'pound/pounds',
      JPY: 'yen/yen',
      INR: 'rupee/rupees',
      CHF: 'Swiss franc/Swiss francs',
      'minor USD': 'cent/cents',
      'minor EUR': 'cent/cents',
      'minor GBP': 'penny/pence',
      'minor INR': 'paisa/paise',
      'minor CHF': 'centime/centimes',
    },
    moneyAnd: 'and',
    namesCoins: true,
    parts: { 2: 'half/halves', 4: 'quarter/quarters' },
    beforeYears:
      'in since by until till from between year before after around during early late circa c. ca. summer winter spring autumn fall to',
    beforeNumerals:
      'chapter chapters part parts volume volumes figure page pages act scene book war phase type article section bowl class level',
    afterNumerals: 'century',
    beforePhones: 'tel tel. telephone phone call fax dial mobile',
  },
  de: {
    decimal: ',',
    per: 'pro',
    times: 'mal/mal:n',
    point: 'Komma',
    byDigits: true,
    to: 'bis',
    score: 'zu',
    and: 'ein',
    signs: signs(
      'plus;minus;mal;geteilt durch;gleich;kleiner als;größer als;ungefähr;plus minus;Wurzel aus;kleiner gleich;größer gleich;ungleich;unendlich;Pi;und;Prozent;Promille;Paragraf;Grad;Quadrat;hoch drei;nach;hoch;ungefähr;bei;mal',
    ),
    address: address(
      'Punkt;Schrägstrich;Doppelpunkt;ät;minus;Unterstrich;gleich;und;Fragezeichen;Raute;Prozent;plus;Tilde;Komma',
    ),
    money: {
      USD: 'Dollar/Dollar:m',
      EUR: 'Euro/Euro:m',
      GBP: 'Pfund/Pfund:n',
      JPY: 'Yen/Yen:m',
      CHF: 'Franken/Franken:m',
      'minor USD': 'Cent/Cent:m',
      'minor EUR': 'Cent/Cent:m',
      'minor GBP': 'Penny/Pence:m',
      'minor CHF': 'Rappen/Rappen:m',
    },
    moneyAnd: '',
    namesCoins: false,
    parts: { 2: 'halb/Halbe', 3: 'Drittel/Drittel', 7: 'Siebtel/Siebtel', 8: 'Achtel/Achtel' },
    beforeYears:
      'jahr jahre jahres seit ab von bis um vor nach anno januar februar märz april mai juni juli august september oktober november dezember sommer winter frühjahr herbst',
    beforeNumerals: 'kapitel teil band abbildung tabelle akt buch weltkrieg phase typ artikel abschnitt klasse stufe',
    afterNumerals: '',
    beforePhones: 'tel tel. telefon telefonnummer fax anrufen mobil handy unter',
  },
  fr: {
    decimal: ',',
    per: 'par',
    times: 'fois/fois:f',
    point: 'virgule',
    byDigits: false,
    to: 'à',
    score: 'à',
    and: 'et',
    signs: signs(
      'plus;moins;fois;divisé par;égale;inférieur à;supérieur à;environ;plus ou moins;racine carrée de;inférieur ou égal à;supérieur ou égal à;différent de;infini;pi;et;pour cent;pour mille;paragraphe;degrés;au carré;au cube;vers;puissance;environ;à;sur',
    ),
    address: address(
      'point;barre oblique;deux-points;arobase;tiret;tiret bas;égale;et;point d’interrogation;dièse;pour cent;plus;tilde;virgule',
    ),
    money: {
      USD: 'dollar/dollars:m',
      EUR: 'euro/euros:m',
      GBP: 'livre/livres:f',
      JPY: 'yen/yens:m',
      CHF: 'franc suisse/francs suisses:m',
      'minor USD': 'cent/cents:m',
      'minor EUR': 'centime/centimes:m',
      'minor GBP': 'penny/pence:m',
      'minor CHF': 'centime/centimes:m',
    },
    moneyAnd: '',
    namesCoins: false,
    parts: { 2: 'demi/demis', 3: 'tiers/tiers', 4: 'quart/quarts' },
    beforeYears: '',
    beforeNumerals: 'chapitre partie tome volume figure acte scène livre phase type article guerre section niveau',
    afterNumerals: '',
    beforePhones: 'tél tél. tel. téléphone fax appelez numéro',
  },
  es: {
    decimal: ',',
    per: 'por',
    times: 'vez/veces:f',
    point: 'coma',
    byDigits: false,
    to: 'a',
    score: 'a',
    and: 'y',
    signs: signs(
      'más;menos;por;entre;igual a;menor que;mayor que;aproximadamente;más menos;raíz cuadrada de;menor o igual que;mayor o igual que;distinto de;infinito;pi;y;por ciento;por mil;sección;grados;al cuadrado;al cubo;a;elevado a;aproximadamente;a;por',
    ),
    address: address(
      'punto;barra;dos puntos;arroba;guion;guion bajo;igual;y;interrogación;almohadilla;por ciento;más;tilde;coma',
    ),
    money: {
      USD: 'dólar/dólares:m',
      EUR: 'euro/euros:m',
      GBP: 'libra/libras:f',
      JPY: 'yen/yenes:m',
      CHF: 'franco suizo/francos suizos:m',
      'minor USD': 'centavo/centavos:m',
      'minor EUR': 'céntimo/céntimos:m',
      'minor GBP': 'penique/peniques:m',
      'minor CHF': 'céntimo/céntimos:m',
    },
    moneyAnd: 'con',
    namesCoins: true,
    parts: {
      2: 'medio/medios',
      3: 'tercio/tercios',
      4: 'cuarto/cuartos',
      5: 'quinto/quintos',
      6: 'sexto/sextos',
      7: 'séptimo/séptimos',
      8: 'octavo/octavos',
      9: 'noveno/novenos',
      10: 'décimo/décimos',
    },
    beforeYears: '',
    beforeNumerals:
      'siglo siglos capítulo capítulos parte tomo acto escena libro fase tipo artículo sección nivel mundial volumen',
    afterNumerals: '',
    beforePhones: 'tel tel. teléfono tfno. fax llame llama móvil al',
  },
  it: {
    decimal: ',',
    per: 'al',
    times: 'volta/volte:f',
    point: 'virgola',
    byDigits: false,
    to: 'a',
    score: 'a',
    and: 'e',
    signs: signs(
      'più;meno;per;diviso;uguale;minore di;maggiore di;circa;più o meno;radice quadrata di;minore o uguale a;maggiore o uguale a;diverso da;infinito;pi greco;e;per cento;per mille;paragrafo;gradi;al quadrato;al cubo;a;alla;circa;a;per',
    ),
    address: address(
      'punto;barra;due punti;chiocciola;trattino;trattino basso;uguale;e;punto interrogativo;cancelletto;per cento;più;tilde;virgola',
    ),
    money: {
      USD: 'dollaro/dollari:m',
      EUR: 'euro/euro:m',
      GBP: 'sterlina/sterline:f',
      JPY: 'yen/yen:m',
      CHF: 'franco svizzero/franchi svizzeri:m',
      'minor USD': 'centesimo/centesimi:m',
      'minor EUR': 'centesimo/centesimi:m',
      'minor GBP': 'penny/pence:m',
    },
    moneyAnd: 'e',
    namesCoins: false,
    parts: { 2: 'mezzo/mezzi' },
    beforeYears: '',
    beforeNumerals: 'capitolo parte volume atto scena libro fase tipo articolo sezione livello',
    afterNumerals: 'secolo',
    beforePhones: 'tel tel. telefono fax chiamare cellulare',
  },
  pt: {
    decimal: ',',
    per: 'por',
    times: 'vez/vezes:f',
    point: 'vírgula',
    byDigits: false,
    to: 'a',
    score: 'a',
    and: 'e',
    signs: signs(
      'mais;menos;vezes;dividido por;igual a;menor que;maior que;aproximadamente;mais ou menos;raiz quadrada de;menor ou igual a;maior ou igual a;diferente de;infinito;pi;e;por cento;por mil;seção;graus;ao quadrado;ao cubo;para;elevado a;aproximadamente;a;por',
    ),
    address: address(
      'ponto;barra;dois pontos;arroba;hífen;sublinhado;igual;e;interrogação;cerquilha;por cento;mais;til;vírgula',
    ),
    money: {
      USD: 'dólar/dólares:m',
      EUR: 'euro/euros:m',
      GBP: 'libra/libras:f',
      BRL: 'real/reais:m',
      JPY: 'iene/ienes:m',
      CHF: 'franco suíço/francos suíços:m',
      'minor USD': 'centavo/centavos:m',
      'minor EUR': 'cêntimo/cêntimos:m',
      'minor BRL': 'centavo/centavos:m',
      'minor GBP': 'pêni/pence:m',
    },
    moneyAnd: 'e',
    namesCoins: true,
    parts: { 2: 'meio/meios', 3: 'terço/terços' },
    beforeYears: '',
    beforeNumerals: 'século séc. capítulo parte tomo ato cena livro fase tipo artigo seção nível mundial volume',
    afterNumerals: '',
    beforePhones: 'tel tel. telefone fax ligue celular',
  },
  nl: {
    decimal: ',',
    per: 'per',
    times: 'keer/keer',
    point: 'komma',
    byDigits: false,
    to: 'tot',
    score: '',
    and: 'en een',
    signs: signs(
      'plus;min;keer;gedeeld door;is;kleiner dan;groter dan;ongeveer;plus min;wortel van;kleiner dan of gelijk aan;groter dan of gelijk aan;ongelijk aan;oneindig;pi;en;procent;promille;paragraaf;graden;kwadraat;tot de derde;naar;tot de macht;ongeveer;bij;bij',
    ),
    address: address(
      'punt;schuine streep;dubbele punt;apenstaartje;streepje;liggend streepje;is;en;vraagteken;hekje;procent;plus;tilde;komma',
    ),
    money: {
      USD: 'dollar/dollar',
      EUR: 'euro/euro',
      GBP: 'pond/pond',
      JPY: 'yen/yen',
      'minor USD': 'cent/cent',
      'minor EUR': 'cent/cent',
      'minor GBP': 'penny/pence',
    },
    moneyAnd: '',
    namesCoins: false,
    parts: { 2: 'half/halven', 4: 'kwart/kwart' },
    beforeYears: 'in sinds jaar vanaf tot voor na rond',
    beforeNumerals: 'hoofdstuk deel akte boek fase type artikel wereldoorlog',
    afterNumerals: '',
    beforePhones: 'tel tel. telefoon telefoonnummer fax bel mobiel',
  },
  pl: {
    decimal: ',',
    per: 'za',
    times: '',
    point: 'przecinek',
    byDigits: false,
    to: 'do',
    score: 'do',
    and: 'i',
    signs: signs(
      'plus;minus;razy;podzielić przez;równa się;mniejsze niż;większe niż;około;plus minus;pierwiastek z;mniejsze lub równe;większe lub równe;nie równa się;nieskończoność;pi;i;procent;promil;paragraf;stopni;do kwadratu;do sześcianu;do;do potęgi;około;przy;na',
    ),
    address: address(
      'kropka;ukośnik;dwukropek;małpa;myślnik;podkreślenie;równa się;i;znak zapytania;krzyżyk;procent;plus;tylda;przecinek',
    ),
    money: {
      USD: 'dolar/dolary/dolarów/dolara:m',
      EUR: 'euro/euro/euro/euro:n',
      GBP: 'funt/funty/funtów/funta:m',
      PLN: 'złoty/złote/złotych/złotego:m',
      'minor USD': 'cent/centy/centów/centa:m',
      'minor EUR': 'cent/centy/centów/centa:m',
      'minor GBP': 'pens/pensy/pensów/pensa:m',
      'minor PLN': 'grosz/grosze/groszy/grosza:m',
    },
    moneyAnd: '',
    namesCoins: true,
    parts: {},
    beforeYears: '',
    beforeNumerals: 'rozdział część tom akt księga faza typ artykuł',
    afterNumerals: 'wiek',
    beforePhones: 'tel tel. telefon fax numer',
  },
  ru: {
    decimal: ',',
    per: 'за',
    times: '',
    point: 'целых',
    byDigits: false,
    to: 'до',
    score: '',
    and: 'и',
    signs: signs(
      'плюс;минус;умножить на;разделить на;равно;меньше;больше;примерно;плюс минус;корень из;меньше или равно;больше или равно;не равно;бесконечность;пи;и;процентов;промилле;параграф;градусов;в квадрате;в кубе;в;в степени;примерно;при;на',
    ),
    address: address(
      'точка;слэш;двоеточие;собака;дефис;подчёркивание;равно;и;вопросительный знак;решётка;процент;плюс;тильда;запятая',
    ),
    money: {
      USD: 'доллар/доллара/долларов/доллара:m',
      EUR: 'евро/евро/евро/евро:m',
      GBP: 'фунт/фунта/фунтов/фунта:m',
      RUB: 'рубль/рубля/рублей/рубля:m',
      'minor USD': 'цент/цента/центов/цента:m',
      'minor EUR': 'цент/цента/центов/цента:m',
      'minor GBP': 'пенс/пенса/пенсов/пенса:m',
      'minor RUB': 'копейка/копейки/копеек/копейки:f',
    },
    moneyAnd: '',
    namesCoins: true,
    parts: {},
    beforeYears: '',
    beforeNumerals: 'глава часть том акт книга фаза тип статья',
    afterNumerals: 'век',
    beforePhones: 'тел тел. телефон факс номер звоните',
  },
  tr: {
    decimal: ',',
    per: '',
    times: '',
    point: 'virgül',
    byDigits: false,
    to: 'ila',
    score: '',
    and: '',
    signs: signs(
      'artı;eksi;çarpı;bölü;eşittir;küçüktür;büyüktür;yaklaşık;artı eksi;karekök;küçük eşittir;büyük eşittir;eşit değildir;sonsuz;pi;ve;yüzde;binde;paragraf;derece;kare;küp;ok;üzeri;yaklaşık;;çarpı',
    ),
    address: address(
      'nokta;eğik çizgi;iki nokta;et;tire;alt çizgi;eşittir;ve;soru işareti;diyez;yüzde;artı;tilde;virgül',
    ),
    money: {
      USD: 'dolar/dolar',
      EUR: 'avro/avro',
      GBP: 'sterlin/sterlin',
      TRY: 'lira/lira',
      'minor USD': 'sent/sent',
      'minor EUR': 'sent/sent',
      'minor GBP': 'peni/peni',
      'minor TRY': 'kuruş/kuruş',
    },
    moneyAnd: '',
    namesCoins: true,
    parts: {},
    beforeYears: '',
    beforeNumerals: 'bölüm kısım cilt perde kitap faz tip madde',
    afterNumerals: '',
    beforePhones: 'tel tel. telefon faks numara',
  },
};
