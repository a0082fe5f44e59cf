import pg from 'pg';

/** A `LISTEN` on a connection of its own. */
export interface WakeUp {
  /** Connects when there is no connection; throws what connecting throws. Call it again now and then: connections break. */
  ensure(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Calls `onNotify` for every notification on `channel`. Not a connection of the pool: it is never given back, and listening is a state
 * that the pool's next user must not inherit.
 * @param url of the database; undefined takes what `pg` finds in the environment.
 */
export function createWakeUp(url: string | undefined, channel: string, onNotify: () => void): WakeUp {
  let client: pg.Client | undefined;

  return {
    async ensure() {
      if (client) return;
      const fresh = new pg.Client({
        ...(url === undefined ? {} : { connectionString: url }),
        application_name: 'figurehead webhooks',
        connectionTimeoutMillis: 10_000,
        keepAlive: true,
      });
      const forget = () => {
        if (client === fresh) client = undefined;
      };
      fresh.on('notification', onNotify);
      // The next `ensure` connects again; until then the poll finds the deliveries.
      fresh.on('error', forget);
      fresh.on('end', forget);
      await fresh.connect();
      client = fresh;
      await fresh.query(`listen ${channel}`);
    },
    async close() {
      await client?.end();
    },
  };
}
