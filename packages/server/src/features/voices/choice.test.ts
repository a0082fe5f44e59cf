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
});
