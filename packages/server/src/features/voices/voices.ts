import { createHash } from 'node:crypto';
import { json } from 'node:stream/consumers';
import {
  effectiveColumn,
  type Voice as ListedVoice,
  type SpokenMark,
  type SpokenWord,
  type VoiceCustomization,
  type VoiceGroup,
} from '@figurehead/contract';
import {
  type CatalogueVoice,
  type ResolvedVoice as EngineVoice,
  pronunciationsIn,
  SAMPLE_RATE,
  type Speech,
  SpeechError,
  type SpokenText,
  sampleSentence,
} from '@figurehead/media';
import { encodeWav } from '@figurehead/media/basic';
import type { Static } from '@sinclair/typebox';
import type { Kernel } from '../../kernel/contract.js';
import { ApiError } from '../../kernel/errors.js';
import { FairSemaphore } from '../../kernel/fair-semaphore.js';
import type { CallerWorkspace } from '../../kernel/http/contract.js';
import { SharedWork } from '../../kernel/workers/shared-work.js';
import { chooseVoice, type VoiceChoice } from './choice.js';
import { type Clones, createClones } from './clones/clones.js';
import { createPronunciations, type Pronunciations } from './pronunciations.js';
import { createRecordings, type Recordings } from './recordings/recordings.js';
import { createVoiceSamples, type VoiceSamples } from './samples.js';
import { timesOf } from './speech.js';
import * as store from './store.js';

/** An available voice, with the workspace's settings. */
export interface WorkspaceVoice extends EngineVoice {
  readonly locale: string;
}

/** Stored speech of a text: key of the WAV, length in seconds, words with times in seconds. */
export interface StoredSpeech {
  readonly key: string;
  readonly duration: number;
  readonly words: Static<typeof SpokenWord>[];
  /** `<mark>`s of SSML; absent when it has none. */
  readonly marks?: Static<typeof SpokenMark>[];
}

/** Voices for the API and for rendering. */
export interface Voices {
  list(workspaceId: string): Promise<VoiceGroup[]>;
  readonly clones: Clones;
  /** Pronunciations of the workspace; {@link Voices.resolve} adds them to every voice. */
  readonly pronunciations: Pronunciations;
  /** Creates the samples and icons of {@link Voices.list} on the first request. */
  readonly makeSample: VoiceSamples['make'];
  /** The requested voice, with the workspace's saved settings and the pronunciations that occur in `text` (all without it). Throws a 400. */
  resolve(workspaceId: string, wish: VoiceChoice & { readonly text?: string }): Promise<WorkspaceVoice>;
  /** Saves settings and drops the voice's cached audio. Throws a 400; premium voices need a paid plan. */
  save(workspace: CallerWorkspace, customization: VoiceCustomization): Promise<void>;
  /** Synthesizes the sample sentence of `locale` (default: of the voice) into an object, without the cache. Premium voices are always allowed (§4.1). */
  preview(
    workspaceId: string,
    wish: VoiceCustomization & { locale?: string },
    signal: AbortSignal,
  ): Promise<{ key: string; duration: number; text: string }>;
  /** Synthesizes a text with a resolved voice, or reads it from the workspace's cache. Throws a 400 when the provider refuses it. */
  speak(workspaceId: string, text: string, voice: WorkspaceVoice, signal: AbortSignal): Promise<StoredSpeech>;
  /** Recorded speech of slides. */
  readonly recordings: Recordings;
  /** Synthesizes a text with a resolved voice without storing it. Throws as {@link Voices.speak}. */
  utter(workspaceId: string, text: string, voice: EngineVoice, signal?: AbortSignal): Promise<SpokenText>;
}

/** Concurrent syntheses; two of four are left for other workspaces. An English sentence takes 50 ms, a provider's response seconds. */
const TURNS = { atOnce: 4, perWorkspace: 2, waitingPerWorkspace: 100, waitMs: 15_000 } as const;

/** Cache time of the catalogue, because listing voices takes up to seconds; a new voice may take this long to appear. */
const CATALOGUE_MS = 10_000;

/** @param speech the engine; its creator closes it. */
export function createVoices(kernel: Kernel, speech: Speech): Voices {
  const { aliases } = kernel.config;
  const pronunciations = createPronunciations(kernel);
  const semaphore = new FairSemaphore(TURNS);
  const previews = new SharedWork<{ key: string; duration: number; text: string }>();
  const speeches = new SharedWork<StoredSpeech>();
  const utter = (workspaceId: string, text: string, voice: VoiceToSpeak, signal?: AbortSignal): Promise<SpokenText> =>
    semaphore.run(workspaceId, () => utterNow(speech, voice, text, signal), signal);
  const { recordings, clones, samples, voicesOf, forget } = createCatalogue(kernel, speech, utter);
  const choose = async (workspaceId: string, wish: VoiceChoice): Promise<CatalogueVoice> =>
    chooseVoice(await voicesOf(workspaceId), aliases, wish);
  const spokenAs = async (workspaceId: string, { provider, voice, locale, language }: CatalogueVoice) => {
    const own = await pronunciations.dictionary(workspaceId, { language, locale });
    return { provider, voice, locale, ...(own && { pronunciations: own }) };
  };

  return {
    pronunciations,
    recordings,
    clones,
    makeSample: samples.make,
    async list(workspaceId) {
      const [voices, saved] = await Promise.all([
        voicesOf(workspaceId),
        store.listCustomizations(kernel.db, workspaceId),
      ]);
      return groupByLanguage(voices, { saved, samples });
    },
    async resolve(workspaceId, wish) {
      const found = await choose(workspaceId, wish);
      const { provider, voice } = found;
      const [saved, spoken] = await Promise.all([
        store.findCustomization(kernel.db, { workspaceId, provider, voice }),
        spokenAs(workspaceId, found),
      ]);
      return { ...spoken, ...neededFor(wish.text, spoken.pronunciations), ...settingsOf(saved ?? {}) };
    },
    async save(workspace, customization) {
      const { provider, voice, premium } = await choose(workspace.id, { ...customization, providerField: 'provider' });
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
      await forget(workspace.id, { provider, voice });
    },
    async preview(workspaceId, wish, signal) {
      const found = await choose(workspaceId, { ...wish, providerField: 'provider' });
      const { provider, voice, locale } = found;
      const text = sampleSentence(wish.locale ?? locale);
      const spoken = await spokenAs(workspaceId, found);
      const wanted: VoiceToSpeak = { ...spoken, ...settingsOf(wish), fresh: true };
      const key = `${workspaceId}/previews/${hashOf([provider, voice, locale, wish.stability, wish.speed, text])}.wav`;
      const make = async (stop: AbortSignal) => {
        const utterance = await utter(workspaceId, text, wanted, stop);
        await kernel.objects.put(key, encodeWav(utterance.samples), 'audio/wav');
        return { key, duration: utterance.samples.length / SAMPLE_RATE, text };
      };
      return previews.run(`${key} ${hashOf([wanted])}`, make, signal);
    },
    async speak(workspaceId, text, wanted, signal) {
      // A changed word that is not in the text needs no new synthesis.
      const voice = { ...wanted, pronunciations: pronunciationsIn(text, wanted.pronunciations ?? {}) };
      const key = `${cachePrefix(workspaceId, voice)}${hashOf([voice, text])}`;
      const cached = await readJson<Omit<StoredSpeech, 'key'>>(kernel, `${key}.json`);
      if (cached !== undefined) return { key: `${key}.wav`, ...cached };
      const make = async (stop: AbortSignal): Promise<StoredSpeech> =>
        storeSpeech(kernel, key, await utter(workspaceId, text, voice, stop));
      return speeches.run(key, make, signal);
    },
    utter,
  };
}

/** Only the pronunciations that `text` needs, if both are known. */
function neededFor(text: string | undefined, pronunciations: VoiceToSpeak['pronunciations']) {
  if (text === undefined || pronunciations === undefined) return {};
  return { pronunciations: pronunciationsIn(text, pronunciations) };
}

/** The voices of workspaces, their samples and their recordings. */
function createCatalogue(kernel: Kernel, speech: Speech, utter: Voices['utter']) {
  const allVoices = remembered(kernel, () => speech.voices());
  const recordings = createRecordings(kernel);
  const forget = async (workspaceId: string, { provider, voice }: Pick<CatalogueVoice, 'provider' | 'voice'>) => {
    speech.forget(provider, voice);
    await kernel.objects.deletePrefix(cachePrefix(workspaceId, { provider, voice }));
  };
  const clones = createClones(kernel, {
    ...{ speech, recordings, voices: allVoices },
    forget: async (workspaceId, voice) => {
      await forget(workspaceId, voice);
      await samples.remove(voice);
    },
  });
  const voicesOf = async (workspaceId?: string): Promise<CatalogueVoice[]> =>
    clones.within(await allVoices(), workspaceId);
  const samples = createVoiceSamples(kernel, { utter, voices: () => voicesOf() });
  return { recordings, clones, samples, voicesOf, forget };
}

/** Caches the result of `ask` for {@link CATALOGUE_MS}; a failure is not cached. */
function remembered<T>({ clock }: Kernel, ask: () => Promise<T>): () => Promise<T> {
  let known: { readonly answer: Promise<T>; readonly until: number } | undefined;
  return () => {
    if (known !== undefined && clock.monotonic() < known.until) return known.answer;
    const answer = ask();
    known = { answer, until: clock.monotonic() + CATALOGUE_MS };
    answer.catch(() => {
      known = undefined;
    });
    return answer;
  };
}

/** A voice, and whether to bypass the engine's cache. */
type VoiceToSpeak = EngineVoice & { readonly fresh?: boolean };

async function storeSpeech(kernel: Kernel, key: string, { samples, marks }: SpokenText): Promise<StoredSpeech> {
  const spoken = timesOf({ samples: samples.length, marks });
  await kernel.objects.put(`${key}.wav`, encodeWav(samples), 'audio/wav');
  // Written last, so that a reader who finds it also finds the sound.
  await kernel.objects.put(`${key}.json`, Buffer.from(JSON.stringify(spoken)), 'application/json');
  return { key: `${key}.wav`, ...spoken };
}

async function utterNow(
  speech: Speech,
  { provider, ...options }: VoiceToSpeak,
  text: string,
  signal: AbortSignal | undefined,
): Promise<SpokenText> {
  try {
    return await speech.utter(provider, text, { ...options, ...(signal && { signal }) });
  } catch (error) {
    if (error instanceof SpeechError) throw new ApiError('invalid', { reason: error.message });
    throw error;
  }
}

interface Presentation {
  readonly saved: readonly store.CustomizationRow[];
  readonly samples: VoiceSamples;
}

function groupByLanguage(voices: readonly CatalogueVoice[], { saved, samples }: Presentation): VoiceGroup[] {
  const groups = new Map<string, VoiceGroup>();
  for (const voice of voices.toSorted((a, b) => Number(b.natural !== undefined) - Number(a.natural !== undefined))) {
    const group = groups.get(voice.language) ?? { name: voice.language, male: [], female: [] };
    groups.set(voice.language, group);
    const own = saved.find((row) => row.provider === voice.provider && row.voice === voice.voice);
    group[voice.gender].push({ ...present(voice, samples.links(voice)), ...settingsOf(own ?? {}) });
  }
  return [...groups.values()].sort(
    (a, b) => Number(b.name === 'English') - Number(a.name === 'English') || a.name.localeCompare(b.name),
  );
}

function present(voice: CatalogueVoice, { icon, url }: { icon: string; url: string }): ListedVoice {
  return {
    character: voice.name,
    voice: voice.voice,
    voiceProvider: voice.provider,
    locale: voice.locale,
    icon,
    tags: [
      voice.gender,
      ...(voice.age === undefined ? [] : [voice.age]),
      ...(voice.natural === undefined ? [] : ['natural']),
      voice.provider,
    ],
    premium: voice.premium,
    name: voice.name,
    url,
  };
}

function settingsOf(settings: { stability?: number | null; speed?: number | null }): {
  stability?: number;
  speed?: number;
} {
  const { stability, speed } = settings;
  return { ...(stability == null ? {} : { stability }), ...(speed == null ? {} : { speed }) };
}

/** Voice ids may contain characters that object keys must not have. */
function cachePrefix(workspaceId: string, { provider, voice }: { provider: string; voice: string }): string {
  return `${workspaceId}/speech/${provider}-${hashOf([voice])}/`;
}

function hashOf(values: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 32);
}

async function readJson<T>(kernel: Kernel, key: string): Promise<T | undefined> {
  const object = await kernel.objects.get(key);
  return object && ((await json(object.body)) as T);
}
