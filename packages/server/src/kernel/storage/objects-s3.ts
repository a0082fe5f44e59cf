import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { Config } from '../../config.js';
import type { Lifecycle, ObjectInfo, Objects } from '../contract.js';
import type { MediaLinks } from './media-links.js';
import { assertObjectKey, assertObjectPrefix } from './object-key.js';

/** A part of the network that fails once is tried again; the body is read anew each time. */
const PUT_ATTEMPTS = 3;

/** How many objects of a prefix are deleted at a time. */
const DELETE_CONCURRENCY = 8;

/**
 * Objects in an S3 bucket. Links are our own, signed like those of local files, and the API passes the bytes through, so the bucket stays
 * private. Every put is checked by the size that the server reports.
 * @param options.spool a local folder for bodies whose size is not known before they are read.
 */
export function openS3Objects(options: {
  config: Config;
  bucket: string;
  spool: string;
  links: MediaLinks;
  lifecycle: Lifecycle;
}): Objects {
  const { config, bucket: Bucket, spool, links, lifecycle } = options;
  const client = new S3Client({
    region: config.s3Region,
    // Servers other than AWS rarely have a name for each bucket.
    ...(config.s3Endpoint === undefined ? {} : { endpoint: config.s3Endpoint, forcePathStyle: true }),
    ...(config.s3AccessKey !== undefined && config.s3SecretKey !== undefined
      ? { credentials: { accessKeyId: config.s3AccessKey, secretAccessKey: config.s3SecretKey } }
      : {}),
    // Many servers do not know the newer checksums that the SDK adds by itself.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  lifecycle.onClose('objects', () => client.destroy());

  function nameOf(key: string): string {
    assertObjectKey(key);
    return config.s3Prefix + key;
  }

  async function info(key: string): Promise<ObjectInfo | undefined> {
    try {
      const head = await client.send(new HeadObjectCommand({ Bucket, Key: nameOf(key) }));
      return describe(key, { size: head.ContentLength, contentType: head.ContentType, modifiedAt: head.LastModified });
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
  }

  async function upload(key: string, contentType: string, source: { size: number; open: () => Readable | Uint8Array }) {
    for (let attempt = 1; ; attempt++) {
      try {
        const Body = source.open();
        await client.send(
          new PutObjectCommand({
            Bucket,
            Key: nameOf(key),
            Body,
            ContentLength: source.size,
            ContentType: contentType,
          }),
        );
        break;
      } catch (error) {
        if (attempt === PUT_ATTEMPTS) throw error;
      }
    }
    const stored = await info(key);
    if (stored?.size !== source.size) {
      throw new Error(`The bucket ${Bucket} holds ${stored?.size ?? 0} bytes of ${key} instead of ${source.size}.`);
    }
    return stored;
  }

  async function putFile(key: string, path: string, contentType: string): Promise<ObjectInfo> {
    const { size } = await stat(path);
    return upload(key, contentType, { size, open: () => createReadStream(path) });
  }

  /** Pages of the bucket's listing, a thousand names each; keys are without the operator's prefix. */
  async function* list(prefix: string): AsyncGenerator<ObjectInfo> {
    assertObjectPrefix(prefix);
    let ContinuationToken: string | undefined;
    do {
      const page = await client.send(
        new ListObjectsV2Command({ Bucket, Prefix: config.s3Prefix + prefix, ContinuationToken }),
      );
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        if (Key === undefined) continue;
        const key = Key.slice(config.s3Prefix.length);
        yield describe(key, { size: Size, contentType: undefined, modifiedAt: LastModified });
      }
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken !== undefined);
  }

  return {
    info,
    putFile,
    list,
    put: async (key, body, contentType) => {
      if (body instanceof Uint8Array) return upload(key, contentType, { size: body.byteLength, open: () => body });
      await mkdir(spool, { recursive: true });
      const temporary = join(spool, randomUUID());
      try {
        await pipeline(body, createWriteStream(temporary));
        return await putFile(key, temporary, contentType);
      } finally {
        await rm(temporary, { force: true });
      }
    },
    get: async (key, range) => {
      const Range = range === undefined ? undefined : `bytes=${range.start}-${range.end}`;
      try {
        const found = await client.send(new GetObjectCommand({ Bucket, Key: nameOf(key), Range }));
        const whole = found.ContentRange === undefined ? found.ContentLength : Number(found.ContentRange.split('/')[1]);
        const body = found.Body;
        if (!(body instanceof Readable)) throw new Error(`The bucket ${Bucket} gave no body for ${key}.`);
        return {
          info: describe(key, { size: whole, contentType: found.ContentType, modifiedAt: found.LastModified }),
          body,
        };
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    delete: async (key) => {
      await client.send(new DeleteObjectCommand({ Bucket, Key: nameOf(key) }));
    },
    deletePrefix: async (prefix) => {
      let batch: Promise<unknown>[] = [];
      for await (const { key } of list(prefix)) {
        batch.push(client.send(new DeleteObjectCommand({ Bucket, Key: nameOf(key) })));
        if (batch.length < DELETE_CONCURRENCY) continue;
        await Promise.all(batch);
        batch = [];
      }
      await Promise.all(batch);
    },
    link: (key, seconds, linkOptions) => {
      assertObjectKey(key);
      return links.sign(key, seconds, linkOptions);
    },
    verifyLink: (key, query) => links.verify(key, query),
  };
}

function describe(
  key: string,
  found: { size: number | undefined; contentType: string | undefined; modifiedAt: Date | undefined },
): ObjectInfo {
  return {
    key,
    size: found.size ?? 0,
    contentType: found.contentType ?? 'application/octet-stream',
    modifiedAt: found.modifiedAt ?? new Date(0),
  };
}
