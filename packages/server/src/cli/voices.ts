import { copyFile, mkdir, readdir, rename, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { pathToFileURL } from 'node:url';
import {
  type CatalogueVoice,
  type ModelFolder,
  type NaturalVoiceModel,
  naturalVoices,
  type RecogniserModel,
  recogniserModels,
  sherpaPackages,
  voiceIds,
} from '@figurehead/media';
import {
  bytesOf,
  checkAddresses,
  digestOf,
  downloadsFor,
  installModel,
  installSherpa,
  isAdded,
  naturalFolder,
  openSpeech,
  PIPER_MIRROR,
  piperFolder,
  recogniserFolder,
  textOf,
  VoiceMirror,
} from '../features/voices/index.js';
import { OperatorError } from '../kernel/operator-error.js';
import { jsonOption, notice, print, type Registration, readConfig } from './command.js';

interface AddFlags {
  readonly mirror?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

interface ListFlags {
  readonly provider?: string;
  readonly language?: string;
  readonly json?: boolean;
}

interface AddedVoice {
  readonly voice: string;
  readonly file: string;
  readonly sha256: string;
}

/** A model of the catalogue. */
type Model = NaturalVoiceModel | RecogniserModel;

/** `figurehead voices add`, `available`, `check` and `list`. */
export const registerVoices: Registration = (voices) => {
  voices
    .command('add <name-or-folder>')
    .description(
      'add a natural voice or a speech recogniser by its name, or a Piper voice by its name or as the .onnx files of a folder',
    )
    .option('--mirror <url>', 'where the archives are, or voices.json with the Piper voices: an address, or a folder')
    .option('--yes', 'accept the displayed licence')
    .addOption(jsonOption())
    .action(async (what: string, flags: AddFlags) => {
      const model = allModels().find(({ name }) => name === what);
      // A mirror of Piper voices has its own list of them.
      if (model !== undefined && !(model.engine === 'piper' && /^https?:/u.test(flags.mirror ?? ''))) {
        await addModel(model, flags);
        return;
      }
      const folder = piperFolder(readConfig());
      const added = (await isLocal(what))
        ? await addLocal(what, folder, flags)
        : await addFromMirror(what, folder, flags);
      await addEngine(flags);
      await warnWhenSilent(added);
      print(
        flags.json,
        added,
        added.map(({ voice, file, sha256 }) => `piper:${voice} is in ${file} (sha256 ${sha256})`),
      );
    });
  voices
    .command('available')
    .description('list the natural voices and speech recognisers that can be added, and those that are')
    .addOption(jsonOption())
    .action(async (flags: { readonly json?: boolean }) => {
      const config = readConfig();
      const all = await Promise.all(
        allModels().map(async (model) => ({ ...model, installed: await isAdded(model, folderOf(model, config)) })),
      );
      print(
        flags.json,
        all,
        all.map(
          ({ installed, ...model }) =>
            `${model.name.padEnd(27)} ${megabytes(sizeOf(model)).padStart(7)}  ${model.licence.padEnd(13)} ${model.title}: ${model.languages.join(', ')}, ${contentOf(model)}${installed ? ', installed' : ''}`,
        ),
      );
    });
  voices
    .command('check')
    .description(
      'check that the files of all natural voices and recognisers, and of their engine, are still available as the catalogue describes them',
    )
    .addOption(jsonOption())
    .action(async (flags: { readonly json?: boolean }) => {
      const checked = await checkAddresses([...allModels(), ...sherpaPackages()]);
      print(
        flags.json,
        checked,
        checked.map(({ name, url, problem }) => `${name.padEnd(25)} ${problem ?? 'ok'}  ${url}`),
      );
      const wrong = checked.filter(({ problem }) => problem !== undefined).length;
      if (wrong > 0) throw new OperatorError(`${wrong} of ${checked.length} addresses do not have the catalogued file`);
    });
  voices
    .command('list')
    .description('list all available voices')
    .option('--provider <name>', 'only of this provider')
    .option('--language <name>', 'only of this language, by name or tag')
    .addOption(jsonOption())
    .action(async (flags: ListFlags) => {
      const found = (await allVoices()).filter((voice) => isWanted(voice, flags));
      print(
        flags.json,
        found,
        found.map(
          ({ provider, voice, locale, gender, name }) =>
            `${`${provider}:${voice}`.padEnd(32)} ${locale.padEnd(8)} ${gender.padEnd(7)} ${name}`,
        ),
      );
    });
};

async function allVoices(): Promise<readonly CatalogueVoice[]> {
  const speech = openSpeech(readConfig(), {
    onUnavailable: (provider, error) =>
      notice(`${provider}: ${error instanceof Error ? error.message : String(error)}`),
  });
  try {
    return await speech.voices();
  } finally {
    await speech.close();
  }
}

function isWanted(voice: CatalogueVoice, { provider, language }: ListFlags): boolean {
  if (provider !== undefined && voice.provider !== provider) return false;
  const wanted = language?.toLowerCase();
  return (
    wanted === undefined ||
    voice.language.toLowerCase() === wanted ||
    voice.locale.toLowerCase() === wanted ||
    voice.locale.toLowerCase().startsWith(`${wanted}-`)
  );
}

/** True for text that looks like a path or is an existing one. A voice's name never contains a slash. */
async function isLocal(what: string): Promise<boolean> {
  if (/[\\/]/.test(what) || what.endsWith('.onnx')) return true;
  return stat(what).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function allModels(): Model[] {
  return [...naturalVoices(), ...recogniserModels()];
}

function folderOf(model: Model, config: ReturnType<typeof readConfig>): ModelFolder {
  return 'speakers' in model ? naturalFolder(config) : recogniserFolder(config);
}

/** Bytes of a model's download. */
function sizeOf({ archive, more = [] }: Model): number {
  return [archive, ...more].reduce((sum, { bytes }) => sum + bytes, 0);
}

/** What a model is, for lists. */
function contentOf(model: Model): string {
  if (!('speakers' in model)) return 'recogniser';
  if (model.speakers.length === 0) return 'clones voices';
  return model.speakers.length === 1 ? '1 voice' : `${model.speakers.length} voices`;
}

async function addModel(model: Model, flags: AddFlags): Promise<void> {
  const { name, title, licence, licenceUrl } = model;
  const config = readConfig();
  const folder = folderOf(model, config);
  const { packages, models } = await downloadsFor(model, folder);
  notice(`${name}: ${title}, ${megabytes(bytesOf(models))}, ${contentOf(model)}`);
  if (packages.length > 0) notice(`with its engine sherpa-onnx: ${megabytes(bytesOf(packages))}, Apache-2.0`);
  await agree(`Licence: ${licence}, ${licenceUrl}`, flags);
  const mirror = addressOf(flags.mirror) ?? config.voicesMirror;
  const place = await installModel(model, { ...folder, mirror, onProgress: progressLine(name) });
  if (!('speakers' in model)) {
    print(flags.json, { name, folder: place, languages: model.codes.split(' ') }, [
      `${place} recognises ${model.codes}`,
    ]);
    return;
  }
  const ids = voiceIds(model);
  print(flags.json, { name, folder: place, voices: ids }, [
    ids.length === 0
      ? `${place} clones voices: make one under Voices in the console`
      : `${place} has ${ids.join(', ')}`,
  ]);
}

/** The address of a mirror, which may be the path of a folder. */
function addressOf(mirror: string | undefined): string | undefined {
  return mirror === undefined || /^\w{2,}:/u.test(mirror) ? mirror : pathToFileURL(resolve(mirror)).href;
}

/** sherpa-onnx for Piper voices, which come without it. */
async function addEngine({ mirror }: AddFlags): Promise<void> {
  const config = readConfig();
  // A mirror of Piper voices has their files only.
  const own = addressOf(mirror);
  const from = config.voicesMirror ?? (own?.startsWith('file:') ? own : undefined);
  const { runtime } = naturalFolder(config);
  await installSherpa('Piper', { runtime, mirror: from, onProgress: progressLine('sherpa-onnx, the engine') });
}

async function addFromMirror(name: string, folder: string, flags: AddFlags): Promise<AddedVoice[]> {
  if (!/^\w[\w.-]*$/u.test(name))
    throw new OperatorError(`expected a voice name such as en_US-lessac-medium, got ${name}`);
  const from = flags.mirror ?? PIPER_MIRROR;
  const mirror = new VoiceMirror(from);
  const voice = await mirror.find(name);
  notice(`${name}: ${voice.language}, ${megabytes(voice.bytes)}, from ${from}`);
  await agree(voice.card, flags);
  const show = progressLine(name);
  await mirror.fetch(voice, folder, show);
  return [await added(folder, name)];
}

async function addLocal(path: string, folder: string, flags: AddFlags): Promise<AddedVoice[]> {
  const source = resolve(path);
  const models = source.endsWith('.onnx') ? [basename(source)] : await modelsOf(source);
  const from = source.endsWith('.onnx') ? dirname(source) : source;
  if (models.length === 0) throw new OperatorError(`expected a file ending in .onnx in ${source}, found none`);
  await agree(await textOf(join(from, 'MODEL_CARD')), flags);
  await mkdir(folder, { recursive: true });
  for (const model of models) {
    for (const file of [model, `${model}.json`]) {
      const part = join(folder, `${file}.part`);
      await copyFile(join(from, file), part).catch((cause: NodeJS.ErrnoException) => {
        throw new OperatorError(`${join(from, file)} cannot be copied to ${folder} (${cause.code ?? cause.message})`, {
          cause,
        });
      });
    }
    for (const file of [model, `${model}.json`]) await rename(join(folder, `${file}.part`), join(folder, file));
  }
  return Promise.all(models.map((model) => added(folder, model.slice(0, -'.onnx'.length))));
}

async function modelsOf(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    throw new OperatorError(`${folder} cannot be read (${cause.code ?? cause.message})`, { cause });
  });
  return names.filter((name) => name.endsWith('.onnx')).sort();
}

async function added(folder: string, voice: string): Promise<AddedVoice> {
  const file = join(folder, `${voice}.onnx`);
  return { voice, file, sha256: await digestOf(file, 'sha256') };
}

/** Shows the voice's card and asks for agreement; without a terminal, `--yes` is required. */
async function agree(card: string | undefined, { yes }: AddFlags): Promise<void> {
  notice(card === undefined ? 'The voice has no model card; check its licence yourself.' : `\n${card.trim()}\n`);
  if (yes === true) return;
  if (!process.stdin.isTTY) throw new OperatorError('Nothing was added: accept the licence above with --yes.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question('Accept this licence and add the voice? [y/N] ');
    if (!/^y(es)?$/i.test(answer.trim())) throw new OperatorError('Nothing was added.');
  } finally {
    terminal.close();
  }
}

/** Whole percents on a terminal, tenths otherwise, because logs keep every line. */
function progressLine(name: string): (received: number, total: number) => void {
  const step = process.stderr.isTTY ? 0.01 : 0.1;
  let shown = -1;
  return (received, total) => {
    const steps = Math.floor(received / total / step);
    if (steps === shown) return;
    shown = steps;
    const line = `${name}: ${megabytes(received)} of ${megabytes(total)}`;
    if (!process.stderr.isTTY) notice(line);
    else process.stderr.write(`\r${line}${received === total ? '\n' : ''}`);
  };
}

async function warnWhenSilent(voices: readonly AddedVoice[]): Promise<void> {
  const spoken = (await allVoices()).filter(({ provider }) => provider === 'piper').map(({ voice }) => voice);
  for (const { voice } of voices) {
    if (!spoken.includes(voice)) notice(`${voice} was added, but cannot be used yet; see the line above.`);
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}
