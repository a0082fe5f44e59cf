import type { Logger } from 'pino';
import type { Config } from '../kernel/config/config.js';
import type { Kernel } from '../kernel/contract.js';

/** Starts a role and resolves when it is ready; everything it opens is registered with the kernel's lifecycle. */
type StartRole = (kernel: Kernel) => Promise<void>;

/** Exports of a file in `roles/`: `prepare` loads what takes long and needs no database, while the database starts. */
export type RoleModule =
  | { readonly start: StartRole }
  | { readonly prepare: (config: Config, log: Logger) => Promise<StartRole> };

/**
 * Parts of the program that run as separate processes. Each is loaded on demand, so that a process loads only its own
 * code.
 */
export const ROLES = Object.freeze({
  api: () => import('./api.js'),
  worker: () => import('./worker.js'),
  streams: () => import('./streams.js'),
}) satisfies Readonly<Record<string, () => Promise<RoleModule>>>;

export type RoleName = keyof typeof ROLES;
