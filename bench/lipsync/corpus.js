/** Test sentences for each measured language: ordinary text with many p, b and m, and all vowels. */
const ENGLISH = [
  'Welcome to our company. My name is on the board behind me, and I am happy to explain what we built this summer.',
  'Most people believe that a good video begins with a big budget. In fact, it begins with a simple idea and a clear voice.',
  'Please open the map, pick a place, and press the green button at the bottom. Your package will arrive by Monday morning.',
];

/**
 * @typedef {{ name: string, provider: import('../../packages/media/dist/index.js').ProviderName, voice?: string,
 *   sentences: readonly string[] }} Part `voice` is the first English one when absent; natural voices are left out where they are not installed.
 */

/** @type {readonly Part[]} */
export const CORPUS = [
  { name: 'English, flite rms', provider: 'flite', voice: 'rms', sentences: ENGLISH },
  { name: 'English, flite slt', provider: 'flite', voice: 'slt', sentences: ENGLISH },
  { name: 'English, Kokoro heart', provider: 'sherpa', voice: 'kokoro.af_heart', sentences: ENGLISH },
  { name: 'English, Piper', provider: 'piper', sentences: ENGLISH },
  {
    name: 'German, espeak de',
    provider: 'espeak',
    voice: 'de',
    sentences: [
      'Willkommen in unserem Unternehmen. Mein Name steht auf der Tafel, und ich erkläre gern, was wir im Sommer gebaut haben.',
      'Viele Menschen glauben, ein gutes Video brauche ein großes Budget. Am Anfang steht aber immer eine einfache Idee.',
      'Bitte öffnen Sie die Karte, wählen Sie einen Platz und drücken Sie den grünen Knopf. Das Paket kommt am Montag.',
    ],
  },
  {
    name: 'Spanish, espeak es',
    provider: 'espeak',
    voice: 'es',
    sentences: [
      'Bienvenidos a nuestra empresa. Mi nombre está en la pared, y me alegra poder explicar lo que hicimos este verano.',
      'Mucha gente piensa que un buen video pide mucho dinero. Pero siempre empieza con una idea simple y una voz amable.',
      'Por favor, abra el mapa, elija un lugar y pulse el botón verde. Su paquete llegará el lunes por la mañana.',
    ],
  },
  {
    name: 'French, espeak fr',
    provider: 'espeak',
    voice: 'fr-fr',
    sentences: [
      'Bienvenue dans notre entreprise. Mon nom est sur le tableau, et je vais vous expliquer ce que nous avons bâti cet été.',
      'Beaucoup de gens pensent qu’une bonne vidéo demande un gros budget. Mais tout commence par une idée simple.',
      'Ouvrez la carte, prenez une place et appuyez sur le bouton vert en bas. Le paquet arrivera lundi matin chez vous.',
    ],
  },
];
