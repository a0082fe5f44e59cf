import type { Readable } from 'node:stream';
import type { Kysely, Transaction } from 'kysely';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from '../config.js';
import type { CarriedContext } from './observability/call-context.js';

/** Where time comes from, so that tests can move it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** Passwords of people. Both methods throw `overloaded` (429) when too many wait. */
export interface Passwords {
  /** `scrypt$N$r$p$salt$hash`, base64url, so that parameters can grow later without breaking old hashes. */
  hash(password: string): Promise<string>;
  /** True when the password belongs to the stored hash. Takes as long for a wrong one. */
  verify(password: string, stored: string): Promise<boolean>;
}

/** Where identifiers and secrets come from. */
export interface Ids {
  /** 24 hex characters, ordered by time of creation. */
  next(): string;
  /** `bytes` random bytes as base64url. */
  secret(bytes: number): string;
}

/**
 * The database without tables: each feature's store widens it with its own (`db.withTables<{ videos: VideosTable }>()`),
 * so that no feature sees another's rows. `Tx` is the same inside a transaction.
 */
// biome-ignore lint/complexity/noBannedTypes: the empty schema is what stores widen
export type Database = Kysely<{}>;
/** A {@link Database} inside a transaction. */
// biome-ignore lint/complexity/noBannedTypes: the empty schema is what stores widen
export type Tx = Transaction<{}>;

/**
 * Runs `work` in a transaction and commits. When it met another transaction (deadlock, serialization failure) it is rolled back and run again, up to
 * five times: `work` changes nothing but the database. Inside, only `tx` reaches the database; asking the pool for another connection throws.
 * The locks that it takes come in the order of docs/database.md.
 */
export type Transact = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** A job as its handler sees it. */
export interface Job<T> {
  readonly id: string;
  readonly data: T;
  /** Raised when this process is told to stop. */
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

/** A queue at one moment. */
export interface QueueState {
  readonly name: string;
  readonly waiting: number;
  readonly running: number;
  /** How long the job has waited that is longest due, seconds; null when none waits. */
  readonly oldestWaitingSeconds: number | null;
}

/** Whose turn a job uses up. */
export interface Turn {
  /** Jobs of one flow stand in line behind each other. */
  readonly flow: string;
  /** Work that the job is, in whatever unit the queue's jobs are compared by; at least 0. */
  readonly cost: number;
}

/** A job that is to be added to a queue. */
export interface NewJob<T extends object = object> {
  readonly data: T;
  /** Whose share of the queue it uses up. */
  readonly turn?: Turn | undefined;
  /** It is not taken earlier than so many seconds from now. */
  readonly delaySeconds?: number;
  /** Context of the request that it is part of; the current one when absent. */
  readonly carried?: CarriedContext | undefined;
}

/** Work that survives crashes. Its queues are those of `kernel/jobs/definitions.ts`. */
export interface Queue {
  /**
   * Adds a job inside the caller's transaction, on its connection: it exists exactly if the transaction commits. Jobs with a `turn` share the
   * queue fairly between their flows; without one the oldest goes first. @returns the job's id.
   */
  enqueue<T extends object>(tx: Tx, name: string, data: T, options?: Omit<NewJob<T>, 'data'>): Promise<string>;
  /** {@link Queue.enqueue} for any number of jobs, in as many statements as for one. @returns their ids, in the same order. */
  enqueueAll<T extends object>(tx: Tx, name: string, jobs: readonly NewJob<T>[]): Promise<string[]>;
  /**
   * Runs jobs, `concurrency` at a time, until the lifecycle closes; a handler that throws fails the attempt. While `ready` says no, jobs are left
   * to others.
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
  /** Every queue of the installation by name, with what waits and runs anywhere. */
  overview(): Promise<QueueState[]>;
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
  /** Stores whole or not at all. Replaces an object of the same key. */
  put(key: string, body: Readable | Uint8Array, contentType: string): Promise<ObjectInfo>;
  /** As `put`, from a local file (moved or copied, the source is left to the caller). */
  putFile(key: string, path: string, contentType: string): Promise<ObjectInfo>;
  /** `undefined` when missing. `range` is inclusive, in bytes. */
  get(key: string, range?: { start: number; end: number }): Promise<{ info: ObjectInfo; body: Readable } | undefined>;
  info(key: string): Promise<ObjectInfo | undefined>;
  /** Missing objects are no error. */
  delete(key: string): Promise<void>;
  deletePrefix(prefix: string): Promise<void>;
  /** Objects whose keys begin with the prefix, in no order; what is stored or deleted meanwhile may be among them or not. */
  list(prefix: string): AsyncIterable<ObjectInfo>;
  /** A signed link to the object under `FIGUREHEAD_URL`, valid for `seconds`. */
  link(key: string, seconds: number, options?: { downloadName?: string }): string;
  /** Judges a request for a link: `expires`, `signature` and `name` are its query parameters as they came. */
  verifyLink(key: string, query: Readonly<Record<string, unknown>>): LinkVerdict;
}

/** What a signed link is worth. */
export type LinkVerdict =
  | { readonly verdict: 'valid'; readonly downloadName?: string; readonly expiresAt: Date }
  | { readonly verdict: 'expired' | 'forged' };

/** Result of a guarded request. */
export interface FetchResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Why an outgoing request gave no answer. */
export class FetchError extends Error {
  constructor(
    readonly code: 'bad_url' | 'blocked_address' | 'redirect' | 'timeout' | 'too_large' | 'unreachable',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'FetchError';
  }
}

/** Outgoing HTTP with an address guard at connect time, no redirects, a total deadline and a size cap. */
export interface SafeFetch {
  /** Throws {@link FetchError}; any HTTP status is a result. */
  (
    url: string,
    options: {
      method?: 'GET' | 'POST' | 'HEAD';
      headers?: Record<string, string>;
      body?: Buffer | string;
      deadlineMs: number;
      maxBytes: number;
      /** What an answer larger than `maxBytes` is: an error (default), or cut off there. */
      excess?: 'error' | 'cut';
      /** Lets private, loopback and link-local addresses pass. */
      allowPrivate: boolean;
      signal?: AbortSignal;
    },
  ): Promise<FetchResult>;
}

/** One plain-text mail. */
export interface Mail {
  /** The workspace that it is about; its members read it in the console when no SMTP server is configured. */
  readonly workspaceId?: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends mail by SMTP, or keeps it in the `mail_outbox` table when no SMTP server is configured. */
export interface Mailer {
  /** One bare address only (`name@host`). A failure to send is recorded in the outbox, never thrown. */
  send(mail: Mail): Promise<void>;
}

/** Ordered closing: what opened last closes first. */
export interface Lifecycle {
  /** Raised when closing begins. */
  readonly signal: AbortSignal;
  /** Registers what has just opened. */
  onClose(name: string, close: () => Promise<void> | void): void;
  /** Closes everything once; later calls return the same promise. */
  close(): Promise<void>;
}

/**
 * Runs one of the few hottest reads as a prepared statement, at less than half the CPU of the same through the query builder. `name` stands for
 * `text` on every connection, so it must be one constant text. Rows have the columns' names as written; parameters are `$1`, `$2`, ….
 */
export type PreparedRead = <Row extends object>(
  statement: { readonly name: string; readonly text: string },
  values: readonly unknown[],
) => Promise<Row[]>;

/** What a span of a trace says of itself. */
export interface SpanOptions {
  /** Low in number: `POST /videos`, `job renders`, `render draw`. */
  readonly name: string;
  /** `server` answers a request, `consumer` takes a job; default `internal`. */
  readonly kind?: 'internal' | 'server' | 'consumer';
  readonly attributes?: Readonly<Record<string, string | number>>;
  /** Which of the work's errors mark the span as failed; default all. */
  readonly isFailure?: (error: unknown) => boolean;
}

/** Traces for OpenTelemetry; without a collector, `span` only runs its work. */
export interface Tracing {
  readonly enabled: boolean;
  /** Runs work inside a span, child of the caller's. What the work throws marks the span as failed and goes on to the caller. */
  span<T>(options: SpanOptions, work: () => Promise<T>): Promise<T>;
}

/** Room on the disk of the data folder. */
export interface Disk {
  /** Bytes that may still be written before the operator's reserve is touched; negative inside of it. */
  availableBytes(): Promise<number>;
  /** False when the reserve is touched: nothing new should be taken on. Asked at most once a second. */
  hasSpace(): Promise<boolean>;
}

/** Temporary folders on the disk of the data folder. */
export interface TemporaryFolders {
  /** Makes an empty folder whose name begins with `stem`; who opens it removes it. If its process is killed, the next sweep does. */
  open(stem: string): Promise<string>;
  /** Does `work` in such a folder, which is removed afterwards with everything in it. */
  within<T>(stem: string, work: (folder: string) => Promise<T>): Promise<T>;
  /** Removes the folders of processes that are gone. @returns the names of what was removed. */
  sweep(): Promise<string[]>;
}

/** What a function may use that runs inside its caller's transaction: nothing that takes a connection of its own. */
export type KernelInTx = Pick<Kernel, 'config' | 'log' | 'clock' | 'ids' | 'objects'> & {
  readonly queue: Pick<Queue, 'enqueue' | 'enqueueAll'>;
};

/** Everything a feature may use of the house. */
export interface Kernel {
  readonly config: Config;
  /** Shared by API and stream hosts: the operator's, or one that the installation made itself. */
  readonly internalSecret: string;
  readonly log: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly passwords: Passwords;
  readonly db: Database;
  readonly transaction: Transact;
  readonly read: PreparedRead;
  readonly queue: Queue;
  readonly objects: Objects;
  readonly fetch: SafeFetch;
  readonly mailer: Mailer;
  readonly lifecycle: Lifecycle;
  /** Metrics of this process: what the house measures and what features add. */
  readonly metrics: Registry;
  readonly tracing: Tracing;
  readonly disk: Disk;
  readonly temporary: TemporaryFolders;
}
