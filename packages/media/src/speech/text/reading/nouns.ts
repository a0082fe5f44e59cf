import type { Language } from '../language.js';
import { isListed } from '../place.js';
import type { Figures } from './numbers.js';

/** How a language's figures take the gender of the noun after them. */
interface NounRules {
  /** True for the values whose words differ by gender. */
  readonly agrees: (value: number) => boolean;
  /** Endings, and nouns that do not follow them. */
  readonly feminine: RegExp;
  readonly isFeminine: string;
  readonly masculine?: RegExp;
  readonly isMasculine: string;
  readonly neuter?: RegExp;
  /** Words with such an ending that are not nouns. */
  readonly others: string;
}

const endsInOne = (value: number): boolean => value % 10 === 1 && value % 100 !== 11;
const hasHundreds = (value: number): boolean => value % 1000 >= 200;

/** Endings determine the gender of most nouns; the lists contain frequently counted exceptions. */
const NOUNS: Readonly<Record<string, NounRules>> = {
  de: {
    agrees: (value) => value === 1,
    feminine: /(?:ung|heit|keit|schaft|ion|tät|ik|ie|ei|ur|enz|anz|in|e)$/u,
    isFeminine: 'person frau stadt zahl nacht hand bank tür mutter tochter schwester uhr art form',
    masculine: /^\p{Lu}/u,
    isMasculine:
      'name junge kunde kollege buchstabe termin gewinn beginn verein stein wein berlin ende auge gebäude uhr team',
    others: '',
  },
  es: {
    agrees: (value) => endsInOne(value) || hasHundreds(value),
    feminine: /(?:a|as|ción|ciones|sión|siones|dad|dades|tad|tades|tud|tudes)$/u,
    isFeminine: 'mujer mujeres vez veces noche noches tarde tardes parte partes clase clases imagen imágenes voz voces',
    masculine: /(?:o|os|or|ores|ón|ones|aje|ajes|és|eses|mes)$/u,
    isMasculine:
      'día días mapa mapas problema problemas programa programas sistema sistemas tema temas idioma idiomas planeta planetas hombre hombres',
    others: 'para hacia hasta era como pero sino cuando cuanto solo luego según tanto mientras además contra',
  },
  fr: {
    agrees: endsInOne,
    feminine:
      /(?:tion|tions|sion|sions|té|tés|ance|ances|ence|ences|ure|ures|ette|ettes|ie|ies|ée|ées|ine|ines|ille|illes|ade|ades)$/u,
    isFeminine:
      'personne personnes cuillère cuillères page pages heure heures seconde secondes minute minutes fois femme femmes ville villes vidéo vidéos voix ligne lignes place places carte cartes voiture voitures maison maisons rue rues livre-sterling image images diapositive diapositives table tables chaise chaises porte portes école écoles équipe équipes chambre chambres tasse tasses pomme pommes',
    isMasculine: 'musée musées lycée lycées silence côté côtés comité comités traité été étés arrêté trophée trophées',
    others: '',
  },
  it: {
    agrees: (value) => value === 1,
    feminine: /(?:a|zione|sione|tà|trice)$/u,
    isFeminine: 'notte parte classe voce immagine mano',
    masculine: /(?:o|ore|ale|ile|one)$/u,
    isMasculine: 'problema programma sistema tema clima',
    others: 'alla dalla nella sulla della contro dopo come quando ancora senza sopra però',
  },
  pt: {
    agrees: (value) => endsInOne(value) || (value % 10 === 2 && value % 100 !== 12) || hasHundreds(value),
    feminine: /(?:a|as|ção|ções|são|sões|dade|dades|gem|gens)$/u,
    isFeminine: 'mulher mulheres vez vezes noite noites parte partes voz vozes',
    isMasculine: 'dia dias mapa mapas problema problemas programa programas sistema sistemas tema temas idioma idiomas',
    others: 'para uma era mas contra pela pelas numa',
  },
  pl: {
    agrees: (value) => value === 1 || (value % 10 === 2 && value % 100 !== 12),
    feminine: /(?:a|ość|cje|zje|sje|ości)$/u,
    isFeminine:
      'osoby kobiety godziny minuty sekundy strony książki córki siostry firmy części sztuki noce próby grupy szkoły klasy tony stopy drogi wody rzeczy panie noc część',
    neuter: /(?:o|ie|cze|rze|um)$/u,
    isMasculine: 'mężczyzna kolega kierowca artysta poeta',
    others: 'która trzeba oraz czyli albo około prawie tylko jeszcze razy',
  },
  ru: {
    agrees: (value) => endsInOne(value) || (value % 10 === 2 && value % 100 !== 12),
    feminine: /(?:а|я|ость|ы|и)$/u,
    isFeminine: 'ночь часть дочь',
    neuter: /(?:о|е)$/u,
    isMasculine: 'дома дня часа года раза рубля человека мужчина мужчины дядя месяца метра стола сына',
    others: 'или если при была была были для после только уже еще ещё более менее около',
  },
};

/** Gender that figures take from the noun after them; `undefined` when there is none or it makes no difference. */
export function genderOfNext(text: string, { value, fraction }: Figures, language: Language): string | undefined {
  const rules = Object.hasOwn(NOUNS, language.code) ? NOUNS[language.code] : undefined;
  if (rules === undefined || fraction !== '' || !rules.agrees(value)) return undefined;
  const [, noun = ''] = /^[\s\u00a0\u202f](\p{L}{3,30})(?![\p{L}\d])/u.exec(text) ?? [];
  // German nouns have a capital; in the other languages a capital is more often a name.
  const isNoun = /^\p{Lu}/u.test(noun) === (language.code === 'de');
  if (noun === '' || !isNoun || isListed(rules.others, noun)) return undefined;
  if (isListed(rules.isMasculine, noun)) return 'masculine';
  if (isListed(rules.isFeminine, noun) || rules.feminine.test(noun)) return 'feminine';
  if (rules.neuter?.test(noun)) return 'neuter';
  return rules.masculine?.test(noun) ? 'masculine' : undefined;
}
