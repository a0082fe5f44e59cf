import type { Readable } from 'node:stream';
import type { AdminQueue } from '@figurehead/contract';
import type { Kysely, Transaction } from 'kysely';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from './config/config.js';
import type { CarriedContext } from './observability/call-context.js';

/** Source of the current time, replaceable in tests. */
export interface Clock {
  /** Milliseconds since the epoch. Jumps when the machine's clock is set; for times that are stored or shown. */
  now(): number;
  /** Milliseconds since some moment of this process. Never jumps; for durations and timeouts. */
  monotonic(): number;
}

/** Password hashing for user accounts. Both methods throw `overloaded` (429) when too many calls wait. */
export interface Passwords {
  /** `scrypt$N$r$p$salt$hash`, base64url, so that parameters can grow later without breaking old hashes. */
  hash(password: string): Promise<string>;
  /** True when the password matches the stored hash. A wrong password takes the same time. */
  verify(password: string, stored: string): Promise<boolean>;
}

/** Source of identifiers and secrets. */
export interface Ids {
  /** 24 hex characters, ordered by time of creation. */
  next(): string;
  /** `bytes` random bytes as base64url. */
  secret(bytes: number): string;
}

/**
 * The database without a schema: each feature's store adds its own tables (`db.withTables<{ videos: VideosTable }>()`),
 * so that no feature sees another's rows. `Tx` is the same inside a transaction.
 */
// biome-ignore lint/complexity/noBannedTypes: the empty schema is what stores widen
export type Database = Kysely<{}>;
/** A {@link Database} inside a transaction. */
// biome-ignore lint/complexity/noBannedTypes: the empty schema is what stores widen
export type Tx = Transaction<{}>;

/**
 * Runs `work` in a transaction and commits. On a conflict with another transaction (deadlock, serialization failure) it
 * is rolled back and run again, up to five times, so `work` must change nothing but the database. Inside, only `tx`
 * reaches the database; taking another connection from the pool throws. Locks are taken in the order of
 * docs/database.md.
 */
export type Transact = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** A job as seen by its handler. */
export interface Job<T> {
  readonly id: string;
  readonly data: T;
  /** Aborted when this process must stop. */
  readonly signal: AbortSignal;
  /** Counts from 1; above 1 an earlier attempt died with its process. */
  readonly attempt: number;
}

/** A job whose handler runs in this process. */
export interface RunningJob {
  readonly queue: string;
  readonly data: object;
  readonly startedAt: Date;
}

/** A job's place in the fair order of its queue. */
export interface QueuePosition {
  /** Jobs of one flow are ordered one after the other. */
  readonly flow: string;
  /** Cost of the job in the unit by which the queue compares jobs; at least 0. */
  readonly cost: number;
}

/** A job to add to a queue. */
export interface NewJob<T extends object = object> {
  readonly data: T;
  /** Place in the fair order; see {@link QueuePosition}. */
  readonly turn?: QueuePosition | undefined;
  /** Delay in seconds before the job may start. */
  readonly delaySeconds?: number;
  /** Context of the request that created it; the current one when absent. */
  readonly carried?: CarriedContext | undefined;
}

/** Durable jobs. Their queues are defined in `kernel/jobs/definitions.ts`. */
export interface Queue {
  /**
   * Adds a job inside the caller's transaction, on its connection: it exists only if the transaction commits. Jobs with
   * a `turn` share the queue fairly between their flows; without one the oldest goes first.
   * @returns the job's id.
   */
  enqueue<T extends object>(tx: Tx, name: string, data: T, options?: Omit<NewJob<T>, 'data'>): Promise<string>;
  /** {@link Queue.enqueue} for any number of jobs, in as many statements as for one. @returns their ids, in the same order. */
  enqueueAll<T extends object>(tx: Tx, name: string, jobs: readonly NewJob<T>[]): Promise<string[]>;
  /**
   * Runs jobs, `concurrency` at a time, until the lifecycle closes; a handler that throws fails the attempt. While
   * `ready` returns false, jobs are left to other processes.
   */
  work<T extends object>(
    name: string,
    options: { concurrency: number; ready?: () => Promise<boolean> },
    handler: (job: Job<T>) => Promise<void>,
  ): Promise<void>;
  /** Jobs waiting now. */
  depth(name: string): Promise<number>;
  /** Jobs whose handlers run in this process. */
  running(): readonly RunningJob[];
  /** Every queue of the installation by name, with the number of waiting and running jobs of all processes. */
  overview(): Promise<AdminQueue[]>;
}

/** A stored object's properties. */
export interface ObjectInfo {
  readonly key: string;
  readonly size: number;
  readonly contentType: string;
  readonly modifiedAt: Date;
}

/** Binary objects by key (`workspace/video/file.mp4`; characters `[A-Za-z0-9._/-]`, no `..`). */
export interface Objects {
  /** Stores the whole object or nothing. Replaces an object of the same key. */
  put(key: string, body: Readable | Uint8Array, contentType: string): Promise<ObjectInfo>;
  /** As `put`, from a local file, which is copied or moved; the caller removes the source. */
  putFile(key: string, path: string, contentType: string): Promise<ObjectInfo>;
  /** `undefined` when missing. `range` is inclusive, in bytes. */
  get(key: string, range?: { start: number; end: number }): Promise<{ info: ObjectInfo; body: Readable } | undefined>;
  info(key: string): Promise<ObjectInfo | undefined>;
  /** Missing objects are ignored. */
  delete(key: string): Promise<void>;
  deletePrefix(prefix: string): Promise<void>;
  /**
   * Objects whose keys begin with the prefix, unordered; objects stored or deleted meanwhile may be missing or
   * included.
   */
  list(prefix: string): AsyncIterable<ObjectInfo>;
  /** A signed link to the object under `FIGUREHEAD_URL`, valid for `seconds`. */
  link(key: string, seconds: number, options?: { downloadName?: string }): string;
  /** Verifies a request for a link: `expires`, `signature` and `name` are its raw query parameters. */
  verifyLink(key: string, query: Readonly<Record<string, unknown>>): LinkVerdict;
}

/** Result of verifying a signed link. */
export type LinkVerdict =
  | { readonly verdict: 'valid'; readonly downloadName?: string; readonly expiresAt: Date }
  | { readonly verdict: 'expired' | 'forged' };

/** Result of a guarded request. */
export interface FetchResult {
  readonly status: number;
  readonly body: Buffer;
}

/** An outgoing request failed. */
export class FetchError extends Error {
  constructor(
    readonly code:
      | 'bad_url'
      | 'blocked_address'
      | 'redirect'
      | 'timeout'
      /** Nothing arrived for `stallMs`. */
      | 'stalled'
      | 'too_large'
      /** The other side closed the connection before its answer was complete. */
      | 'closed'
      | 'unreachable',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'FetchError';
  }
}

/**
 * Outgoing HTTP with an address guard at connect time, no redirects, a total deadline and a size cap. Throws {@link FetchError}; any HTTP status is a
 * result.
 */
export type SafeFetch = (
  url: string,
  options: {
    method?: 'GET' | 'POST' | 'HEAD';
    headers?: Record<string, string>;
    body?: Buffer | string;
    deadlineMs: number;
    maxBytes: number;
    /** Receives the body of a 200 as it arrives; `FetchResult.body` is then empty. */
    onChunk?: (chunk: Buffer) => void;
    /** Maximum time without a byte of the response, ms; the deadline when absent. */
    stallMs?: number;
    /** Response larger than `maxBytes`: an error (default), or truncated. */
    excess?: 'error' | 'cut';
    /** Allows private, loopback and link-local addresses. */
    allowPrivate: boolean;
    signal?: AbortSignal;
  },
) => Promise<FetchResult>;

/** A plain-text e-mail. */
export interface Mail {
  /** Related workspace; its members read the e-mail in the console when no SMTP server is configured. */
  readonly workspaceId?: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends e-mail by SMTP, or stores it in the `mail_outbox` table when no SMTP server is configured. */
export interface Mailer {
  /** To one bare address only (`name@host`). A failure is recorded in the outbox, never thrown. */
  send(mail: Mail): Promise<void>;
}

/** Ordered shutdown: what was opened last is closed first. */
export interface Lifecycle {
  /** Aborted when the shutdown starts. */
  readonly signal: AbortSignal;
  /** Registers a part that was just opened. */
  onClose(name: string, close: () => Promise<void> | void): void;
  /** Closes everything once; later calls return the same promise. */
  close(): Promise<void>;
}

/**
 * A hot read of one row by its key, as a prepared statement, at less than half the CPU time of the query builder. Calls in the same turn of the event
 * loop share one statement; nothing is cached. `$1` of the statement is the array of their keys (`text[]`), and each row has its own key in the column
 * `key`. `name` identifies `text` on every connection, so each name must have one constant text. Equal keys of one turn get the same object, which must
 * not be changed.
 */
export type KeyedRead = <Row extends { readonly key: string }>(
  statement: { readonly name: string; readonly text: string },
  key: string,
) => Promise<Row | undefined>;

/** Description of a span of a trace. */
export interface SpanOptions {
  /** Of low cardinality: `POST /videos`, `job renders`, `render draw`. */
  readonly name: string;
  /** `server`: answers a request; `consumer`: runs a job; default `internal`. */
  readonly kind?: 'internal' | 'server' | 'consumer';
  readonly attributes?: Readonly<Record<string, string | number>>;
  /** Which errors of the work mark the span as failed; default all. */
  readonly isFailure?: (error: unknown) => boolean;
}

/** OpenTelemetry traces; without a collector, `span` only runs its work. */
export interface Tracing {
  readonly enabled: boolean;
  /**
   * Runs work inside a child span of the current one. An error of the work marks the span as failed and is rethrown.
   */
  span<T>(options: SpanOptions, work: () => Promise<T>): Promise<T>;
}

/** Free space on the disk of the data folder. */
export interface Disk {
  /** Bytes that may still be written before the configured reserve is reached; negative inside the reserve. */
  availableBytes(): Promise<number>;
  /** False when the reserve is reached: no new work should start. Checked at most once per second. */
  hasSpace(): Promise<boolean>;
}

/** Temporary folders on the disk of the data folder. */
export interface TemporaryFolders {
  /**
   * Creates an empty folder whose name begins with `stem`; the caller removes it. If the process is killed, the next
   * sweep does.
   */
  open(stem: string): Promise<string>;
  /** Runs `work` in such a folder, which is removed afterwards with its contents. */
  within<T>(stem: string, work: (folder: string) => Promise<T>): Promise<T>;
  /** Removes the folders of dead processes. @returns the names of the removed folders. */
  sweep(): Promise<string[]>;
}

/** The part of the kernel that is safe inside the caller's transaction: nothing that takes another connection. */
export type KernelInTx = Pick<Kernel, 'config' | 'log' | 'clock' | 'ids' | 'objects'> & {
  readonly queue: Pick<Queue, 'enqueue' | 'enqueueAll'>;
};

/** Everything that the kernel provides to features. */
export interface Kernel {
  readonly config: Config;
  /** Shared by API and stream hosts: from the configuration, or generated by the installation. */
  readonly internalSecret: string;
  readonly log: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly passwords: Passwords;
  readonly db: Database;
  readonly transaction: Transact;
  readonly read: KeyedRead;
  readonly queue: Queue;
  readonly objects: Objects;
  readonly fetch: SafeFetch;
  readonly mailer: Mailer;
  readonly lifecycle: Lifecycle;
  /** Metrics of this process, from kernel and features. */
  readonly metrics: Registry;
  readonly tracing: Tracing;
  readonly disk: Disk;
  readonly temporary: TemporaryFolders;
}
