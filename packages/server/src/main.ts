import { Command, CommanderError } from 'commander';
import { COMMANDS } from './cli/registry.js';
import { ConfigError } from './config.js';
import { OperatorError } from './kernel/operator-error.js';
import { programVersion } from './kernel/version.js';

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

const program = new Command('figurehead')
  .description('Self-hosted AI presenters: turn text into videos and live streams.')
  .version(programVersion())
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
