/** How a queue behaves. */
export interface QueueOptions {
  /** A job whose process has sent no heartbeat for this long is given to another, seconds; at least 10. */
  readonly heartbeatSeconds: number;
  /** Attempts before the job is given up. */
  readonly attempts: number;
}

/** Queues by name. */
export type QueueDefinitions = Readonly<Record<string, QueueOptions>>;

/**
 * Every queue of the program. The database gets them when it is prepared, under the lock of the migrations, so that a request never defines one.
 * The last attempt of each only ends what the earlier ones left unfinished when their workers died.
 */
export const QUEUES = {
  // A dead worker is noticed after 10 s, and replaced at the queue's next pass: within 16 s.
  renders: { heartbeatSeconds: 10, attempts: 6 },
  presentations: { heartbeatSeconds: 10, attempts: 4 },
  media: { heartbeatSeconds: 30, attempts: 4 },
  avatars: { heartbeatSeconds: 15, attempts: 3 },
} as const satisfies QueueDefinitions;
