import type { ChapterDraft } from './contract.js';
import { shorten } from './sentences.js';

/** Kinds of chapters in narrative order; the first and the last are always included. */
const ORDER = ['introduction', 'background', 'basics', 'practice', 'example', 'mistakes', 'tips', 'summary'] as const;
type Kind = (typeof ORDER)[number];

/** Order in which kinds are chosen when there are only a few chapters. */
const PRIORITY: readonly Kind[] = [
  'introduction',
  'summary',
  'basics',
  'practice',
  'example',
  'background',
  'tips',
  'mistakes',
];

const USUAL_CHAPTERS = 5;

/** Title of a chapter and its text; `{t}` is the outline's title. */
type Phrases = Readonly<Record<Kind, readonly [title: string, line: string]>>;

const PHRASES: Readonly<Record<string, Phrases>> = {
  en: {
    introduction: ['Introduction', 'Welcome. This video is about {t}: what it is and why it is worth your time.'],
    background: ['Background', 'Before we start, a look at where {t} comes from and which questions it answers.'],
    basics: ['The basics', 'These are the ideas behind {t} that everything else builds on.'],
    practice: ['In practice', 'Now we go through {t} step by step, the way you would do it yourself.'],
    example: ['An example', 'One example shows how {t} looks in everyday work.'],
    mistakes: ['Common mistakes', 'Some mistakes around {t} are made again and again, and they are easy to avoid.'],
    tips: ['Tips', 'A few tips will help you to get more out of {t}.'],
    summary: ['Summary', 'Those were the main points about {t}. Choose one of them and try it today.'],
  },
  de: {
    introduction: ['Einleitung', 'Willkommen. In diesem Video geht es um {t}: was es ist und warum es sich lohnt.'],
    background: ['Hintergrund', 'Zuerst ein Blick darauf, woher {t} kommt und welche Fragen es beantwortet.'],
    basics: ['Grundlagen', 'Das sind die Grundgedanken hinter {t}, auf denen alles Weitere aufbaut.'],
    practice: ['In der Praxis', 'Jetzt gehen wir {t} Schritt für Schritt durch, so wie Sie es selbst tun würden.'],
    example: ['Ein Beispiel', 'Ein Beispiel zeigt, wie {t} im Alltag aussieht.'],
    mistakes: ['Häufige Fehler', 'Einige Fehler rund um {t} kommen immer wieder vor und lassen sich leicht vermeiden.'],
    tips: ['Tipps', 'Ein paar Tipps helfen Ihnen, mehr aus {t} herauszuholen.'],
    summary: [
      'Zusammenfassung',
      'Das waren die wichtigsten Punkte zu {t}. Wählen Sie einen davon und probieren Sie ihn heute aus.',
    ],
  },
  fr: {
    introduction: [
      'Introduction',
      'Bienvenue. Cette vidéo parle du sujet suivant : {t}. De quoi s’agit-il et pourquoi est-ce utile ?',
    ],
    background: ['Contexte', 'Pour commencer, voyons d’où vient le sujet « {t} » et à quelles questions il répond.'],
    basics: ['Les bases', 'Voici les idées de base de « {t} », sur lesquelles repose tout le reste.'],
    practice: ['En pratique', 'Parcourons maintenant « {t} » étape par étape, comme vous le feriez vous-même.'],
    example: ['Un exemple', 'Un exemple montre à quoi ressemble « {t} » au quotidien.'],
    mistakes: [
      'Erreurs fréquentes',
      'Certaines erreurs autour de « {t} » reviennent souvent et sont faciles à éviter.',
    ],
    tips: ['Conseils', 'Quelques conseils vous aideront à tirer davantage de « {t} ».'],
    summary: ['Résumé', 'Voilà l’essentiel sur « {t} ». Choisissez un point et essayez-le dès aujourd’hui.'],
  },
  es: {
    introduction: ['Introducción', 'Te damos la bienvenida. Este vídeo trata de {t}: qué es y por qué merece la pena.'],
    background: ['Contexto', 'Antes de empezar, veamos de dónde viene {t} y a qué preguntas responde.'],
    basics: ['Conceptos básicos', 'Estas son las ideas de {t} sobre las que se apoya todo lo demás.'],
    practice: ['En la práctica', 'Ahora recorremos {t} paso a paso, tal como lo harías por tu cuenta.'],
    example: ['Un ejemplo', 'Un ejemplo muestra cómo es {t} en el día a día.'],
    mistakes: ['Errores frecuentes', 'Algunos errores sobre {t} se repiten una y otra vez, y son fáciles de evitar.'],
    tips: ['Consejos', 'Unos consejos te ayudarán a sacar más partido de {t}.'],
    summary: ['Resumen', 'Estos han sido los puntos principales de {t}. Elige uno y pruébalo hoy mismo.'],
  },
  it: {
    introduction: [
      'Introduzione',
      'Ti diamo il benvenuto. Questo video parla di {t}: che cos’è e perché vale la pena conoscerlo.',
    ],
    background: ['Contesto', 'Prima di cominciare, vediamo da dove viene {t} e a quali domande risponde.'],
    basics: ['Le basi', 'Ecco le idee di {t} su cui si fonda tutto il resto.'],
    practice: ['In pratica', 'Ora vediamo {t} passo dopo passo, come faresti da te.'],
    example: ['Un esempio', 'Un esempio mostra come si presenta {t} nella vita quotidiana.'],
    mistakes: ['Errori comuni', 'Alcuni errori su {t} si ripetono spesso e sono facili da evitare.'],
    tips: ['Consigli', 'Qualche consiglio ti aiuterà a ottenere di più da {t}.'],
    summary: ['Riepilogo', 'Questi erano i punti principali di {t}. Scegline uno e provalo oggi.'],
  },
  pt: {
    introduction: ['Introdução', 'Boas-vindas. Este vídeo é sobre {t}: o que é e por que vale a pena.'],
    background: ['Contexto', 'Antes de começar, vejamos de onde vem {t} e a que perguntas responde.'],
    basics: ['Conceitos básicos', 'Estas são as ideias de {t} em que tudo o resto se apoia.'],
    practice: ['Na prática', 'Agora percorremos {t} passo a passo, tal como você faria.'],
    example: ['Um exemplo', 'Um exemplo mostra como é {t} no dia a dia.'],
    mistakes: ['Erros comuns', 'Alguns erros sobre {t} repetem-se muitas vezes e são fáceis de evitar.'],
    tips: ['Dicas', 'Algumas dicas ajudam a tirar mais proveito de {t}.'],
    summary: ['Resumo', 'Estes foram os pontos principais de {t}. Escolha um e experimente hoje.'],
  },
  nl: {
    introduction: ['Inleiding', 'Welkom. Deze video gaat over {t}: wat het is en waarom het de moeite waard is.'],
    background: ['Achtergrond', 'Eerst kijken we waar {t} vandaan komt en welke vragen het beantwoordt.'],
    basics: ['De basis', 'Dit zijn de ideeën achter {t} waarop al het andere voortbouwt.'],
    practice: ['In de praktijk', 'Nu gaan we stap voor stap door {t}, zoals je het zelf zou doen.'],
    example: ['Een voorbeeld', 'Een voorbeeld laat zien hoe {t} er in de dagelijkse praktijk uitziet.'],
    mistakes: ['Veelgemaakte fouten', 'Sommige fouten rond {t} komen steeds terug en zijn makkelijk te vermijden.'],
    tips: ['Tips', 'Met een paar tips haal je meer uit {t}.'],
    summary: ['Samenvatting', 'Dat waren de belangrijkste punten over {t}. Kies er een en probeer het vandaag.'],
  },
  ru: {
    introduction: ['Введение', 'Здравствуйте! Тема этого видео: {t}. Разберёмся, что это такое и зачем это нужно.'],
    background: ['Предыстория', 'Сначала посмотрим, откуда взялась тема «{t}» и на какие вопросы она отвечает.'],
    basics: ['Основы', 'Вот основные идеи темы «{t}», на которых строится всё остальное.'],
    practice: ['На практике', 'Теперь пройдём тему «{t}» шаг за шагом, как вы делали бы это сами.'],
    example: ['Пример', 'Один пример покажет, как «{t}» выглядит в повседневной жизни.'],
    mistakes: ['Частые ошибки', 'Некоторые ошибки в теме «{t}» повторяются снова и снова, и их легко избежать.'],
    tips: ['Советы', 'Несколько советов помогут получить больше от темы «{t}».'],
    summary: ['Итоги', 'Это было главное по теме «{t}». Выберите один пункт и попробуйте его сегодня.'],
  },
  zh: {
    introduction: ['简介', '欢迎观看。本视频介绍{t}：它是什么，为什么值得了解。'],
    background: ['背景', '首先，我们来看看{t}的由来，以及它要解决的问题。'],
    basics: ['基础知识', '这些是{t}的基本概念，后面的内容都以此为基础。'],
    practice: ['实际操作', '现在我们一步一步地了解{t}，就像您亲自操作一样。'],
    example: ['示例', '通过一个例子，看看{t}在日常工作中的样子。'],
    mistakes: ['常见错误', '关于{t}，有些错误经常出现，但很容易避免。'],
    tips: ['小技巧', '这些小技巧可以帮助您更好地运用{t}。'],
    summary: ['总结', '以上就是关于{t}的要点。请选择其中一点，今天就试一试。'],
  },
  ja: {
    introduction: ['はじめに', 'ようこそ。この動画では、{t}とは何か、なぜ役に立つのかを紹介します。'],
    background: ['背景', 'まず、{t}がどのように生まれ、どんな疑問に答えるのかを見てみましょう。'],
    basics: ['基本', 'ここでは、{t}の土台となる考え方を説明します。'],
    practice: ['実践', '次に、{t}を実際に行うように、順を追って見ていきます。'],
    example: ['例', '一つの例で、{t}が日常でどう使われるかを確認しましょう。'],
    mistakes: ['よくある間違い', '{t}には繰り返される間違いがありますが、簡単に避けられます。'],
    tips: ['ヒント', '{t}をさらに活用するためのヒントを紹介します。'],
    summary: ['まとめ', '以上が{t}の要点です。一つ選んで、今日から試してみてください。'],
  },
};

/** Longest title that is inserted into a sentence. */
const MAX_TOPIC = 120;

/**
 * Exactly `count` chapters for a subject of which only the title is known, in the outline's language. Languages without
 * phrases get numbered chapters instead of another language's words.
 */
export function templateChapters(title: string, locale: string, count = USUAL_CHAPTERS): ChapterDraft[] {
  const topic = shorten(title.replace(/[.!?。]{1,20}$/u, ''), MAX_TOPIC);
  const phrases = PHRASES[locale.toLowerCase().split('-')[0] ?? ''];
  if (phrases === undefined) {
    return Array.from({ length: count }, (_, index) => ({ title: `${topic} – ${index + 1}`, summary: topic }));
  }
  return kindsFor(count).map(({ kind, number }) => {
    const [name, line] = phrases[kind];
    return { title: number === 1 ? name : `${name} (${number})`, summary: line.replaceAll('{t}', () => topic) };
  });
}

/** Kinds in narrative order; the central ones repeat when many chapters are requested. */
function kindsFor(count: number): { kind: Kind; number: number }[] {
  const taken = new Map<Kind, number>();
  for (let index = 0; index < count; index++) {
    const repeated = ['practice', 'example', 'basics'] as const;
    const kind = PRIORITY[index] ?? repeated[(index - PRIORITY.length) % repeated.length] ?? 'practice';
    taken.set(kind, (taken.get(kind) ?? 0) + 1);
  }
  return ORDER.flatMap((kind) =>
    Array.from({ length: taken.get(kind) ?? 0 }, (_, index) => ({ kind, number: index + 1 })),
  );
}
