import { Command, CommanderError } from 'commander';
import { COMMANDS } from './cli/registry.js';
import { ConfigError } from './kernel/config/config.js';
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

for (const { usage, description, load } of COMMANDS) {
  const command = program.command(usage).description(description);
  // The second argument, too, for `help NAME`.
  if (process.argv.slice(2, 4).includes(command.name())) (await load())(command);
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode);
  explain(error);
  process.exit(1);
}
