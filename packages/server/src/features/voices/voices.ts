import { createHash } from 'node:crypto';
import {
  effectiveColumn,
  type Voice as ListedVoice,
  type SpokenWord,
  type VoiceCustomization,
  type VoiceGroup,
} from '@figurehead/contract';
import {
  type ProviderName,
  SAMPLE_RATE,
  type Speech,
  SpeechError,
  sampleSentence,
  type Utterance,
  type Voice,
} from '@figurehead/media';
import type { Static } from '@sinclair/typebox';
import type { Kernel } from '../../kernel/contract.js';
import type { CallerWorkspace } from '../../kernel/http-contract.js';
import { ApiError } from '../../kernel/http-error.js';
import { chooseVoice, type VoiceWish } from './choice.js';
import * as store from './store.js';
import { encodeWav } from './wav.js';

/** A voice that can speak here, and how the workspace wants it spoken. */
export interface ResolvedVoice {
  readonly provider: ProviderName;
  readonly voice: string;
  readonly locale: string;
  readonly speed?: number;
  readonly stability?: number;
}

/** Speech of a text, stored: key of the WAV, length in seconds, words with times in seconds. */
export interface StoredSpeech {
  readonly key: string;
  readonly duration: number;
  readonly words: Static<typeof SpokenWord>[];
}

/** Voices as the API and the engine's users see them. */
export interface Voices {
  list(workspaceId: string): Promise<VoiceGroup[]>;
  /** The voice that is meant, with the workspace's saved settings. Throws a 400. */
  resolve(workspaceId: string, wish: VoiceWish): Promise<ResolvedVoice>;
  /** Saves settings and drops the voice's cached audio. Throws a 400; premium voices need a paid plan. */
  save(workspace: CallerWorkspace, customization: VoiceCustomization): Promise<void>;
  /** Speaks the sample sentence of `locale` (else of the voice) anew, into an object. Premium voices are always allowed (§4.1). */
  preview(
    workspaceId: string,
    wish: VoiceCustomization & { locale?: string },
    signal: AbortSignal,
  ): Promise<{ key: string; duration: number; text: string }>;
  /** Speaks a text with a resolved voice, from the workspace's cache when it was spoken before. Throws a 400 for what the provider refuses. */
  speak(workspaceId: string, text: string, voice: ResolvedVoice, signal: AbortSignal): Promise<StoredSpeech>;
}

/** Asking every provider for its voices takes milliseconds to seconds; a new voice may take this long to appear. */
const CATALOGUE_MS = 10_000;

/** @param speech the engine; its creator closes it. */
export function createVoices(kernel: Kernel, speech: Speech): Voices {
  const { aliases } = kernel.config;
  let known: { readonly voices: Promise<readonly Voice[]>; readonly until: number } | undefined;
  const allVoices = (): Promise<readonly Voice[]> => {
    const now = kernel.clock.now();
    if (known !== undefined && now < known.until) return known.voices;
    const voices = speech.voices();
    known = { voices, until: now + CATALOGUE_MS };
    // A provider that is down for a moment is asked again by the next caller.
    voices.catch(() => {
      known = undefined;
    });
    return voices;
  };
  const choose = async (wish: VoiceWish): Promise<Voice> => chooseVoice(await allVoices(), aliases, wish);

  return {
    async list(workspaceId) {
      const [voices, saved] = await Promise.all([allVoices(), store.listCustomizations(kernel.db, workspaceId)]);
      return groupByLanguage(voices, saved);
    },
    async resolve(workspaceId, wish) {
      const { provider, voice, locale } = await choose(wish);
      const saved = await store.findCustomization(kernel.db, { workspaceId, provider, voice });
      return { provider, voice, locale, ...settingsOf(saved ?? {}) };
    },
    async save(workspace, customization) {
      const { provider, voice, premium } = await choose(customization);
      if (premium && effectiveColumn(workspace.plan, workspace.status) === 'Free')
        throw new ApiError('premiumVoice', { voice });
      await store.saveCustomization(kernel.db, {
        workspaceId: workspace.id,
        provider,
        voice,
        language: customization.language,
        stability: customization.stability ?? null,
        speed: customization.speed ?? null,
        updatedAt: new Date(kernel.clock.now()),
      });
      speech.forget(provider, voice);
      await kernel.objects.deletePrefix(cachePrefix(workspace.id, { provider, voice }));
    },
    async preview(workspaceId, wish, signal) {
      const { provider, voice, locale } = await choose(wish);
      const text = sampleSentence(wish.locale ?? locale);
      const utterance = await utter(
        speech,
        { provider, voice, locale, ...settingsOf(wish), fresh: true },
        text,
        signal,
      );
      const key = `${workspaceId}/previews/${hashOf([provider, voice, locale, wish.stability, wish.speed, text])}.wav`;
      await kernel.objects.put(key, encodeWav(utterance.samples), 'audio/wav');
      return { key, duration: utterance.samples.length / SAMPLE_RATE, text };
    },
    async speak(workspaceId, text, voice, signal) {
      const key = `${cachePrefix(workspaceId, voice)}${hashOf([voice, text])}`;
      const cached = await readJson<Omit<StoredSpeech, 'key'>>(kernel, `${key}.json`);
      if (cached !== undefined) return { key: `${key}.wav`, ...cached };
      const utterance = await utter(speech, voice, text, signal);
      const words = utterance.marks.words.map(({ text: word, start, end }) => ({
        text: word,
        start: start / SAMPLE_RATE,
        end: end / SAMPLE_RATE,
      }));
      const spoken = { duration: utterance.samples.length / SAMPLE_RATE, words };
      await kernel.objects.put(`${key}.wav`, encodeWav(utterance.samples), 'audio/wav');
      // Last: whoever finds it finds the sound as well.
      await kernel.objects.put(`${key}.json`, Buffer.from(JSON.stringify(spoken)), 'application/json');
      return { key: `${key}.wav`, ...spoken };
    },
  };
}

async function utter(
  speech: Speech,
  { provider, ...options }: ResolvedVoice & { readonly fresh?: boolean },
  text: string,
  signal: AbortSignal,
): Promise<Utterance> {
  try {
    return await speech.utter(provider, text, { ...options, signal });
  } catch (error) {
    if (error instanceof SpeechError) throw new ApiError('invalid', { reason: error.message });
    throw error;
  }
}

function groupByLanguage(voices: readonly Voice[], saved: readonly store.CustomizationRow[]): VoiceGroup[] {
  const groups = new Map<string, VoiceGroup>();
  for (const voice of voices) {
    const group = groups.get(voice.language) ?? { name: voice.language, male: [], female: [] };
    groups.set(voice.language, group);
    const own = saved.find((row) => row.provider === voice.provider && row.voice === voice.voice);
    group[voice.gender].push(present(voice, own));
  }
  return [...groups.values()].sort(
    (a, b) => Number(b.name === 'English') - Number(a.name === 'English') || a.name.localeCompare(b.name),
  );
}

function present(voice: Voice, saved: store.CustomizationRow | undefined): ListedVoice {
  return {
    character: voice.name,
    voice: voice.voice,
    voiceProvider: voice.provider,
    locale: voice.locale,
    icon: '',
    tags: [voice.gender, voice.provider],
    premium: voice.premium,
    name: voice.name,
    url: '',
    ...settingsOf(saved ?? {}),
  };
}

function settingsOf(settings: { stability?: number | null; speed?: number | null }): {
  stability?: number;
  speed?: number;
} {
  const { stability, speed } = settings;
  return { ...(stability == null ? {} : { stability }), ...(speed == null ? {} : { speed }) };
}

/** Voice ids hold characters that keys of objects must not. */
function cachePrefix(workspaceId: string, { provider, voice }: { provider: string; voice: string }): string {
  return `${workspaceId}/speech/${provider}-${hashOf([voice])}/`;
}

function hashOf(values: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 32);
}

async function readJson<T>(kernel: Kernel, key: string): Promise<T | undefined> {
  const object = await kernel.objects.get(key);
  if (object === undefined) return undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of object.body) chunks.push(Buffer.from(chunk as Uint8Array));
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as T;
}
