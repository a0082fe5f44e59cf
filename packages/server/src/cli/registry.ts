import type { Registration } from './command.js';

/** A command as the help of the program lists it. */
interface CommandRow {
  /** Name and arguments. */
  readonly usage: string;
  readonly description: string;
  /** Loads the rest: options, subcommands and action. */
  readonly load: () => Promise<Registration>;
}

/**
 * Every command of the program, in the order of the help. To add a command, add a file and a row here. Only the wanted
 * command is loaded, so that the help is fast, and a database command does not load the media engine.
 */
export const COMMANDS: readonly CommandRow[] = [
  {
    usage: 'start',
    description: 'run the server: everything on this machine, or one role of a larger installation',
    load: async () => (await import('./start.js')).registerStart,
  },
  {
    usage: 'render <file>',
    description: 'render a video document (the body of POST /videos) without a server',
    load: async () => (await import('./render.js')).registerRender,
  },
  {
    usage: 'say <text>',
    description: 'synthesise a text to a WAV file without a server',
    load: async () => (await import('./say.js')).registerSay,
  },
  {
    usage: 'verify <file>',
    description: 'check the content credentials of a film or picture (C2PA), without a server',
    load: async () => (await import('./verify.js')).registerVerify,
  },
  {
    usage: 'mcp',
    description: 'serve the tools of a server to an agent on this machine (Model Context Protocol, stdio)',
    load: async () => (await import('./mcp.js')).registerMcp,
  },
  {
    usage: 'voices',
    description: 'add and list voices and speech recognisers',
    load: async () => (await import('./voices.js')).registerVoices,
  },
  {
    usage: 'config',
    description: 'print every configuration key with its value, source and meaning',
    load: async () => (await import('./config.js')).registerConfig,
  },
  {
    usage: 'doctor',
    description: 'check machine, disk, database, bucket, mail, ports, TURN and programs, and say what to do',
    load: async () => (await import('./doctor.js')).registerDoctor,
  },
  {
    usage: 'workspace',
    description: 'create and change workspaces',
    load: async () => (await import('./workspace.js')).registerWorkspace,
  },
  {
    usage: 'token',
    description: 'create and revoke API tokens',
    load: async () => (await import('./token.js')).registerToken,
  },
  {
    usage: 'user',
    description: 'create users of the console',
    load: async () => (await import('./user.js')).registerUser,
  },
  {
    usage: 'moderation',
    description: 'decide on videos waiting for review',
    load: async () => (await import('./moderation.js')).registerModeration,
  },
  {
    usage: 'backup <file>',
    description: 'write database and media to a tar file; the server may keep running',
    load: async () => (await import('./backup.js')).registerBackup,
  },
  {
    usage: 'restore <file>',
    description: 'restore a backup into an empty database and data folder',
    load: async () => (await import('./backup.js')).registerRestore,
  },
  {
    usage: 'database',
    description: 'move between the embedded database and a server',
    load: async () => (await import('./database.js')).registerDatabase,
  },
  {
    usage: 'support-bundle',
    description:
      'write versions, configuration, check results and the last log lines to a file for support, without secrets',
    load: async () => (await import('./support-bundle.js')).registerSupportBundle,
  },
];
