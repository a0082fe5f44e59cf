import { readFile } from 'node:fs/promises';
import { CLONE_SECONDS, MAX_CLONES, type VoiceClone, type VoiceCloneInput } from '@figurehead/contract';
import {
  type CatalogueVoice,
  type ProviderName,
  SAMPLE_RATE,
  type Speech,
  SpeechError,
  type SpeechTrack,
} from '@figurehead/media';
import type { Kernel } from '../../../kernel/contract.js';
import { ApiError, invalidFields, requireOwn } from '../../../kernel/errors.js';
import type { Caller } from '../../../kernel/http/contract.js';
import { requireDiskSpace } from '../../../kernel/storage/disk-space.js';
import { consentOf } from '../../workspaces/index.js';
import { speaks } from '../choice.js';
import type { Recordings } from '../recordings/recordings.js';
import { recordingKey } from './clone-recording.js';
import * as store from './clone-store.js';

/** Cloned voices of workspaces. Each belongs to the workspace that made it. */
export interface Clones {
  list(workspaceId: string): Promise<VoiceClone[]>;
  /** The catalogue as a workspace may use it: with its own cloned voices, without those of others. Without a workspace: with all. */
  within(voices: readonly CatalogueVoice[], workspaceId: string | undefined): Promise<CatalogueVoice[]>;
  /** Makes a voice. Throws a 400 for an unusable recording, without consent, and when no engine can clone. */
  create(caller: Caller, input: VoiceCloneInput, signal: AbortSignal): Promise<VoiceClone>;
  /** The voice with this id. Throws `notFound` and `foreign`. */
  load(caller: Caller, id: string): Promise<store.VoiceCloneRow>;
  /**
   * Removes a voice, its recording, and everything that {@link ClonesParts.forget} removes. Of a provider that is not configured the voice is removed
   * when it is configured again.
   */
  remove(row: store.VoiceCloneRow): Promise<{ _id: string; deleted: true }>;
  /** Removes voices at their providers that have no row: their process died between the two, or their provider was not configured. */
  removeUnowned(): Promise<void>;
}

interface ClonesParts {
  readonly speech: Pick<Speech, 'cloning'>;
  readonly recordings: Recordings;
  readonly voices: () => Promise<readonly CatalogueVoice[]>;
  /** Removes cached speech and samples of a voice. */
  readonly forget: (workspaceId: string, voice: CatalogueVoice) => Promise<void>;
}

/** Below this energy a hop counts as a pause, and speech has at least this share of them; music and noise have none. */
const PAUSE_ENERGY = 0.3;
const PAUSE_SHARE = 0.05;

/** A voice is made within this time. */
const MAKING_MS = 3600_000;

/** Creates {@link Clones} over the database and the objects. */
export function createClones(kernel: Kernel, { speech, recordings, voices, forget }: ClonesParts): Clones {
  const configured = (provider: ProviderName) =>
    speech.cloning(provider).catch((error: unknown) => {
      if (error instanceof SpeechError && error.code === 'not_configured') return undefined;
      throw error;
    });

  /** The recording as a WAV file, checked. */
  async function read(workspaceId: string, input: VoiceCloneInput, signal: AbortSignal) {
    let wav: Buffer | undefined;
    const { recording, text = '', language = null } = input;
    const wish = { src: recording.src, script: text, language, seconds: CLONE_SECONDS };
    const onSound = async (file: string): Promise<void> => {
      wav = await readFile(file);
    };
    const track = await recordings.read(workspaceId, wish, { signal, onSound });
    const problem = problemOf(track);
    if (problem !== undefined || wav === undefined)
      throw invalidFields([{ field: 'recording', message: `cannot become a voice: ${problem ?? 'it has no sound'}` }]);
    return { wav, seconds: track.samples / SAMPLE_RATE };
  }

  async function create(caller: Caller, input: VoiceCloneInput, signal: AbortSignal): Promise<VoiceClone> {
    const consent = await consentOf(kernel, caller, input.consent, {
      missing: 'is missing: state how the person in the recording agreed',
    });
    const { language = 'English' } = input;
    const like = (await voices()).find((voice) => speaks(voice, language));
    if (like === undefined) throw invalidFields([{ field: 'language', message: 'is not a language of this server' }]);
    const cloning = await speech.cloning(input.provider).catch(refused);
    const { wav, seconds } = await read(caller.workspace.id, input, signal);
    await requireDiskSpace(kernel, wav.length);
    const id = kernel.ids.next();
    const createdAt = new Date(kernel.clock.now());
    // Written first, so that no voice stays at the provider when this process dies before it has written the row.
    await store.insertUnowned(kernel.db, { id, provider: cloning.provider, voice: null, createdAt });
    const voice = await cloning.add({ id, name: input.name, wav }).catch(refused);
    const row: store.VoiceCloneRow = {
      ...{ id, workspaceId: caller.workspace.id, name: input.name, gender: input.gender },
      ...{ language: like.language, locale: like.locale, provider: cloning.provider, voice, seconds },
      ...{ consentStatement: consent.statement, consentGivenBy: consent.givenBy },
      createdAt,
    };
    try {
      await kernel.objects.put(recordingKey(row), wav, 'audio/wav');
      await kernel.transaction(async (tx) => {
        if ((await store.voiceClones.count(tx, row.workspaceId)) >= MAX_CLONES) {
          const reason = `A workspace may have ${MAX_CLONES} cloned voices. Delete one that is no longer used.`;
          throw new ApiError('invalid', { reason });
        }
        await store.voiceClones.insert(tx, row);
        await store.deleteUnowned(tx, id);
      });
    } catch (error) {
      await kernel.objects.delete(recordingKey(row));
      await cloning.remove(voice).catch((err: unknown) => {
        kernel.log.warn({ err }, 'a voice is removed at its provider later');
      });
      throw error;
    }
    return present(row);
  }

  return {
    create,
    list: async (workspaceId) => (await store.voiceClones.all(kernel.db, workspaceId)).map(present),
    async within(all, workspaceId) {
      // Only voices of a network provider are in its list as well.
      const [cloned, own] = await Promise.all([
        store.findCloned(kernel.db, all),
        workspaceId === undefined ? store.listClones(kernel.db) : store.voiceClones.all(kernel.db, workspaceId),
      ]);
      const isCloned = new Set(cloned.map(({ provider, voice }) => `${provider}:${voice}`));
      return [...all.filter(({ provider, voice }) => !isCloned.has(`${provider}:${voice}`)), ...own.map(asVoice)];
    },
    load: async (caller, id) =>
      requireOwn(await store.voiceClones.find(kernel.db, id), caller.workspace.id, 'cloned voice'),
    async remove(row) {
      // First at the provider: when that fails, the voice is still listed and can be deleted again.
      const cloning = await configured(row.provider);
      await cloning?.remove(row.voice).catch(refused);
      await kernel.transaction(async (tx) => {
        await store.voiceClones.delete(tx, row.id);
        if (cloning !== undefined) return;
        const { id, provider, voice } = row;
        await store.insertUnowned(tx, { id, provider, voice, createdAt: new Date(kernel.clock.now()) });
      });
      await kernel.objects.delete(recordingKey(row));
      await forget(row.workspaceId, asVoice(row));
      return { _id: row.id, deleted: true };
    },
    async removeUnowned() {
      const before = new Date(kernel.clock.now() - MAKING_MS);
      for (const { id, provider, voice } of await store.listUnowned(kernel.db, before)) {
        const cloning = await configured(provider);
        if (cloning === undefined) continue;
        try {
          const made = voice ?? (await cloning.find(id));
          if (made !== undefined) await cloning.remove(made);
          await store.deleteUnowned(kernel.db, id);
        } catch (err) {
          // The others do not wait for a provider that is away.
          kernel.log.warn({ err, provider }, 'a voice could not be removed at its provider');
        }
      }
    },
  };
}

function refused(error: unknown): never {
  if (error instanceof SpeechError) throw new ApiError('invalid', { reason: sentence(error.message) });
  throw error;
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}

/** Why a recording cannot be imitated, if so. */
function problemOf({ energy }: SpeechTrack): string | undefined {
  const pauses = energy.filter((value) => value < PAUSE_ENERGY).length / energy.length;
  if (pauses < PAUSE_SHARE)
    return 'it has no pauses between words, as music or a noisy room has none; record one person in a quiet room';
  return undefined;
}

function asVoice(row: store.VoiceCloneRow): CatalogueVoice {
  const { provider, voice, name, language, locale, gender } = row;
  return { provider, voice, name, language, locale, gender, premium: false };
}

function present(row: store.VoiceCloneRow): VoiceClone {
  const { id, name, gender, language, voice, provider, seconds, createdAt } = row;
  const givenAt = createdAt.toISOString();
  const consent = { statement: row.consentStatement, givenBy: row.consentGivenBy, givenAt };
  return { id, name, gender, language, voice, voiceProvider: provider, seconds, consent, createdAt: givenAt };
}
