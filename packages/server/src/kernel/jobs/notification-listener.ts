import pg from 'pg';

/** A `LISTEN` on a connection of its own. */
export interface NotificationListener {
  /** Connects when there is no connection; throws what connecting throws. Call it again now and then: connections break. */
  ensure(): Promise<void>;
  close(): Promise<void>;
}

/** What to listen for, and whom to tell. */
export interface NotificationListenerOptions {
  /** Of the database; undefined takes what `pg` finds in the environment. */
  readonly url: string | undefined;
  readonly channel: string;
  /** Who listens, for `pg_stat_activity`. */
  readonly application: string;
  /** A notification; `payload` is empty when it has none. */
  readonly onNotify: (payload: string) => void;
  /** The connection broke: notifications are lost until the next `ensure`. */
  readonly onLost?: () => void;
}

/**
 * Calls `onNotify` for every notification on `channel`. Not a connection of the pool: it is never given back, and listening is a state
 * that the pool's next user must not inherit.
 */
export function createNotificationListener({
  url,
  channel,
  application,
  onNotify,
  onLost,
}: NotificationListenerOptions): NotificationListener {
  let client: pg.Client | undefined;
  let connecting: Promise<void> | undefined;

  async function open(): Promise<void> {
    const fresh = new pg.Client({
      ...(url === undefined ? {} : { connectionString: url }),
      application_name: `figurehead ${application}`,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
    });
    const forget = () => {
      if (client !== fresh) return;
      client = undefined;
      onLost?.();
    };
    fresh.on('notification', ({ payload }) => onNotify(payload ?? ''));
    // The next `ensure` connects again.
    fresh.on('error', forget);
    fresh.on('end', forget);
    try {
      await fresh.connect();
      await fresh.query(`listen ${channel}`);
    } catch (error) {
      // One that could not connect has nothing to end.
      await fresh.end().catch(() => undefined);
      throw error;
    }
    client = fresh;
  }

  return {
    async ensure() {
      if (client) return;
      // Many may ask at once; one connection is enough.
      connecting ??= open().finally(() => {
        connecting = undefined;
      });
      await connecting;
    },
    async close() {
      // Who waits for the connection is told why there is none.
      await connecting?.catch(() => undefined);
      await client?.end();
    },
  };
}
