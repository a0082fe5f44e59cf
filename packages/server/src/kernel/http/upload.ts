import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';
import type { Kernel } from '../contract.js';
import { ApiError, invalidFields } from '../errors.js';
import { requireDiskSpace } from '../storage/disk-space.js';
import type { UploadedFile } from './contract.js';
import { ClientGone } from './failures.js';
import { isStorable } from './json.js';

/** A received upload. */
export interface Upload {
  readonly fields: Record<string, string>;
  readonly file: UploadedFile;
  /** Removes the temporary file. */
  discard(): Promise<void>;
}

/** Receives uploads into a folder of this process. */
export interface Uploads {
  /** Reads the whole request: text fields in any order and one `file`. The caller discards it afterwards. */
  receive(request: FastifyRequest): Promise<Upload>;
}

/** Temporary files are in the folder `tmp` of the data folder. */
export function createUploads(kernel: Pick<Kernel, 'config' | 'disk' | 'temporary'>): Uploads {
  const maxMb = kernel.config.uploadMaxMb;
  return {
    async receive(request) {
      await requireDiskSpace(kernel, Number(request.headers['content-length'] ?? 0));
      const place = await kernel.temporary.open('upload-');
      const discard = () => rm(place, { recursive: true, force: true });
      try {
        return { ...(await readParts(request, place, maxMb)), discard };
      } catch (error) {
        await discard();
        throw isMalformed(error)
          ? new ApiError('badRequest', { reason: `the form cannot be read: ${error.message}` })
          : error;
      }
    },
  };
}

async function readParts(request: FastifyRequest, place: string, maxMb: number): Promise<Omit<Upload, 'discard'>> {
  const fields: Record<string, string> = {};
  let file: UploadedFile | undefined;
  let tooLarge = false;
  // The parser waits forever for a body whose connection closed before parsing started.
  if (request.raw.destroyed) throw new ClientGone();
  for await (const part of request.parts({ limits: { files: 1, fields: 50, fileSize: maxMb * 1024 * 1024 } })) {
    if (part.type === 'field') {
      fields[part.fieldname] = storable(part.fieldname, String(part.value));
      continue;
    }
    const path = join(place, 'file');
    await pipeline(part.file, createWriteStream(path));
    // Reads to the end, because a client that is still sending would not see the answer.
    tooLarge ||= part.file.truncated;
    const filename = storable('file', basename(part.filename ?? ''));
    if (part.fieldname === 'file') file = { filename, path };
  }
  if (tooLarge) throw new ApiError('bodyTooLarge', { limit: `${maxMb} MB` });
  if (file === undefined) throw invalidFields([{ field: 'file', message: 'is required' }]);
  return { fields, file };
}

/** True for errors of the parser of forms, the only ones without a class and a code. */
function isMalformed(error: unknown): error is Error {
  return error instanceof Error && error.constructor === Error && !('code' in error);
}

function storable(field: string, text: string): string {
  if (!isStorable(text)) throw invalidFields([{ field, message: 'has text that cannot be stored' }]);
  return text;
}
