import { createRequire } from 'node:module';
import { isInstalled } from '../../../optional-package.js';

/*
 * sherpa-onnx (github.com/k2-fsa/sherpa-onnx, Apache-2.0), loaded on first use: its package is installed by those who use natural voices (32 MB).
 */

/** Configuration of a model, in its own terms; the parts that are used. */
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
  }): { readonly samples: Float32Array; readonly sampleRate: number };
}

const PACKAGE: string = 'sherpa-onnx-node';

/** What is told to an operator without the package. */
export const SHERPA_MISSING = `the package ${PACKAGE} is not installed; run: npm install ${PACKAGE}`;

/** Whether the package can be found from here; nothing is loaded. */
export function isSherpaInstalled(): boolean {
  return isInstalled(PACKAGE);
}

/** Loads a model; it stays in memory. Throws an Error that says how to install the package when it is not there. */
export function loadSherpa(config: SherpaConfig): SherpaTts {
  if (!isSherpaInstalled()) throw new Error(SHERPA_MISSING);
  const { OfflineTts } = createRequire(import.meta.url)(PACKAGE) as {
    OfflineTts: new (config: SherpaConfig) => SherpaTts;
  };
  return new OfflineTts(config);
}
