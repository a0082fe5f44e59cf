import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readPiperVoices, SpeechError } from '@figurehead/media';
import type { Kernel } from '../../../kernel/contract.js';
import { invalidFields } from '../../../kernel/errors.js';
import { naturalFolder, piperFolder } from '../speech.js';
import { installSherpa } from './install.js';

/** An uploaded `.onnx` file. */
interface VoiceFile {
  readonly path: string;
  readonly filename: string;
}

/**
 * Adds a Piper voice of a person's own, and its engine in the background. Throws a 400 that names the wrong file.
 * @param description content of its `.onnx.json` file. @returns the voice.
 */
export async function uploadPiperVoice(
  kernel: Pick<Kernel, 'config' | 'log' | 'temporary'>,
  file: VoiceFile,
  description: string,
): Promise<string> {
  const [model, voice] = /^([\p{L}\d][\p{L}\d._-]{0,80})\.onnx$/u.exec(file.filename) ?? [];
  if (model === undefined || voice === undefined)
    throw invalidFields([
      { field: 'file', message: `must be named like en_US-norman-medium.onnx, got ${file.filename}` },
    ]);
  await kernel.temporary.within('voice-', (folder) => checkDescription(folder, { model, description }));
  const folder = piperFolder(kernel.config);
  await mkdir(folder, { recursive: true });
  const place = join(folder, model);
  // The voice is found when both files are there.
  await rm(`${place}.json`, { force: true });
  await copyFile(file.path, `${place}.part`);
  await rename(`${place}.part`, place);
  await writeFile(`${place}.json`, description);
  const { runtime } = naturalFolder(kernel.config);
  const engine = { runtime, mirror: kernel.config.voicesMirror, onProgress: () => undefined };
  installSherpa('Piper', engine).catch((error: unknown) =>
    kernel.log.warn({ err: error, voice }, 'the engine of an uploaded voice could not be added'),
  );
  return voice;
}

/** Reads the description as the engine will. */
async function checkDescription(
  folder: string,
  { model, description }: { readonly model: string; readonly description: string },
): Promise<void> {
  // Only its name counts here.
  await writeFile(join(folder, model), '');
  await writeFile(join(folder, `${model}.json`), description);
  await readPiperVoices(folder).catch((error: unknown) => {
    if (!(error instanceof SpeechError) && !(error instanceof SyntaxError)) throw error;
    const why = error.message.replaceAll(folder, '');
    throw invalidFields([
      { field: 'description', message: `must be the content of the .onnx.json file of a Piper voice: ${why}` },
    ]);
  });
}
