import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '../../../priority.js';
import { tapWaves } from './wave-tap.js';

// Runs in a separate, short-lived thread, because reading and compiling 20 MB would block the API's event loop for 0.25 s.
lowerThreadPriority(5);
const program: unknown = workerData;
if (typeof program !== 'string') throw new Error('expected the path of the program');
parentPort?.postMessage(await tapWaves(await readFile(program)));
