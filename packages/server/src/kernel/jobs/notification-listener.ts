import pg from 'pg';

/** A `LISTEN` on a dedicated connection. */
export interface NotificationListener {
  /**
   * Connects when there is no connection; throws the connection error. Call it regularly, because connections can
   * break.
   */
  ensure(): Promise<void>;
  close(): Promise<void>;
}

/** Options of {@link createNotificationListener}. */
export interface NotificationListenerOptions {
  /** Database URL; undefined uses the environment variables of `pg`. */
  readonly url: string | undefined;
  readonly channel: string;
  /** Name of the listener in `pg_stat_activity`. */
  readonly application: string;
  /** Called for each notification; `payload` is empty when it has none. */
  readonly onNotify: (payload: string) => void;
  /** The connection broke: notifications are lost until the next `ensure`. */
  readonly onLost?: () => void;
}

/**
 * Calls `onNotify` for every notification on `channel`. It does not use the pool: the connection is never released, and
 * listening is a state that the pool's next user must not inherit.
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
    // The next `ensure` reconnects.
    fresh.on('error', forget);
    fresh.on('end', forget);
    try {
      await fresh.connect();
      await fresh.query(`listen ${channel}`);
    } catch (error) {
      // A client that could not connect need not be ended.
      await fresh.end().catch(() => undefined);
      throw error;
    }
    client = fresh;
  }

  return {
    async ensure() {
      if (client) return;
      // Concurrent callers share one connection attempt.
      connecting ??= open().finally(() => {
        connecting = undefined;
      });
      await connecting;
    },
    async close() {
      // Errors are reported to the callers of `ensure`.
      await connecting?.catch(() => undefined);
      await client?.end();
    },
  };
}
