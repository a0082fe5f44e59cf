import { segmentsOf } from '@figurehead/contract/document/segments';

/** Words of a language that decide whose turn it is, in lower case. */
interface SpokenWords {
  /** What listeners say without wanting to speak, such as "uh-huh". */
  readonly backChannels: readonly string[];
  /** Last words of a sentence that goes on, such as "and". */
  readonly open: readonly string[];
}

const words = (list: string): string[] => list.split(' ');

/** Sounds that are written alike in many languages. */
const SOUNDS = words('ah aha ähm äh eh ehm hm hmm hmmm huh m mhm mhmm mm mmm mmhm mmhmm oh oha uh uhhuh uhm um umm');

/** By ISO 639-1 code. "No" is missing, because it is an objection. */
const LANGUAGES: Readonly<Record<string, SpokenWords>> = {
  en: {
    backChannels: words(
      'yeah yep yes yup ok okay right sure i see alright all cool great nice wow good got it of course exactly indeed true thanks thank you well really',
    ),
    open: words(
      'a an and any are as at because but by can could do does for from had has have how i if in is know like my need of on or our so tell than that the their then this to um uh want was were what when where which while who whose why with would your',
    ),
  },
  de: {
    backChannels: words(
      'ja jaja jo jep ok okay genau gut klar stimmt richtig ach so achso verstehe ich aha schön super toll danke na natürlich eben interessant',
    ),
    open: words(
      'aber als am an auf aus bei da dann das dass dem den denn der die durch ein eine einem einen einer für gegen hat ich im in ist kann können mein mit möchte nach oder ohne ob sind sondern und um unter von vom vor war was weil welche welcher wenn wer wie wo würde zu zum zur',
    ),
  },
  fr: {
    backChannels: words(
      'oui ouais ok okay accord d bien sûr je vois voilà exactement tout à fait très merci c est ça ah bon super',
    ),
    open: words(
      'à alors au aux avec c ce car comme comment dans de des donc du elle en est et il je l la le les leur mais mon ne ou où par parce pour pourquoi qu quand que quel quelle qui sans si son sur un une veux voudrais',
    ),
  },
  es: {
    backChannels: words('sí si ok okay vale claro ya veo bien bueno exacto entiendo cierto gracias ajá muy genial'),
    open: words(
      'a al como con cual cuando cuándo cómo de del donde dónde e el en es la las lo los mi o para pero por porque que qué quiero quién se si sin sobre su un una y',
    ),
  },
  it: {
    backChannels: words('sì ok okay certo va bene bene capisco esatto giusto già ecco grazie vero bello d accordo'),
    open: words(
      'a al alla anche che chi ci come con cosa da dal dei del della di dove e ed è gli i il in l la le lo ma mi mio nel nella o perché per più quale quando quanto se sono su un una uno vorrei',
    ),
  },
  pt: {
    backChannels: words(
      'sim é ok okay certo claro tá bom bem entendo exato exatamente isso pois obrigado obrigada legal',
    ),
    open: words(
      'a ao as com como da das de do dos e em eu mas meu na no o onde os ou para pela pelo por porque qual quando quanto que quem quero se sem sobre um uma',
    ),
  },
  nl: {
    backChannels: words('ja jawel ok okay oké goed precies klopt juist snap ik begrijp dank je natuurlijk mooi'),
    open: words(
      'aan als bij dan dat de die door een en het hoe ik in is maar met mijn naar of om omdat op over te tot uit van voor waar waarom wat welke wie wil',
    ),
  },
  pl: {
    backChannels: words('tak no ok okay dobrze jasne rozumiem właśnie racja dokładnie dzięki aha'),
    open: words(
      'a ale bo co czy dla do gdzie i jak jest kiedy który lub na nie o od oraz po pod przy się u w z za że żeby',
    ),
  },
  ru: {
    backChannels: words('да ага угу ок окей ладно хорошо понятно понимаю ясно точно конечно верно спасибо мм хм ну'),
    open: words(
      'а без в во где для до если и из или к как когда кто мой мне на но о об от по потому почему при с со у хочу что чтобы я',
    ),
  },
  hi: {
    backChannels: words('हाँ हां जी अच्छा ठीक है ओके सही बिल्कुल समझ गया हम्म धन्यवाद'),
    open: words('और कि लेकिन या क्योंकि तो अगर का के की को में से पर'),
  },
  ja: {
    backChannels: words('はい うん ええ そう です ね か なるほど へえ あの おお そうですね そうですか そっか うんうん'),
    open: words('が を は と で から ので けど えっと あの'),
  },
  zh: {
    backChannels: words('嗯 啊 哦 噢 对 对对 是 是的 好 好的 的 行 可以 明白 知道 了 没错 当然 谢谢'),
    open: words('和 但是 因为 所以 如果 或者 还有 然后 跟 在 把 就是'),
  },
  ko: {
    backChannels: words('네 예 응 음 아 그래 그래요 그렇군요 맞아요 알겠어요 좋아요 감사합니다'),
    open: words('그리고 그런데 하지만 그래서 왜냐하면 또는 만약 저는 제가'),
  },
};

/** Recognisers write noises in brackets or between asterisks. */
const NOISE = /\([^()]{0,60}\)|\[[^[\]]{0,60}\]|\*[^*]{0,60}\*|[♪♫]/gu;
/** Ends of a sentence; three dots are none. Recognisers write question marks for whole questions only. */
const SENTENCE_END = /(?<!\.\.|…)[.!。！।]["'”’»)」』]*$/u;
const QUESTION_END = /[?？؟]["'”’»)」』]*$/u;

/** What a recogniser has written, without names of noises. */
export function withoutNoise(text: string): string {
  return text.replace(NOISE, ' ').trim();
}

/** How many words of a text are more than a back-channel. */
export function countSubstance(text: string, language: string): number {
  const known = new Set([...SOUNDS, ...(LANGUAGES[language]?.backChannels ?? [])]);
  return wordsOf(text, language).filter((word) => !known.has(word)).length;
}

/** How surely a text is the end of what its speaker wants to say, from 0 to 1. */
export function completeness(text: string, language: string): number {
  const written = text.trimEnd();
  if (QUESTION_END.test(written)) return 1;
  const last = wordsOf(written, language).at(-1);
  if (last === undefined || SOUNDS.includes(last) || LANGUAGES[language]?.open.includes(last)) return 0;
  return SENTENCE_END.test(written) ? 1 : 0.5;
}

function wordsOf(text: string, language: string): string[] {
  // Hyphens join the parts of a sound ("uh-huh"), apostrophes two words ("d'accord").
  const plain = text.toLowerCase().replaceAll('-', '').replaceAll("'", ' ').replaceAll('’', ' ');
  const segments = segmentsOf(plain, new Intl.Segmenter(language, { granularity: 'word' }));
  return [...segments].flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []));
}
