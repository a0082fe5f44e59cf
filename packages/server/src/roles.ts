import type { Kernel } from './kernel/contract.js';

/** What a file in `roles/` exports. */
interface RoleModule {
  /** Starts the role and resolves when it does its work; what it opens it registers with the kernel's lifecycle. */
  start(kernel: Kernel): Promise<void>;
}

/** Parts of the program that run as processes of their own. Each is loaded on demand, so that a process carries its own code only. */
export const ROLES = Object.freeze({
  api: () => import('./roles/api.js'),
  worker: () => import('./roles/worker.js'),
  streams: () => import('./roles/streams.js'),
}) satisfies Readonly<Record<string, () => Promise<RoleModule>>>;

/** A key of {@link ROLES}. */
export type RoleName = keyof typeof ROLES;
