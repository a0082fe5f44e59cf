import type { Registration } from './command.js';

/**
 * Every command of the program, in the order of the help. To add a command, add a file and a line here. Commands are
 * loaded on demand, so that a role or a database command does not load the media engine.
 */
export const COMMANDS: Readonly<Record<string, () => Promise<Registration>>> = Object.freeze({
  start: async () => (await import('./start.js')).registerStart,
  render: async () => (await import('./render.js')).registerRender,
  say: async () => (await import('./say.js')).registerSay,
  voices: async () => (await import('./voices.js')).registerVoices,
  config: async () => (await import('./config.js')).registerConfig,
  doctor: async () => (await import('./doctor.js')).registerDoctor,
  workspace: async () => (await import('./workspace.js')).registerWorkspace,
  token: async () => (await import('./token.js')).registerToken,
  user: async () => (await import('./user.js')).registerUser,
  moderation: async () => (await import('./moderation.js')).registerModeration,
  backup: async () => (await import('./backup.js')).registerBackup,
  restore: async () => (await import('./restore.js')).registerRestore,
  database: async () => (await import('./database.js')).registerDatabase,
  'support-bundle': async () => (await import('./support-bundle.js')).registerSupportBundle,
});
