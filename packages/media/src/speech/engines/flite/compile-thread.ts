import { readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { tapWaves } from './wave-tap.js';

// A thread of its own, that ends afterwards: reading and compiling 20 MB would hold up the event loop of the API for a quarter of a second.
if (process.platform === 'linux') setPriority(5);
const program: unknown = workerData;
if (typeof program !== 'string') throw new Error('expected the path of the program');
parentPort?.postMessage(await WebAssembly.compile(tapWaves(await readFile(program))));
