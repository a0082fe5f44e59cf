import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { SpeechError } from '../../contract.js';
import { findSherpa, needsSherpa, type SherpaPackage, type SherpaRuntime } from './runtime.js';

/** A model for sherpa-onnx, a natural voice or a speech recogniser: an entry of the catalogue, and the description of an installed one. */
export interface SherpaModel extends SherpaPackage {
  readonly title: string;
  readonly engine: string;
  /** English names. */
  readonly languages: readonly string[];
  /** SPDX identifier, or the licence's own name. */
  readonly licence: string;
  readonly licenceUrl: string;
  /** The network that it was finetuned from, whose own terms may reach it; `unknown` when its authors do not say. Absent for one trained from scratch. */
  readonly ancestor?: string;
  /** sherpa-onnx's settings of the network, as paths inside the folder; several of one kind as a list. */
  readonly files: Readonly<Record<string, string | readonly string[]>>;
  /** Archives that are unpacked into the same folder. */
  readonly more?: readonly SherpaPackage['archive'][];
  /** Files to be made of those in the archives, of which nothing else is kept; absent when the archives have the model as it is used. */
  readonly made?: Readonly<Record<string, MadeFile>>;
  /** Its other settings, such as `lang`. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/** What a file of a model is made of: files one after the other, with properties for an ONNX file; a text; or a table of eSpeak NG. */
export type MadeFile =
  | { readonly parts: readonly string[]; readonly properties?: Readonly<Record<string, string | number>> }
  | { readonly text: string }
  | { readonly espeak: string };

/** Where models are, and the engine for them. */
export interface ModelFolder {
  /** Contains a folder for each model with its description; it need not exist. */
  readonly folder: string;
  readonly runtime: SherpaRuntime;
}

/** An installed model. */
export interface InstalledModel<Model extends SherpaModel> {
  readonly folder: string;
  /** Module of sherpa-onnx. */
  readonly runtime: string;
  readonly description: Model;
}

/** Entries of the catalogue with one of these engines: `packages/media/data/sherpa-models.json`. */
export function catalogueOf(engines: readonly string[]): unknown[] {
  const rows: unknown = createRequire(import.meta.url)('../../../../data/sherpa-models.json');
  if (!Array.isArray(rows)) throw new Error('expected a list of models');
  return rows.filter(({ engine }: { engine?: unknown }) => engines.some((each) => each === engine));
}

/** Validates what the descriptions of all models have. Throws an Error that names the wrong field. */
export function parseSherpaModel(raw: unknown, engines: readonly string[]): SherpaModel {
  const model = raw as Partial<SherpaModel> | null;
  const { name, engine, archive, more = [], files, settings = {} } = model ?? {};
  if (typeof name !== 'string' || !/^[\p{L}\d][\p{L}\d._-]{0,80}$/u.test(name))
    throw wrongDescription(name, 'a name of letters, digits, . _ -');
  if (!engines.some((each) => each === engine)) throw wrongDescription(name, `an engine of ${engines.join(', ')}`);
  if (typeof files !== 'object' || files === null) throw wrongDescription(name, 'files');
  for (const path of Object.values(files).flat()) {
    if (typeof path !== 'string' || /^[\\/]|\.\.|:/u.test(path))
      throw wrongDescription(name, 'files inside its folder');
  }
  if (
    typeof settings !== 'object' ||
    Object.values(settings).some((each) => !['string', 'number'].includes(typeof each))
  )
    throw wrongDescription(name, 'settings of words and numbers');
  const sums = archive === undefined ? [] : [archive, ...more].map(({ sha256, md5 }) => sha256 ?? md5 ?? '');
  if (sums.some((sum) => !/^(?:[0-9a-f]{64}|[0-9a-f]{32})$/u.test(sum)))
    throw wrongDescription(name, 'a SHA-256 of the archive');
  return model as SherpaModel;
}

/** The error of a wrong field. @param expected what the field must be. */
export function wrongDescription(name: unknown, expected: string): Error {
  return new Error(`expected ${expected} in the description of the model ${String(name)}`);
}

/**
 * Installed models by name; incomplete ones are left out. Throws a {@link SpeechError} `not_configured` when a description is wrong, or when there are
 * models and sherpa-onnx is missing.
 * @param file the description of each.
 */
export async function installedModels<Model extends SherpaModel>(
  { folder, runtime }: ModelFolder,
  file: string,
  parse: (raw: unknown) => Model,
): Promise<InstalledModel<Model>[]> {
  const names = (await readdir(folder).catch(missing)) ?? [];
  const read = async (name: string): Promise<Omit<InstalledModel<Model>, 'runtime'> | undefined> => {
    const place = join(folder, name);
    try {
      return { folder: place, description: parse(JSON.parse(await readFile(join(place, file), 'utf8'))) };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      throw new SpeechError('not_configured', `the description of ${name} cannot be used: ${message}`, {
        cause: error,
      });
    }
  };
  const found = await Promise.all(names.sort().map(read));
  const installed = found.filter((each) => each !== undefined);
  const [first] = installed;
  if (first === undefined) return [];
  const sherpa = requireSherpa(first.description.name, runtime);
  return installed.map((each) => ({ ...each, runtime: sherpa }));
}

/** The module of sherpa-onnx. Throws a {@link SpeechError} `not_configured` when it is missing. @param what needs it. */
export function requireSherpa(what: string, runtime: SherpaRuntime): string {
  const sherpa = findSherpa(runtime);
  if (sherpa === undefined) throw new SpeechError('not_configured', needsSherpa(what, runtime));
  return sherpa;
}

/** For `.catch` of a file operation: `undefined` when the file does not exist. Throws any other error. */
export function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** Absolute paths of a model's files for sherpa-onnx's configuration. */
export function placesOf(folder: string, files: SherpaModel['files']): Record<string, string> {
  const place = (path: string | readonly string[]): string =>
    [path]
      .flat()
      .map((each) => join(folder, each))
      .join(',');
  return Object.fromEntries(Object.entries(files).map(([name, path]) => [name, place(path)]));
}
