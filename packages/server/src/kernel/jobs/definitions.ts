export interface QueueOptions {
  /** Seconds without a heartbeat after which a job is given to another process; at least 10. */
  readonly heartbeatSeconds: number;
  /** Maximum number of attempts. */
  readonly attempts: number;
}

export type QueueDefinitions = Readonly<Record<string, QueueOptions>>;

/** Attempt whose unknown failure is final; earlier ones may be temporary (database or bucket out of reach). */
export const LAST_TRY = 3;

/**
 * Every queue of the program. They are created when the database is prepared, under the migration lock, so that a
 * request never creates one. The last attempt of a job only cleans up after earlier ones whose workers died.
 */
export const QUEUES = {
  // A dead worker is detected after 10 s and replaced at the queue's next pass: within 16 s.
  renders: { heartbeatSeconds: 10, attempts: 6 },
  presentations: { heartbeatSeconds: 10, attempts: 4 },
  media: { heartbeatSeconds: 30, attempts: 4 },
  avatars: { heartbeatSeconds: 15, attempts: 3 },
} as const satisfies QueueDefinitions;
