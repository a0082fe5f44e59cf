import { parentPort, workerData } from 'node:worker_threads';
import type { NaturalVoice } from '@figurehead/media';
import { installVoice } from './install.js';

/** What the thread is started with. */
export interface InstallOrder {
  readonly voice: NaturalVoice;
  readonly folder: string;
  readonly mirror?: string;
}

// A thread of its own, that ends afterwards: unpacking takes a minute of the processor.
const { voice, folder, mirror } = workerData as InstallOrder;
await installVoice(voice, { folder, mirror, onProgress: () => undefined });
parentPort?.postMessage('installed');
