import type { Avatar, Slide } from '@figurehead/sdk';
import { describe, expect, it } from 'vitest';
import {
  type ListedVoice,
  languageTagOf,
  sourceLabel,
  substitutions,
  voiceAfterRecast,
  voiceLabel,
  voiceOf,
} from './catalogue.js';

const voice = (name: string, gender: 'male' | 'female', more: Partial<ListedVoice> = {}) =>
  ({
    name,
    voice: name.toLowerCase(),
    voiceProvider: 'flite',
    language: 'English',
    locale: 'en-US',
    gender,
    tags: [],
    ...more,
  }) as ListedVoice;
const [sally, kate, russell, hans] = [
  voice('Sally', 'female'),
  voice('Kate', 'female'),
  voice('Russell', 'male'),
  voice('Hans', 'male', { language: 'German', locale: 'de-DE' }),
];
const VOICES = [sally, kate, russell, hans];
const person = (name: string, gender: string, own: ListedVoice) =>
  ({
    name,
    code: name,
    gender,
    variants: [],
    defaultVoice: { voice: own.voice, voiceProvider: own.voiceProvider },
  }) as unknown as Avatar;
const [nora, ava, marcus] = [
  person('Nora', 'female', sally),
  person('Ava', 'female', kate),
  person('Marcus', 'male', russell),
];

describe('the voice after a change of presenter', () => {
  it('becomes the new presenter’s default if it was the old one’s default or does not fit', () => {
    expect(voiceAfterRecast({ from: nora, to: marcus }, sally, VOICES)).toBe(russell);
    expect(voiceAfterRecast({ from: nora, to: ava }, sally, VOICES)).toBe(kate);
    expect(voiceAfterRecast({ from: marcus, to: nora }, russell, VOICES)).toBe(sally);
    expect(voiceAfterRecast({ from: undefined, to: marcus }, undefined, VOICES)).toBe(russell);
  });

  it('stays when the user chose a fitting one, and keeps the language of the slide', () => {
    expect(voiceAfterRecast({ from: nora, to: ava }, voice('Zoe', 'female'), VOICES)).toBe(undefined);
    const greta = voice('Greta', 'female', { language: 'German', locale: 'de-DE' });
    expect(voiceAfterRecast({ from: nora, to: marcus }, greta, [...VOICES, greta])).toBe(hans);
    expect(voiceAfterRecast({ from: nora, to: undefined }, sally, VOICES)).toBe(undefined);
  });
});

it('is a natural voice of the presenter’s gender and language where this server has one', () => {
  const heart = voice('Heart', 'female', { voiceProvider: 'sherpa', tags: ['female', 'natural', 'sherpa'] });
  const german = voice('Eva', 'female', { ...heart, name: 'Eva', language: 'German' });
  expect(voiceOf(nora, [...VOICES, german, heart])).toBe(heart);
  expect(voiceOf(marcus, [...VOICES, german, heart])).toBe(russell);
  expect(voiceAfterRecast({ from: marcus, to: nora }, russell, [...VOICES, heart])).toBe(heart);
  expect(voiceAfterRecast({ from: nora, to: ava }, sally, [...VOICES, heart])).toBe(heart);
});

it('calls the built-in voices robotic', () => {
  expect(['flite', 'espeak', 'sherpa', 'other'].map(sourceLabel)).toEqual([
    'Flite: built-in, robotic',
    'eSpeak NG: built-in, robotic',
    'Natural',
    'other',
  ]);
});

it('shows a voice’s name and region, and the provider only to distinguish two equal names', () => {
  expect(voiceLabel(sally, VOICES)).toBe('Sally · United States');
  const twin = voice('Sally', 'female', { voiceProvider: 'espeak' });
  expect(voiceLabel(sally, [...VOICES, twin])).toBe('Sally · United States · Flite');
});

it('tells the language of a video’s words by the voice of its first slide that speaks, otherwise by the slide’s language', () => {
  const slides = (...those: Partial<Slide>[]) => those as Slide[];
  const spoken = { speech: 'Guten Tag.', voice: 'hans', voiceProvider: 'flite', language: 'German' };
  expect(languageTagOf(slides({ speech: ' ' }, spoken), VOICES)).toBe('de-DE');
  expect(languageTagOf(slides({ ...spoken, voice: 'of-another-server' }), VOICES)).toBe('de-DE');
  expect(languageTagOf(slides({ speech: 'Guten Tag.', language: 'de-DE' }), VOICES)).toBe('de-DE');
  expect(languageTagOf(slides({ ...spoken, language: 'Klingon' }, spoken), VOICES)).toBe('und');
  expect(languageTagOf([], VOICES)).toBe('und');
});

describe('the voices of a translation', () => {
  const spoken = ({ voice: id, voiceProvider, language }: ListedVoice) =>
    ({ id: 1, voice: id, voiceProvider, language }) as Slide;

  it('are told with those that they replace, once each, and marked where the sex is another', () => {
    const before = [spoken(sally), spoken(sally), spoken(russell), spoken(kate)];
    expect(substitutions(before, [spoken(hans), spoken(hans), spoken(hans), spoken(kate)], VOICES)).toEqual([
      { text: 'Hans (German, male) speaks in place of Sally (female).', isOther: true },
      { text: 'Hans (German, male) speaks in place of Russell.', isOther: false },
    ]);
    expect(substitutions(before, before, VOICES)).toEqual([]);
  });
});
