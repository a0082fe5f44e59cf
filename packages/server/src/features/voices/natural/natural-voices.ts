import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { NaturalVoice as ListedVoice } from '@figurehead/contract';
import {
  compiledUrl,
  findSherpa,
  type ModelFolder,
  type NaturalVoiceModel,
  naturalVoices,
  needsSherpa,
} from '@figurehead/media';
import type { Kernel } from '../../../kernel/contract.js';
import { missingAsUndefined } from '../../../kernel/storage/files.js';
import { naturalFolder } from '../speech.js';
import { bytesOf, downloadsFor, isAdded } from './install.js';
import type { InstallOrder } from './install-thread.js';

/** A download whose file has grown within this time is running, in this or another process. */
const ALIVE_MS = 20_000;

/** Installs natural voices for the console, on the machine of the API. */
export interface NaturalVoices {
  list(): Promise<ListedVoice[]>;
  find(name: string): NaturalVoiceModel | undefined;
  /** Starts or continues an installation; does nothing when it is running or complete. */
  add(voice: NaturalVoiceModel): Promise<ListedVoice>;
  /** Adds a voice for a language in the background when there is none at all, unless the configuration prevents it. @param locale BCP 47. */
  addFirst(locale: string): Promise<void>;
}

/** @param voices the catalogue. @param place of the installations. */
export function createNaturalVoices(
  { config, lifecycle, log }: Pick<Kernel, 'config' | 'lifecycle' | 'log'>,
  voices: readonly NaturalVoiceModel[] = naturalVoices(),
  place: ModelFolder = naturalFolder(config),
): NaturalVoices {
  const running = new Map<string, Worker>();
  const failures = new Map<string, string>();
  lifecycle.onClose('voice downloads', async () => {
    await Promise.all([...running.values()].map((worker) => worker.terminate()));
  });

  async function describe(voice: NaturalVoiceModel): Promise<ListedVoice> {
    const { name, title, languages, speakers, licence, licenceUrl, samples } = voice;
    const { packages, models } = await downloadsFor(voice, place);
    const downloads = [...packages, ...models];
    const parts = await Promise.all(downloads.map(({ part }) => stat(part).catch(missingAsUndefined)));
    // sherpa-onnx comes first, and may be part of another voice's download.
    const own = parts.slice(models.length > 0 ? packages.length : 0).filter((part) => part !== undefined);
    const isInstalled = packages.length === 0 && (await isAdded(voice, place));
    const isUnderWay = running.has(name) || own.some(({ mtimeMs }) => Date.now() - mtimeMs < ALIVE_MS);
    const received = isUnderWay || own.length > 0 ? parts.reduce((sum, part) => sum + (part?.size ?? 0), 0) : 0;
    const isUnsupported = packages.length === 0 && findSherpa(place.runtime) === undefined;
    const error = failures.get(name);
    return {
      ...{ name, title, languages: [...languages], licence, licenceUrl, samples },
      voices: speakers.length,
      bytes: bytesOf(downloads),
      ...(packages.length > 0 && { engineBytes: bytesOf(packages) }),
      state: isInstalled ? 'installed' : isUnderWay && error === undefined ? 'installing' : 'available',
      received: isInstalled ? bytesOf(downloads) : received,
      ...(error !== undefined && !isInstalled && { error }),
      ...(isUnsupported && { missing: `${needsSherpa('A natural voice', place.runtime)}.` }),
    };
  }

  function start(voice: NaturalVoiceModel): void {
    const { name } = voice;
    const { voicesMirror } = config;
    const order: InstallOrder = { ...place, voice, ...(voicesMirror !== undefined && { mirror: voicesMirror }) };
    const worker = new Worker(compiledUrl('./install-thread.js', import.meta.url), { workerData: order });
    running.set(name, worker);
    worker.on('error', (error) => {
      log.warn({ err: error, voice: name }, 'a natural voice could not be added');
      failures.set(name, error instanceof Error ? error.message : String(error));
    });
    worker.on('exit', () => running.delete(name));
  }

  async function addFirst(locale: string): Promise<void> {
    const [language = ''] = locale.split('-');
    // An administrator has not agreed to the terms of a network that it was finetuned from.
    const voice = voices.find(
      ({ ancestor, speakers }) =>
        ancestor === undefined && speakers.some((one) => one.locale.startsWith(`${language}-`)),
    );
    const added = await Promise.all(voices.map((each) => isAdded(each, place)));
    const isSupported = place.runtime.packages.length > 0 || findSherpa(place.runtime) !== undefined;
    if (!config.naturalVoices || voice === undefined || added.includes(true) || !isSupported || running.size > 0)
      return;
    const { packages, models } = await downloadsFor(voice, place);
    const megabytes = Math.round(bytesOf([...packages, ...models]) / 1e6);
    const { name, licence } = voice;
    log.info(
      { voice: name, megabytes, licence },
      'a natural voice is being fetched in the background; FIGUREHEAD_NATURAL_VOICES=off prevents it',
    );
    start(voice);
  }

  return {
    addFirst,
    list: () => Promise.all(voices.map(describe)),
    find: (name) => voices.find((voice) => voice.name === name),
    async add(voice) {
      // After a failure in this process, a recent partial file does not belong to another process's download.
      const hasFailed = failures.delete(voice.name);
      const { state } = await describe(voice);
      const isFree = state === 'available' || (hasFailed && state === 'installing');
      if (isFree && !running.has(voice.name)) start(voice);
      return describe(voice);
    },
  };
}
