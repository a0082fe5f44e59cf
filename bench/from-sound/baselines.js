/**
 * Other libraries that compute mouth shapes from sound, run without a browser: opening of the mouth every 10 ms, 0 … 1.
 * `wlipsync` 1.3 (uLipSync) has no closed shape: only low volume closes its mouth. `@met4citizen/headaudio` 0.1 has the fifteen visemes.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const RATE = 48_000;
const BLOCK = 128;
const STEP = 480;

/** Opening of each of its visemes. */
const OPEN = { aa: 1, E: 0.7, I: 0.5, O: 0.7, U: 0.4, PP: 0, sil: 0 };
const OTHERS = 0.3;

/** @typedef {{ name: string, open: (samples: Float32Array) => Promise<Float32Array> }} Baseline */

/** The baselines that are installed in a folder of packages; `profile` is a profile of wLipSync, whose package has none. */
export async function openBaselines(/** @type {string} */ modules, /** @type {string | undefined} */ profile) {
  /** @type {Baseline[]} */
  const out = [await headAudio(join(modules, '@met4citizen/headaudio'))];
  if (profile !== undefined) out.push(await wLipSync(join(modules, 'wlipsync/dist'), profile));
  return out;
}

async function headAudio(/** @type {string} */ folder) {
  const load = (/** @type {string} */ file) => import(pathToFileURL(join(folder, 'modules', file)).href);
  const { Processor } = await load('processor.mjs');
  const { Training } = await load('training.mjs');
  const data = await readFile(join(folder, 'dist/model-en-mixed.bin'));
  const names = 'aa E I O U PP SS TH DD FF kk nn RR CH sil'.split(' ');
  const { model } = await new Training().loadModel(`data:application/octet-stream;base64,${data.toString('base64')}`);
  return {
    name: '@met4citizen/headaudio',
    async open(/** @type {Float32Array} */ samples) {
      let viseme = -1;
      const port = {
        /** @param {{ event: string, viseme?: number }} message */
        postMessage(message) {
          if (message.event === 'viseme') viseme = message.viseme ?? viseme;
          if (message.event === 'ended') viseme = -1;
        },
      };
      const processor = new Processor({ sampleRate: RATE }, { port });
      processor._onmessage({ data: { event: 'model', model } });
      const out = new Float32Array(Math.ceil(samples.length / STEP));
      const weights = new Float32Array(names.length);
      for (let at = 0; at < out.length; at++) {
        processor.process(samples.subarray(at * STEP, (at + 1) * STEP));
        // Its node fades a viseme in and out within 100 ms.
        for (let each = 0; each < names.length; each++) {
          weights[each] = Math.max(0, Math.min(1, weights[each] + (each === viseme ? 0.1 : -0.1)));
        }
        const isPressed = (weights[names.indexOf('PP')] ?? 0) >= Math.max(...weights) && viseme >= 0;
        out[at] = isPressed
          ? 0
          : weights.reduce((sum, weight, each) => sum + weight * (OPEN[names[each]] ?? OTHERS), 0);
      }
      return out;
    },
  };
}

async function wLipSync(/** @type {string} */ folder, /** @type {string} */ profileFile) {
  const source = await readFile(join(folder, 'audio-processor.js'), 'utf8');
  const wasmModule = await WebAssembly.compile(await readFile(join(folder, 'wlipsync.wasm')));
  const profile = JSON.parse(await readFile(profileFile, 'utf8'));
  return {
    name: 'wlipsync',
    async open(/** @type {Float32Array} */ samples) {
      let volume = 0;
      class Base {
        port = {
          /** @param {{ volume: number }} message */
          postMessage: (message) => {
            // Scaled as in its node.
            volume = Math.max(0, Math.min(1, Math.log10(message.volume || 1e-9) + 2.5));
          },
        };
      }
      /** @type {any} */
      let Worklet;
      const register = (/** @type {string} */ _, /** @type {unknown} */ found) => {
        Worklet = found;
      };
      new Function('AudioWorkletProcessor', 'registerProcessor', 'sampleRate', 'currentTime', source)(
        Base,
        register,
        RATE,
        0,
      );
      const processor = new Worklet({ processorOptions: { wasmModule, profile } });
      while (processor.inputBufferIndex < 0) await new Promise((resolve) => setTimeout(resolve, 1));
      const out = new Float32Array(Math.ceil(samples.length / STEP));
      for (let at = 0; at + BLOCK <= samples.length; at += BLOCK) {
        processor.process([[samples.subarray(at, at + BLOCK)]], [], { blockSize: [512] });
        out[Math.floor(at / STEP)] = volume;
      }
      return out;
    },
  };
}
