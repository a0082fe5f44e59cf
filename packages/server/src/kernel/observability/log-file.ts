import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../contract.js';

/** A log file that is rotated daily (UTC). */
export interface LogFile {
  write(line: string): void;
}

/** Folder of the log files inside the data folder. */
export const LOG_FOLDER = 'logs';

/** File name for a role and a day: `worker-2026-11-21.jsonl`. */
export function logFileName(role: string, atMs: number): string {
  return `${role}-${new Date(atMs).toISOString().slice(0, 10)}.jsonl`;
}

/**
 * Opens the log files of a role in the data folder. Several processes of a role may write to the same one: each line is
 * one append.
 * @param onError called when a file cannot be written (a full disk); the program continues and retries with the next
 * line.
 */
export function openLogFile(options: {
  dataDir: string;
  role: string;
  clock: Pick<Clock, 'now'>;
  onError: (error: Error) => void;
}): LogFile {
  const { dataDir, role, clock, onError } = options;
  const folder = join(dataDir, LOG_FOLDER);
  let current: { name: string; descriptor: number } | undefined;
  return {
    write(line) {
      try {
        const name = logFileName(role, clock.now());
        if (current?.name !== name) {
          if (current !== undefined) closeSync(current.descriptor);
          mkdirSync(folder, { recursive: true, mode: 0o700 });
          current = { name, descriptor: openSync(join(folder, name), 'a', 0o600) };
        }
        writeSync(current.descriptor, line);
      } catch (error) {
        current = undefined;
        onError(error as Error);
      }
    },
  };
}
