import { parentPort, workerData } from 'node:worker_threads';
import type { NaturalVoiceModel } from '@figurehead/media';
import { installModel } from './install.js';

/** Start data of the thread. */
export interface InstallOrder {
  readonly voice: NaturalVoiceModel;
  readonly folder: string;
  readonly mirror?: string;
}

// Runs in a separate, short-lived thread, because unpacking takes a minute of processor time.
const { voice, folder, mirror } = workerData as InstallOrder;
await installModel(voice, { folder, mirror, onProgress: () => undefined });
parentPort?.postMessage('installed');
