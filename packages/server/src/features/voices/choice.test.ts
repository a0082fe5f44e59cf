import type { CatalogueVoice } from '@figurehead/media';
import { describe, expect, it } from 'vitest';
import { chooseVoice } from './choice.js';

const NONE = { voices: {}, avatars: {} };

function voice(id: string, own: Partial<CatalogueVoice>): CatalogueVoice {
  const [provider, name] = id.split(':') as [CatalogueVoice['provider'], string];
  return {
    ...{ provider, voice: name, name, language: 'German', locale: 'de-DE', gender: 'female', premium: false },
    ...own,
  };
}

describe('the voice of a presenter without a named voice', () => {
  const paul = voice('elevenlabs:paul', { gender: 'male', age: 'old' });
  const cloud = [
    voice('elevenlabs:ida', {}),
    voice('elevenlabs:lea', { age: 'young' }),
    voice('elevenlabs:ute', { age: 'middle-aged' }),
    voice('elevenlabs:olga', { age: 'old' }),
    paul,
  ];
  const presenter = { gender: 'female', defaultVoice: null } as const;
  const chosen = (age: 'young' | 'middle-aged' | 'old' | undefined, voices: readonly CatalogueVoice[] = cloud) =>
    chooseVoice(voices, NONE, { language: 'German', presenter: { ...presenter, ...(age && { age }) } }).voice;

  it('has the gender and the age of the presenter', () => {
    expect(chosen('young')).toBe('lea');
    expect(chosen('middle-aged')).toBe('ute');
    expect(chosen('old')).toBe('olga');
    expect(chosen(undefined)).toBe('ida');
    expect(chosen('old', [voice('elevenlabs:ida', {}), voice('elevenlabs:lea', { age: 'young' }), paul])).toBe('ida');
  });

  it('is never one of another provider because of its age', () => {
    expect(chosen('old', [voice('espeak:de+f2', {}), ...cloud])).toBe('de+f2');
  });

  describe('with natural voices on this machine', () => {
    const robots = [voice('flite:slt', {}), voice('flite:rms', { gender: 'male' }), ...cloud];
    const natural = (quality: number, load: number) => ({ natural: { quality, load, isMeasured: true } });
    const quick = [voice('piper:eva', natural(1, 0.1)), voice('piper:karl', { ...natural(1, 0.1), gender: 'male' })];
    const slow = voice('sherpa:kokoro.x', natural(3, 0.7));
    const woman = {
      gender: 'female',
      defaultVoice: { voice: 'slt', voiceProvider: 'flite', language: 'German' },
    } as const;
    const taken = (voices: readonly CatalogueVoice[], more: object = {}) =>
      chooseVoice(voices, NONE, { language: 'German', presenter: woman, ...more }).voice;

    it('is the best of them in a video, and one that keeps up live', () => {
      expect(taken([...robots, ...quick, slow])).toBe('kokoro.x');
      expect(taken([...robots, ...quick, slow], { isLive: true })).toBe('eva');
      expect(taken([...robots, slow], { isLive: true })).toBe('slt');
    });

    it('is the best live as well on a machine on which it keeps up and no other is clearly faster', () => {
      const kokoro = voice('sherpa:kokoro.x', natural(3, 0.28));
      expect(taken([...robots, kokoro], { isLive: true })).toBe('kokoro.x');
      expect(taken([...robots, kokoro, ...quick], { isLive: true })).toBe('eva');
      expect(taken([...robots, voice('piper:slow', natural(1, 0.62)), kokoro], { isLive: true })).toBe('kokoro.x');
      expect(taken([...quick, voice('sherpa:kitten.x', natural(2, 0.13))], { isLive: true })).toBe('kitten.x');
    });

    it('is built in when they do not fit in language or gender, or another provider is asked for', () => {
      expect(taken([...robots, quick[1]!])).toBe('slt');
      expect(taken([...robots, voice('piper:en', { ...natural(1, 0.1), language: 'English', locale: 'en-US' })])).toBe(
        'slt',
      );
      expect(taken([...robots, slow], { provider: 'flite' })).toBe('slt');
    });

    it('stays the named one, and is not a cloned one', () => {
      expect(taken([...robots, slow], { voice: 'rms', provider: 'flite' })).toBe('rms');
      expect(taken([...robots, voice('sherpa:clone-a', {})])).toBe('slt');
    });
  });
});
