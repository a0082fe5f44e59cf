// The tables of docs/voices.md, generated from the catalogue of the built-in engines.
import { basename } from 'node:path';
import { createSpeech, sampleSentence, sherpaRuntime } from '../packages/media/dist/index.js';
import { readingAccuracy } from '../packages/media/dist/speech/text/reading/corpus.js';

/** The packages of the speech engine for a platform, as arguments of `npm pack`. */
const ENGINE = sherpaRuntime('', 'linux-x64')
  .packages.map(({ name, archive }) => `${name}@${basename(archive.urls[0], '.tgz').slice(name.length + 1)}`)
  .join(' ');

/** The page with tables of what the catalogue says, and the version of the engine. */
export async function voicesPage(page) {
  const speech = createSpeech();
  try {
    const voices = await speech.voices();
    const spoken = voices.filter(({ provider }) => provider === 'espeak');
    const languages = new Set(spoken.map(({ language }) => language)).size;
    const tables = [
      ['## English by Flite', flite(voices)],
      [`## ${languages} languages by eSpeak NG`, espeak(spoken)],
      ['## What is read wrongly', readWrongly()],
    ];
    return tables.reduce(
      (text, [heading, rows]) => withTable(text, heading, rows),
      page
        .replace(/`npm pack [^`]+`/, `\`npm pack ${ENGINE}\``)
        .replace(/^## \d+ languages by eSpeak NG$/m, `## ${languages} languages by eSpeak NG`),
    );
  } finally {
    await speech.close();
  }
}

/** Replaces the rows of the first table below `heading`. */
function withTable(page, heading, rows) {
  const lines = page.split('\n');
  const from = lines.indexOf(heading);
  const begin = lines.findIndex((line, at) => at > from && line.startsWith('|---')) + 1;
  return [...lines.slice(0, begin), ...rows, ...lines.slice(lines.indexOf('', begin))].join('\n');
}

function flite(voices) {
  return voices
    .filter(({ provider }) => provider === 'flite')
    .map(
      ({ provider, voice, name, locale, gender, hasOwnMelody }) =>
        `| \`${provider}:${voice}\` | ${name} | ${locale} | ${gender} | ${hasOwnMelody ? 'no' : 'yes'} |`,
    );
}

function espeak(spoken) {
  return [...new Set(spoken.map(({ locale }) => locale))]
    .map((locale) => {
      const own = spoken.filter((voice) => voice.locale === locale);
      const ids = own.map(({ voice, gender }) => `\`espeak:${voice}\` (${gender})`).join(', ');
      return `| ${own[0].language} | ${locale} | ${ids} | ${sampleSentence(locale)} |`;
    })
    .sort();
}

/** Texts that are read wrongly, by language and class, from the corpus. */
function readWrongly() {
  const names = new Intl.DisplayNames('en', { type: 'language' });
  return readingAccuracy().map(({ language, right, pairs, wrong }) => {
    const kinds = [...new Set(wrong.map(([kind]) => kind))].map((kind) => {
      const written = wrong.filter(([own]) => own === kind).map(([, text]) => `“${text}”`);
      return `${kind}: ${written.join(', ')}`;
    });
    return `| ${names.of(language)} | ${((100 * right) / pairs).toFixed(1)} % of ${pairs} | ${kinds.join('; ') || 'none'} |`;
  });
}
