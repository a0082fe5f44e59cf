import { createToken, readWorkspace, revokeToken } from '../features/workspaces/index.js';
import { OperatorError } from '../kernel/operator-error.js';
import { jsonOption, nonEmpty, onInstallation, print, type Registration } from './command.js';

/** `figurehead token create|revoke`. */
export const registerToken: Registration = (token) => {
  token
    .command('create')
    .description('create a token; it is shown only once')
    .requiredOption('--workspace <id>', 'the workspace it gives access to')
    .option('--name <name>', 'what it is for', nonEmpty, 'Command line')
    .addOption(jsonOption())
    .action(async (flags: { workspace: string; name: string; json?: boolean }) => {
      const fresh = await onInstallation(async (kernel) => {
        const workspace = await readWorkspace(kernel, flags.workspace);
        if (workspace === undefined) throw new OperatorError(`There is no workspace ${flags.workspace}.`);
        // The token has no creator, so its actions count as the workspace's own.
        return createToken(kernel, { workspaceId: workspace._id, userId: workspace._id, name: flags.name });
      });
      print(flags.json, fresh, [fresh.token]);
    });
  token
    .command('revoke <id>')
    .description('revoke a token immediately')
    .addOption(jsonOption())
    .action(async (id: string, flags: { json?: boolean }) => {
      const revoked = await onInstallation((kernel) => revokeToken(kernel, id));
      if (!revoked) throw new OperatorError(`There is no token ${id}, or it was revoked before.`);
      print(flags.json, { _id: id, revoked: true }, [`Revoked ${id}.`]);
    });
};
