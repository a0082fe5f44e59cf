import { InvalidArgumentError } from 'commander';
import { moveDatabase } from '../backup/move.js';
import { withDatabase } from '../installation.js';
import type { Config } from '../kernel/config/config.js';
import { OperatorError } from '../kernel/operator-error.js';
import { jsonOption, notice, print, type Registration, readConfig } from './command.js';

/** `figurehead database move --to URL|embedded`. */
export const registerDatabase: Registration = (database) => {
  database
    .command('move')
    .description('copy everything from the current database to another; stop the server first')
    .requiredOption('--to <database>', 'postgres://… or "embedded"', target)
    .option('--replace', 'empty the other database first; a copy of it is kept in the data folder')
    .addOption(jsonOption())
    .action(async (flags: { to: string; replace?: boolean; json?: boolean }) => {
      const config = readConfig();
      const toEmbedded = flags.to === 'embedded';
      if (toEmbedded && config.databaseUrl === undefined) {
        throw new OperatorError(
          'The current database is already the embedded one; set DATABASE_URL to the database to move from.',
        );
      }
      const to = withUrl(config, toEmbedded ? undefined : flags.to);
      const summary = await withDatabase({ config, notice }, (from) =>
        withDatabase({ config: to, notice }, (url) =>
          moveDatabase({ config, from, to: url, replace: flags.replace === true }),
        ),
      );
      print(flags.json, summary, [
        `${summary.tables} tables with ${summary.rows} rows were copied to the other database; the current one is unchanged`,
        ...(summary.replaced === undefined ? [] : [`its former content is in ${summary.replaced}`]),
        toEmbedded
          ? 'Now unset DATABASE_URL and start.'
          : 'Now set DATABASE_URL to it on every machine and start. Media are not in the database and stay where they are.',
      ]);
    });
};

function target(text: string): string {
  if (text === 'embedded' || /^postgres(ql)?:\/\//.test(text)) return text;
  throw new InvalidArgumentError('It must be postgres://… or "embedded".');
}

function withUrl({ databaseUrl: _present, ...config }: Config, databaseUrl: string | undefined): Config {
  return Object.freeze({ ...config, databaseUrl });
}
