import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { COMMANDS } from './cli/registry.js';
import { ConfigError } from './config.js';
import { OperatorError } from './kernel/operator-error.js';

/** Prints why the program ends: one sentence for a problem that the operator can fix, a stack for a bug. */
function explain(error: unknown): void {
  if (error instanceof ConfigError) {
    for (const problem of error.problems) process.stderr.write(`figurehead: ${problem}\n`);
  } else if (error instanceof OperatorError) {
    process.stderr.write(`figurehead: ${error.message}\n`);
  } else {
    process.stderr.write(`figurehead: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  }
}

/** The version in package.json. */
function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  return manifest.version;
}

const program = new Command('figurehead')
  .description('Self-hosted AI presenters: turn text into videos and live streams.')
  .version(version())
  .showHelpAfterError('Run it with --help to see all commands.')
  .exitOverride();

// Only the requested command is loaded; for the help, all of them.
const wanted = COMMANDS[process.argv[2] ?? ''];
for (const load of wanted === undefined ? Object.values(COMMANDS) : [wanted]) (await load())(program);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode);
  explain(error);
  process.exit(1);
}
