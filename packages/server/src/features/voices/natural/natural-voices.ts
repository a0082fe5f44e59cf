import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { NaturalVoice as ListedVoice } from '@figurehead/contract';
import {
  compiledUrl,
  isSherpaInstalled,
  type NaturalVoiceModel,
  naturalVoices,
  SHERPA_MISSING,
  VOICE_FILE,
} from '@figurehead/media';
import type { Kernel } from '../../../kernel/contract.js';
import { naturalFolder } from '../speech.js';
import type { InstallOrder } from './install-thread.js';

/** A download whose file has grown within this time is running, in this or another process. */
const ALIVE_MS = 20_000;

/** Installs natural voices for the console, on the machine of the API. */
export interface NaturalVoices {
  list(): Promise<ListedVoice[]>;
  find(name: string): NaturalVoiceModel | undefined;
  /** Starts or continues an installation; does nothing when it is running or complete. */
  add(voice: NaturalVoiceModel): Promise<ListedVoice>;
}

/** @param voices the catalogue. */
export function createNaturalVoices(
  { config, lifecycle, log }: Pick<Kernel, 'config' | 'lifecycle' | 'log'>,
  voices: readonly NaturalVoiceModel[] = naturalVoices(),
): NaturalVoices {
  const folder = naturalFolder(config);
  const running = new Map<string, Worker>();
  const failures = new Map<string, string>();
  lifecycle.onClose('voice downloads', async () => {
    await Promise.all([...running.values()].map((worker) => worker.terminate()));
  });

  async function describe(voice: NaturalVoiceModel): Promise<ListedVoice> {
    const { name, title, languages, speakers, licence, licenceUrl, samples, archive } = voice;
    const part = await fileOf(join(folder, '.downloads', `${archive.sha256}.part`));
    const isInstalled = (await fileOf(join(folder, name, VOICE_FILE))) !== undefined;
    const isUnderWay = running.has(name) || (part !== undefined && Date.now() - part.mtimeMs < ALIVE_MS);
    const error = failures.get(name);
    return {
      ...{ name, title, languages: [...languages], licence, licenceUrl, samples },
      voices: speakers.length,
      bytes: archive.bytes,
      state: isInstalled ? 'installed' : isUnderWay && error === undefined ? 'installing' : 'available',
      received: isInstalled ? archive.bytes : (part?.size ?? 0),
      ...(error !== undefined && !isInstalled && { error }),
      ...(!isSherpaInstalled() && {
        missing: `Natural voices cannot speak yet: ${SHERPA_MISSING} where Figurehead is installed.`,
      }),
    };
  }

  function start(voice: NaturalVoiceModel): void {
    const { name } = voice;
    const { voicesMirror } = config;
    const order: InstallOrder = { voice, folder, ...(voicesMirror !== undefined && { mirror: voicesMirror }) };
    const worker = new Worker(compiledUrl('./install-thread.js', import.meta.url), { workerData: order });
    running.set(name, worker);
    worker.on('error', (error) => {
      log.warn({ err: error, voice: name }, 'a natural voice could not be added');
      failures.set(name, error instanceof Error ? error.message : String(error));
    });
    worker.on('exit', () => running.delete(name));
  }

  return {
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

async function fileOf(path: string): Promise<{ size: number; mtimeMs: number } | undefined> {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
}
