import { createRequire } from 'node:module';
import { isInstalled } from '../../../optional-package.js';

/*
 * sherpa-onnx (github.com/k2-fsa/sherpa-onnx, Apache-2.0), loaded on first use. The package (32 MB) is optional and only needed for natural voices.
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
  }): { readonly samples: Float32Array; readonly sampleRate: number };
}

const PACKAGE: string = 'sherpa-onnx-node';

/** Message when the package is not installed. */
export const SHERPA_MISSING = `the package ${PACKAGE} is not installed; run: npm install ${PACKAGE}`;

/** Whether the package is installed; does not load it. */
export function isSherpaInstalled(): boolean {
  return isInstalled(PACKAGE);
}

/** Loads a model into memory. Throws an Error with the install command when the package is missing. */
export function loadSherpa(config: SherpaConfig): SherpaTts {
  if (!isSherpaInstalled()) throw new Error(SHERPA_MISSING);
  const { OfflineTts } = createRequire(import.meta.url)(PACKAGE) as {
    OfflineTts: new (config: SherpaConfig) => SherpaTts;
  };
  return new OfflineTts(config);
}
