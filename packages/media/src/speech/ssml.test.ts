import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSpeech, type Speech } from './catalogue.js';
import { SpeechError, type SpokenText } from './contract.js';
import { PITCH_HOP, periodsOf } from './prosody/pitch.js';

const VOICES = [
  ['flite', 'slt'],
  ['espeak', 'de+f2'],
] as const;

let speech: Speech;
beforeAll(() => {
  speech = createSpeech({ threads: 1, cacheBytes: 0 });
});
afterAll(() => speech.close());

/** Mean pitch of an utterance, or of a part of it, in semitones. */
function pitchOf({ samples }: SpokenText, from = 0, to = samples.length): number {
  const periods = periodsOf(samples).subarray(Math.round(from / PITCH_HOP), Math.round(to / PITCH_HOP));
  const voiced = [...periods].filter((period) => period > 0).map((period) => -12 * Math.log2(period));
  return voiced.reduce((sum, value) => sum + value, 0) / voiced.length;
}

function levelOf({ samples }: SpokenText): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}

describe.each(VOICES)('SSML with %s:%s', (provider, voice) => {
  const text = 'Hallo, morgen lesen wir die Namen aller Inseln.';
  const utter = (script: string) => speech.utter(provider, script, { voice });
  const shaped = (attributes: string) => utter(`<speak><prosody ${attributes}>${text}</prosody></speak>`);

  it('follows rate, pitch and volume, and changes nothing else', async () => {
    const plain = await utter(text);
    expect(await utter(`<speak>${text}</speak>`)).toMatchObject({ samples: { length: plain.samples.length } });
    const slow = await shaped('rate="50%"');
    expect(slow.samples.length / plain.samples.length).toBeCloseTo(2, 0);
    expect(pitchOf(slow) - pitchOf(plain)).toBeCloseTo(0, 0);
    const high = await shaped('pitch="+4st"');
    expect(high.samples.length / plain.samples.length).toBeCloseTo(1, 1);
    expect(pitchOf(high) - pitchOf(plain)).toBeGreaterThan(3.5);
    expect(pitchOf(high) - pitchOf(plain)).toBeLessThan(4.5);
    expect(levelOf(await shaped('volume="-6dB"')) / levelOf(plain)).toBeCloseTo(0.5, 1);
  });

  it('makes an emphasised word longer and higher, and leaves the words around it unchanged', async () => {
    const plain = await utter(text);
    const strong = await utter(`<speak>${text.replace('Namen', '<emphasis level="strong">Namen</emphasis>')}</speak>`);
    const lengths = ({ marks }: SpokenText) => marks.words.map(({ start, end }) => end - start);
    const [before, after] = [lengths(plain), lengths(strong)];
    const at = plain.marks.words.findIndex((word) => word.text === 'Namen');
    expect(after[at]! / before[at]!).toBeGreaterThan(1.1);
    const span = ({ marks }: SpokenText) => [marks.words[at]!.start, marks.words[at]!.end] as const;
    expect(pitchOf(strong, ...span(strong)) - pitchOf(plain, ...span(plain))).toBeGreaterThan(1);
    expect(after.slice(0, at)).toEqual(before.slice(0, at));
  });

  it('reports the times of marks, and the offsets of words in the script', async () => {
    const script =
      '<speak><mark name="a"/>Hallo, <mark name="b"/>Anna <break time="1s"/><mark name="c"/>&amp; Otto.<mark name="d"/></speak>';
    const { marks, samples } = await utter(script);
    const word = (written: string) => marks.words.find(({ textStart }) => script.startsWith(written, textStart))!;
    expect(marks.named).toEqual([
      { name: 'a', at: word('Hallo').start },
      { name: 'b', at: word('Anna').start },
      { name: 'c', at: word('&amp;').start },
      { name: 'd', at: samples.length },
    ]);
    expect(word('&amp;').start - word('Anna').end).toBeGreaterThan(0.95 * 48_000);
  });

  it('speaks phonemes', async () => {
    const { marks } = await utter('<speak><phoneme ph="ˈnaːnə">xy</phoneme></speak>');
    expect(marks.phonemes.map(({ phone }) => phone).filter((phone) => phone !== '')).toHaveLength(4);
    expect(marks.phonemes.filter(({ phone }) => phone === 'n')).toHaveLength(2);
  });

  it('refuses malformed SSML before any speech', async () => {
    const failure = await utter('<speak>Hallo <b>Anna</b></speak>').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SpeechError);
    expect(failure).toMatchObject({ code: 'bad_option', message: expect.stringContaining('line 1, column 14: <b>') });
  });
});

it('speaks a part in another language if the engine has a voice for it', async () => {
  const said = async (script: string) =>
    (await speech.utter('espeak', script, { voice: 'de' })).marks.phonemes.map(({ phone }) => phone).join('');
  const french = (await speech.utter('espeak', 'Jean rit', { voice: 'fr-fr' })).marks.phonemes.map(
    ({ phone }) => phone,
  );
  expect(await said('<speak>Ja, <lang xml:lang="fr-FR">Jean rit</lang></speak>')).toContain(french.join(''));
  expect(await said('<speak>Ja, Jean rit</speak>')).not.toContain(french.join(''));
});
