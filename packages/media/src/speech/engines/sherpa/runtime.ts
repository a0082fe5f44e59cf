import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { isInstalled } from '../../../optional-package.js';

/*
 * sherpa-onnx (github.com/k2-fsa/sherpa-onnx, Apache-2.0), loaded on first use. It is only needed for natural voices and recognition on this machine:
 * either the npm package is installed next to Figurehead, or its archives are unpacked in the data folder when the first model is added (32 MB).
 */

/** The used part of sherpa-onnx's model configuration. */
export interface SherpaConfig {
  readonly model: Readonly<Record<string, unknown>>;
  readonly maxNumSentences: number;
  /** Of the network's own pauses, relative to their length. */
  readonly silenceScale: number;
}

/** A loaded model. */
export interface SherpaTts {
  readonly sampleRate: number;
  generate(request: {
    readonly text: string;
    readonly sid: number;
    readonly speed: number;
    readonly enableExternalBuffer: boolean;
    /** For networks that start from noise, instead of `sid` and `speed`. */
    readonly generationConfig?: Readonly<Record<string, unknown>>;
  }): { readonly samples: Float32Array; readonly sampleRate: number };
}

const PACKAGE = 'sherpa-onnx-node';

/**
 * A `.tgz`, `.tar.bz2` or `.whl` with everything in the folder `root`, or a file that is used as it is. All addresses have the same bytes. The checksum is a
 * SHA-256, or the MD5 where its publisher gives no other.
 */
interface Archive {
  readonly root: string;
  readonly urls: readonly string[];
  readonly bytes: number;
  readonly sha256?: string;
  readonly md5?: string;
}

/** An npm package of sherpa-onnx, or a model for it. */
export interface SherpaPackage {
  /** Name of its folder once installed; of a model also for `figurehead voices add`. */
  readonly name: string;
  readonly archive: Archive;
}

/** Where sherpa-onnx is on this machine, and what it consists of. Structured-cloneable. */
export interface SherpaRuntime {
  /** Operating system and architecture, as in the names of the packages. */
  readonly platform: string;
  /** Modules to load it from, best first: the package next to Figurehead, and the download. */
  readonly modules: readonly string[];
  /** Folder of the download; each package is in a folder of its name inside `node_modules`. It appears in one step, and it need not exist. */
  readonly place: string;
  /** What is downloaded; empty when there is no package for this platform. */
  readonly packages: readonly SherpaPackage[];
}

interface Release {
  readonly version: string;
  readonly packages: Readonly<Record<string, Pick<Archive, 'bytes' | 'sha256'>>>;
}

/** The pinned packages of all platforms: `packages/media/data/sherpa-runtime.json`. */
export function sherpaPackages(): SherpaPackage[] {
  const { version, packages }: Release = createRequire(import.meta.url)('../../../../data/sherpa-runtime.json');
  return Object.entries(packages).map(([name, pinned]) => {
    const url = `https://registry.npmjs.org/${name}/-/${name}-${version}.tgz`;
    return { name, archive: { root: 'package', urls: [url], ...pinned } };
  });
}

/** sherpa-onnx for a platform. A download stays in use after upgrades of Figurehead. @param folder of downloads. */
export function sherpaRuntime(
  folder: string,
  platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`,
): SherpaRuntime {
  const place = resolve(folder, platform);
  const names = [PACKAGE, `sherpa-onnx-${platform}`];
  const packages = sherpaPackages().filter(({ name }) => names.includes(name));
  const modules = [PACKAGE, join(place, 'node_modules', PACKAGE)];
  return { platform, modules, place, packages: packages.length === names.length ? packages : [] };
}

/** The module to load sherpa-onnx from; `undefined` when it is missing. Loads nothing; a download of another process is found at once. */
export function findSherpa({ modules }: Pick<SherpaRuntime, 'modules'>): string | undefined {
  return modules.find(isInstalled);
}

/** Why a model does not work without sherpa-onnx, and what to do. @param what the model. */
export function needsSherpa(what: string, { platform, packages }: SherpaRuntime): string {
  return packages.length === 0
    ? `${what} needs sherpa-onnx, which has no package for ${platform}`
    : `${what} needs sherpa-onnx, which is missing; figurehead voices add fetches it with any natural voice or recogniser`;
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

/** Loads a voice into memory. @param runtime from {@link findSherpa}. */
export function loadSherpa(runtime: string, config: SherpaConfig): SherpaTts {
  return new (sherpa(runtime).OfflineTts)(config);
}

/** As {@link loadSherpa}, a recogniser. */
export function loadSherpaRecogniser(runtime: string, config: SherpaRecogniserConfig): SherpaAsr {
  return new (sherpa(runtime).OfflineRecognizer)(config);
}

interface Sherpa {
  readonly OfflineTts: new (config: SherpaConfig) => SherpaTts;
  readonly OfflineRecognizer: new (config: SherpaRecogniserConfig) => SherpaAsr;
}

function sherpa(runtime: string): Sherpa {
  return createRequire(import.meta.url)(runtime) as Sherpa;
}
