import { parentPort, workerData } from 'node:worker_threads';
import type { ModelFolder, NaturalVoiceModel } from '@figurehead/media';
import { installModel } from './install.js';

/** Start data of the thread. */
export interface InstallOrder extends ModelFolder {
  readonly voice: NaturalVoiceModel;
  readonly mirror?: string;
}

// Runs in a separate, short-lived thread, because unpacking takes a minute of processor time.
const { voice, ...options } = workerData as InstallOrder;
await installModel(voice, { ...options, onProgress: () => undefined });
parentPort?.postMessage('installed');
