import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
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
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { Config } from '../config/config.js';
import type { Lifecycle, ObjectInfo, Objects, TemporaryFolders } from '../contract.js';
import { BucketAway } from './bucket-away.js';
import type { MediaLinks } from './media-links.js';
import { assertObjectKey, assertObjectPrefix } from './object-key.js';

/** Failed network parts are retried; the body is read again each time. */
const PUT_ATTEMPTS = 3;

/** How long a bucket may be silent, ms. */
export interface BucketWaits {
  /** While a connection is made. */
  readonly connectMs: number;
  /** Before it answers; in addition to what a body takes at {@link SLOWEST_BYTES_PER_MS}. */
  readonly answerMs: number;
  /** Between two parts of a body. A client on a slow line takes what its connection holds in less. */
  readonly bodyMs: number;
}

const WAITS: BucketWaits = { connectMs: 5000, answerMs: 20_000, bodyMs: 120_000 };

/** A bucket that takes bodies slower than this is of no use. */
const SLOWEST_BYTES_PER_MS = 50;

/** Connections to a bucket. A download holds one as long as its reader takes, and must not make everything else wait. */
const CONNECTIONS = 1000;

/** Concurrent deletions of a prefix's objects. */
const DELETE_CONCURRENCY = 8;

/**
 * Objects in an S3 bucket. Links are our own, signed like those of local files, and the API passes the bytes through,
 * so the bucket stays private. Every put is checked by the size that the server reports.
 * @param options.temporary for bodies of unknown size.
 */
export function openS3Objects(options: {
  config: Config;
  bucket: string;
  temporary: Pick<TemporaryFolders, 'within'>;
  links: MediaLinks;
  lifecycle: Lifecycle;
  waits?: BucketWaits;
}): Objects {
  const { config, bucket, temporary, links, lifecycle, waits = WAITS } = options;
  const client = connect(config, waits);
  lifecycle.onClose('objects', () => client.destroy());
  return new S3Objects({ client, bucket, prefix: config.s3Prefix, temporary, waits }, links);
}

function connect(config: Config, { connectMs, bodyMs }: BucketWaits): S3Client {
  const agent = { maxSockets: CONNECTIONS };
  const times = { connectionTimeout: connectMs, socketTimeout: bodyMs, throwOnRequestTimeout: true };
  return new S3Client({
    requestHandler: { ...times, httpAgent: agent, httpsAgent: agent },
    region: config.s3Region,
    // Servers other than AWS rarely have a host name per bucket.
    ...(config.s3Endpoint === undefined ? {} : { endpoint: config.s3Endpoint, forcePathStyle: true }),
    ...(config.s3AccessKey !== undefined && config.s3SecretKey !== undefined
      ? { credentials: { accessKeyId: config.s3AccessKey, secretAccessKey: config.s3SecretKey } }
      : {}),
    // Many servers do not support the newer checksums that the SDK adds by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

interface Place {
  readonly client: S3Client;
  readonly bucket: string;
  /** Prefix of every key, set by the operator. */
  readonly prefix: string;
  readonly temporary: Pick<TemporaryFolders, 'within'>;
  readonly waits: BucketWaits;
}

class S3Objects implements Objects {
  readonly link: Objects['link'];
  readonly verifyLink: Objects['verifyLink'];

  constructor(
    private readonly place: Place,
    links: MediaLinks,
  ) {
    this.link = links.link;
    this.verifyLink = links.verifyLink;
  }

  async put(key: string, body: Readable | Uint8Array, contentType: string): Promise<ObjectInfo> {
    if (body instanceof Uint8Array) return this.#upload(key, contentType, { size: body.byteLength, open: () => body });
    return this.place.temporary.within('object-', async (folder) => {
      const path = join(folder, 'body');
      await pipeline(body, createWriteStream(path));
      return this.putFile(key, path, contentType);
    });
  }

  async putFile(key: string, path: string, contentType: string): Promise<ObjectInfo> {
    const { size } = await stat(path);
    return this.#upload(key, contentType, { size, open: () => createReadStream(path) });
  }

  async get(key: string, range?: { start: number; end: number }): ReturnType<Objects['get']> {
    const Range = range === undefined ? undefined : `bytes=${range.start}-${range.end}`;
    try {
      const found = await this.#ask((client, wait) =>
        client.send(new GetObjectCommand({ ...this.#at(key), Range }), wait),
      );
      const whole = found.ContentRange === undefined ? found.ContentLength : Number(found.ContentRange.split('/')[1]);
      const { Body: body } = found;
      if (!(body instanceof Readable)) throw new Error(`The bucket ${this.place.bucket} gave no body for ${key}.`);
      return {
        info: describe(key, { size: whole, contentType: found.ContentType, modifiedAt: found.LastModified }),
        body,
      };
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  async info(key: string): Promise<ObjectInfo | undefined> {
    try {
      const head = await this.#ask((client, wait) => client.send(new HeadObjectCommand(this.#at(key)), wait));
      return describe(key, { size: head.ContentLength, contentType: head.ContentType, modifiedAt: head.LastModified });
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    await this.#ask((client, wait) => client.send(new DeleteObjectCommand(this.#at(key)), wait));
  }

  async deletePrefix(prefix: string): Promise<void> {
    let batch: Promise<void>[] = [];
    for await (const { key } of this.list(prefix)) {
      batch.push(this.delete(key));
      if (batch.length < DELETE_CONCURRENCY) continue;
      await Promise.all(batch);
      batch = [];
    }
    await Promise.all(batch);
  }

  /** Pages of the bucket's listing, a thousand names each; keys are without the configured prefix. */
  async *list(start: string): AsyncGenerator<ObjectInfo> {
    assertObjectPrefix(start);
    const { bucket: Bucket, prefix } = this.place;
    let ContinuationToken: string | undefined;
    do {
      const wanted = { Bucket, Prefix: prefix + start, ContinuationToken };
      const page = await this.#ask((client, wait) => client.send(new ListObjectsV2Command(wanted), wait));
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        if (Key === undefined) continue;
        yield describe(Key.slice(prefix.length), { size: Size, contentType: undefined, modifiedAt: LastModified });
      }
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken !== undefined);
  }

  /** Throws {@link BucketAway} when the bucket gives no answer, or answers that it cannot serve now. */
  async #ask<T>(call: (client: S3Client, wait: { requestTimeout: number }) => Promise<T>, bytes = 0): Promise<T> {
    const { client, bucket, waits } = this.place;
    try {
      return await call(client, { requestTimeout: waits.answerMs + bytes / SLOWEST_BYTES_PER_MS });
    } catch (error) {
      throw isAway(error) ? new BucketAway(bucket, error) : error;
    }
  }

  #at(key: string): { Bucket: string; Key: string } {
    assertObjectKey(key);
    return { Bucket: this.place.bucket, Key: this.place.prefix + key };
  }

  async #upload(
    key: string,
    ContentType: string,
    source: { size: number; open: () => Readable | Uint8Array },
  ): Promise<ObjectInfo> {
    for (let attempt = 1; ; attempt++) {
      try {
        const body = { Body: source.open(), ContentLength: source.size, ContentType };
        const put = new PutObjectCommand({ ...this.#at(key), ...body });
        await this.#ask((client, wait) => client.send(put, wait), source.size);
        break;
      } catch (error) {
        if (attempt === PUT_ATTEMPTS) throw error;
      }
    }
    const stored = await this.info(key);
    if (stored?.size === source.size) return stored;
    throw new Error(
      `The bucket ${this.place.bucket} holds ${stored?.size ?? 0} bytes of ${key} instead of ${source.size}.`,
    );
  }
}

/** Errors of connections have a code, and answers of the bucket a status: a client's mistakes are below 500. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'TimeoutError' || 'syscall' in error || ('code' in error && error.code === 'ECONNRESET'))
    return true;
  return error instanceof S3ServiceException && (error.$metadata.httpStatusCode ?? 0) >= 500;
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
