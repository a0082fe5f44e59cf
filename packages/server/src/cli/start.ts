import { Option } from 'commander';
import { loadConfig } from '../kernel/config/config.js';
import { runRole } from '../roles/role.js';
import { ROLES, type RoleName } from '../roles/roles.js';
import { answerWatchdog } from '../roles/service-watchdog.js';
import { supervise } from '../roles/supervisor.js';
import { notice, type Registration } from './command.js';

/** `figurehead start` and `figurehead start --role NAME`. */
export const registerStart: Registration = (command) => {
  command
    .addOption(new Option('--role <name>', 'run this role only').choices(Object.keys(ROLES)))
    .addOption(new Option('--supervised', 'receive the environment from the parent process').hideHelp())
    .action(async (options: { role?: RoleName; supervised?: boolean }) => {
      // A terminal, or a reader of the output, that goes away must not end the server, whose log files go on.
      for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
      answerWatchdog(process.env, notice);
      if (options.role !== undefined) {
        // Open handles of libraries must not keep an ended role alive.
        process.exit(await runRole(options.role, options));
      }
      await supervise(loadConfig(), { say: (line) => process.stdout.write(`${line}\n`), notice });
      process.exit(0);
    });
};
