import { createToken, revokeToken } from '../features/tokens/index.js';
import { readWorkspace } from '../features/workspaces/index.js';
import { OperatorError } from '../kernel/operator-error.js';
import { jsonOption, onInstallation, print, type Registration } from './command.js';

/** `figurehead token create|revoke`. */
export const registerToken: Registration = (program) => {
  const token = program.command('token').description('make and revoke API tokens');
  token
    .command('create')
    .description('make a token; it is shown this once')
    .requiredOption('--workspace <id>', 'the workspace it opens')
    .option('--name <name>', 'what it is for', 'Command line')
    .addOption(jsonOption())
    .action(async (flags: { workspace: string; name: string; json?: boolean }) => {
      const fresh = await onInstallation(async (kernel) => {
        const workspace = await readWorkspace(kernel, flags.workspace);
        if (workspace === undefined) throw new OperatorError(`There is no workspace ${flags.workspace}.`);
        // Nobody in particular made it, so what it does counts as the workspace's own doing.
        return createToken(kernel, { workspaceId: workspace._id, userId: workspace._id, name: flags.name });
      });
      print(flags.json, fresh, [fresh.token]);
    });
  token
    .command('revoke <id>')
    .description('revoke a token at once')
    .addOption(jsonOption())
    .action(async (id: string, flags: { json?: boolean }) => {
      const revoked = await onInstallation((kernel) => revokeToken(kernel, id));
      if (!revoked) throw new OperatorError(`There is no token ${id}, or it was revoked before.`);
      print(flags.json, { _id: id, revoked: true }, [`Revoked ${id}.`]);
    });
};
