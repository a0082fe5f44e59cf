import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Config, loadConfig } from '../kernel/config/config.js';
import type { Kernel } from '../kernel/contract.js';

/** Exported by each file of `cli/`: adds options, subcommands and action to its command. */
export type Registration = (command: Command) => void;

/** Prints human-readable text, or JSON with `--json`. */
export function print(json: boolean | undefined, value: unknown, lines: readonly string[]): void {
  process.stdout.write(json === true ? `${JSON.stringify(value)}\n` : `${lines.join('\n')}\n`);
}

/** Prints a message for the operator on standard error, separate from the output. */
export function notice(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The option `--json`, which every command has. */
export function jsonOption(): Option {
  return new Option('--json', 'print JSON');
}

/** Runs `use` on the configured installation. */
export async function onInstallation<T>(use: (kernel: Kernel) => Promise<T>): Promise<T> {
  // Loaded here: commands without an installation need neither database nor queue.
  const { withKernel } = await import('../installation.js');
  return withKernel(readConfig(), notice, use);
}

/** Loads the configuration; errors end the program with one line per problem. */
export function readConfig(): Config {
  return loadConfig();
}

/** An option's text with at least one visible character. */
export function nonEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

/** An option's number, 0 or more. */
export function nonNegative(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('It must be a number, 0 or more.');
  return value;
}
