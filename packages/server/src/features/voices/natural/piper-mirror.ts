import { mkdir, readFile, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { OperatorError } from '../../../kernel/operator-error.js';
import { missingAsUndefined } from '../../../kernel/storage/files.js';
import { download, openUrl, type Progress } from './download.js';

/** The Piper project's own voices. */
export const PIPER_MIRROR = 'https://huggingface.co/rhasspy/piper-voices/resolve/main';

/** Maximum size of a description or licence. */
const MAX_TEXT_BYTES = 20 * 1024 * 1024;

/** A file of a voice on a mirror. `path` is relative to the mirror's address. */
interface VoiceFile {
  readonly path: string;
  readonly bytes: number;
  readonly digest: { readonly algorithm: 'sha256' | 'md5'; readonly hex: string };
}

/** A voice on a mirror, before its download. */
export interface MirroredVoice {
  readonly voice: string;
  readonly language: string;
  readonly bytes: number;
  /** Its model card with source and licence of the recordings; `undefined` when the mirror has none. */
  readonly card: string | undefined;
  readonly model: VoiceFile;
  readonly description: VoiceFile;
}

/** A download source of Piper voices: a `voices.json` with files next to it, as published by the Piper project. */
export class VoiceMirror {
  readonly #url: string;

  /** @param url URL of the folder with `voices.json`. */
  constructor(url: string) {
    if (!/^https?:\/\//.test(url))
      throw new OperatorError(`expected the URL of a mirror starting with https://, got ${url}`);
    this.#url = url.replace(/\/{1,8}$/, '');
  }

  /** Finds a voice by its name. Throws an OperatorError that suggests similar names when it is missing. */
  async find(name: string): Promise<MirroredVoice> {
    const catalogue = parseObject((await this.#read('voices.json')).toString('utf8'), `${this.#url}/voices.json`);
    if (!Object.hasOwn(catalogue, name)) throw unknownVoice(name, Object.keys(catalogue), this.#url);
    const entry = record(catalogue[name]);
    const files = Object.entries(record(entry.files));
    const file = (isMeant: (path: string) => boolean): VoiceFile => {
      const found = files.find(([path]) => isMeant(path));
      if (!found) throw new OperatorError(`${this.#url} lists ${name} without its files`);
      return voiceFile(found[0], record(found[1]), this.#url);
    };
    const model = file((path) => path.endsWith('.onnx'));
    const description = file((path) => path.endsWith('.onnx.json'));
    const card = files.find(([path]) => basename(path) === 'MODEL_CARD')?.[0];
    const language = record(entry.language);
    return {
      voice: name,
      language: String(language.name_english ?? language.code ?? ''),
      bytes: model.bytes + description.bytes,
      card: card === undefined ? undefined : (await this.#read(card)).toString('utf8'),
      model,
      description,
    };
  }

  /**
   * Downloads the voice into the folder, the model before its description, so that the engine finds it only when both
   * are complete. A partial download is continued. A file that does not match the catalogue is removed and throws.
   */
  async fetch(voice: MirroredVoice, folder: string, progress: Progress): Promise<void> {
    await mkdir(folder, { recursive: true });
    const model = join(folder, `${voice.voice}.onnx`);
    await this.#download(voice.model, `${model}.part`, progress);
    await this.#download(voice.description, `${model}.json.part`, () => undefined);
    await rename(`${model}.part`, model);
    await rename(`${model}.json.part`, `${model}.json`);
  }

  async #download({ path, bytes, digest }: VoiceFile, part: string, onProgress: Progress): Promise<void> {
    const file = await download({ urls: [this.#urlOf(path)], bytes, digest }, part, onProgress);
    await file.close();
  }

  async #read(path: string): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    let bytes = 0;
    await openUrl(this.#urlOf(path), {}, async (response, alive) => {
      for await (const part of response.body ?? []) {
        alive();
        bytes += part.length;
        if (bytes > MAX_TEXT_BYTES)
          throw new OperatorError(`${this.#url}/${path} is larger than expected of a description`);
        parts.push(part);
      }
    });
    return Buffer.concat(parts);
  }

  #urlOf(path: string): string {
    return `${this.#url}/${path.split('/').map(encodeURIComponent).join('/')}`;
  }
}

function voiceFile(path: string, entry: Readonly<Record<string, unknown>>, mirror: string): VoiceFile {
  const bytes = Number(entry.size_bytes);
  const { sha256_digest: sha256, md5_digest: md5 } = entry;
  // The Piper project's own catalogue has only MD5, which detects damage; other mirrors should add SHA-256.
  const digest =
    typeof sha256 === 'string'
      ? ({ algorithm: 'sha256', hex: sha256.toLowerCase() } as const)
      : ({ algorithm: 'md5', hex: String(md5).toLowerCase() } as const);
  if (!Number.isSafeInteger(bytes) || bytes <= 0 || !/^[0-9a-f]{32,64}$/.test(digest.hex))
    throw new OperatorError(`${mirror} lists ${path} without its size and checksum`);
  return { path, bytes, digest };
}

function unknownVoice(name: string, names: readonly string[], mirror: string): OperatorError {
  const wanted = name.toLowerCase();
  const near = names
    .filter((each) => each.toLowerCase().includes(wanted) || each.startsWith(name.slice(0, 2)))
    .slice(0, 12);
  return new OperatorError(`${mirror} has no voice ${name}${near.length > 0 ? `; it has ${near.join(', ')} …` : ''}`);
}

function parseObject(text: string, where: string): Readonly<Record<string, unknown>> {
  try {
    return record(JSON.parse(text));
  } catch (cause) {
    throw new OperatorError(`expected a catalogue of voices in ${where}`, { cause });
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new OperatorError(`expected an object in the catalogue of voices, got ${JSON.stringify(value) ?? 'nothing'}`);
}

/** The text of a file; `undefined` when it is missing. */
export async function textOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(missingAsUndefined);
}
