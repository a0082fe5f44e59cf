import { createReadStream, createWriteStream } from 'node:fs';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { espeakTable } from '../espeak/program.js';
import type { MadeFile } from './model.js';
import { networkMetadata } from './network-metadata.js';

/** Makes the files of a model. @param from folder of the unpacked archives. @param to the model's folder. */
export async function makeModel(made: Readonly<Record<string, MadeFile>>, from: string, to: string): Promise<void> {
  for (const [name, recipe] of Object.entries(made)) {
    const file = join(to, name);
    await mkdir(dirname(file), { recursive: true });
    if ('text' in recipe) await writeFile(file, recipe.text);
    else if ('espeak' in recipe) await writeFile(file, await espeakTable(recipe.espeak));
    else {
      for (const part of recipe.parts)
        await pipeline(createReadStream(join(from, part)), createWriteStream(file, { flags: 'a' }));
      if (recipe.properties) await appendFile(file, networkMetadata(recipe.properties));
    }
  }
}
