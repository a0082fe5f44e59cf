/** What one check came to. A warning does not keep the server from working. */
export type FindingStatus = 'ok' | 'warning' | 'wrong' | 'skipped';

/** One line of `figurehead doctor`. */
export interface Finding {
  readonly check: string;
  /** False exactly for `wrong`. */
  readonly ok: boolean;
  readonly status: FindingStatus;
  /** What was found. */
  readonly detail: string;
  /** What to do about it, when there is something to do. */
  readonly advice?: string;
}

/** What a check finds; thrown errors count as wrong. */
export interface Found {
  readonly status?: FindingStatus;
  readonly detail: string;
  readonly advice?: string;
}

/** Runs a check. @param advice what to do when it throws. */
export async function examine(check: string, advice: string, look: () => Promise<Found> | Found): Promise<Finding> {
  try {
    const { status = 'ok', ...found } = await look();
    return { check, ok: status !== 'wrong', status, ...found };
  } catch (error) {
    return { check, ok: false, status: 'wrong', detail: reasonOf(error), advice };
  }
}

/** A check that has nothing to look at. */
export function skipped(check: string, detail: string, advice?: string): Finding {
  return { check, ok: true, status: 'skipped', detail, ...(advice === undefined ? {} : { advice }) };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  // Node's errors for a name with several addresses have an empty message.
  return error.message === '' ? (code ?? error.name) : error.message;
}
