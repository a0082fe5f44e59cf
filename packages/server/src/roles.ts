import type { Kernel } from './kernel/contract.js';

/** Exports of a file in `roles/`. */
interface RoleModule {
  /** Starts the role and resolves when it is ready; everything it opens is registered with the kernel's lifecycle. */
  start(kernel: Kernel): Promise<void>;
}

/**
 * Parts of the program that run as separate processes. Each is loaded on demand, so that a process loads only its own
 * code.
 */
export const ROLES = Object.freeze({
  api: () => import('./roles/api.js'),
  worker: () => import('./roles/worker.js'),
  streams: () => import('./roles/streams.js'),
}) satisfies Readonly<Record<string, () => Promise<RoleModule>>>;

export type RoleName = keyof typeof ROLES;
