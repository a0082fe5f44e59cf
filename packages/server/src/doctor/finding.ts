/** Result of one check. A warning does not prevent the server from working. */
export type FindingStatus = 'ok' | 'warning' | 'wrong' | 'skipped';

/** One line of `figurehead doctor`. */
export interface Finding {
  readonly check: string;
  /** False exactly for `wrong`. */
  readonly ok: boolean;
  readonly status: FindingStatus;
  readonly detail: string;
  /** What to do about it, if anything. */
  readonly advice?: string;
}

/** Result of a check function; thrown errors count as wrong. */
export interface Found {
  readonly status?: FindingStatus;
  readonly detail: string;
  readonly advice?: string;
}

/** Runs a check. @param advice shown when it throws. */
export async function examine(check: string, advice: string, look: () => Promise<Found> | Found): Promise<Finding> {
  try {
    const { status = 'ok', ...found } = await look();
    return { check, ok: status !== 'wrong', status, ...found };
  } catch (error) {
    return { check, ok: false, status: 'wrong', detail: reasonOf(error), advice };
  }
}

/** A check that does not apply. */
export function skipped(check: string, detail: string, advice?: string): Finding {
  return { check, ok: true, status: 'skipped', detail, ...(advice === undefined ? {} : { advice }) };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  // Node's errors for a host name with several addresses have an empty message.
  return error.message === '' ? (code ?? error.name) : error.message;
}
