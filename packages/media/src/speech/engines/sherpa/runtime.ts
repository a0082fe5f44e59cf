import { createRequire } from 'node:module';
import { isInstalled } from '../../../optional-package.js';

/*
 * sherpa-onnx (github.com/k2-fsa/sherpa-onnx, Apache-2.0), loaded on first use. The package (32 MB) is optional and only needed for natural voices and
 * recognition on this machine.
 */

/** The used part of sherpa-onnx's model configuration. */
export interface SherpaConfig {
  readonly model: Readonly<Record<string, unknown>>;
  readonly maxNumSentences: number;
}

/** A loaded model. */
export interface SherpaTts {
  readonly sampleRate: number;
  readonly numSpeakers: number;
  generate(request: {
    readonly text: string;
    readonly sid: number;
    readonly speed: number;
    readonly enableExternalBuffer: boolean;
    /** For models that imitate a recording, instead of `sid` and `speed`. */
    readonly generationConfig?: {
      readonly referenceAudio: Float32Array;
      readonly referenceSampleRate: number;
      readonly numSteps: number;
      readonly extra: Readonly<Record<string, number>>;
    };
  }): { readonly samples: Float32Array; readonly sampleRate: number };
}

const PACKAGE: string = 'sherpa-onnx-node';

/** Message when the package is not installed. */
export const SHERPA_MISSING = `the package ${PACKAGE} is not installed; run: npm install ${PACKAGE}`;

/** Whether the package is installed; does not load it. */
export function isSherpaInstalled(): boolean {
  return isInstalled(PACKAGE);
}

/** The used part of sherpa-onnx's configuration of recognisers. */
export interface SherpaRecogniserConfig {
  readonly featConfig: { readonly sampleRate: number; readonly featureDim: number };
  readonly modelConfig: Readonly<Record<string, unknown>>;
}

/** A stream of sound in a recogniser. */
interface SherpaSound {
  acceptWaveform(sound: { readonly samples: Float32Array; readonly sampleRate: number }): void;
}

/** A loaded recogniser. */
export interface SherpaAsr {
  createStream(): SherpaSound;
  /** Changes the language of Whisper; other networks must not be given another configuration. */
  setConfig(config: SherpaRecogniserConfig): void;
  decode(sound: SherpaSound): void;
  getResult(sound: SherpaSound): { readonly text: string };
}

/** Loads a voice into memory. Throws an Error with the install command when the package is missing. */
export function loadSherpa(config: SherpaConfig): SherpaTts {
  return new (sherpa().OfflineTts)(config);
}

/** As {@link loadSherpa}, a recogniser. */
export function loadSherpaRecogniser(config: SherpaRecogniserConfig): SherpaAsr {
  return new (sherpa().OfflineRecognizer)(config);
}

interface Sherpa {
  readonly OfflineTts: new (config: SherpaConfig) => SherpaTts;
  readonly OfflineRecognizer: new (config: SherpaRecogniserConfig) => SherpaAsr;
}

function sherpa(): Sherpa {
  if (!isSherpaInstalled()) throw new Error(SHERPA_MISSING);
  return createRequire(import.meta.url)(PACKAGE) as Sherpa;
}
