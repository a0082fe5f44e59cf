import type { AdminWorkspacePatch, Workspace } from '@figurehead/contract';
import { MODERATION_MODES, PLANS, WORKSPACE_STATUSES } from '@figurehead/contract/limits';
import { type Command, Option } from 'commander';
import { setWorkspace } from '../features/administration/index.js';
import { createWorkspace, listWorkspaces } from '../features/workspaces/index.js';
import { OperatorError } from '../kernel/operator-error.js';
import { jsonOption, nonEmpty, nonNegative, onInstallation, print, type Registration } from './command.js';

interface Flags extends AdminWorkspacePatch {
  readonly json?: boolean;
}

/** `figurehead workspace create|set|list`. */
export const registerWorkspace: Registration = (workspace) => {
  withFlags(workspace.command('create').description('make a workspace'))
    .requiredOption('--name <name>', 'its name', nonEmpty)
    .action(async (flags: Flags & { name: string }) => {
      show(
        flags.json,
        await onInstallation((kernel) => createWorkspace(kernel, { ...settingsOf(flags), name: flags.name })),
      );
    });
  withFlags(workspace.command('set <id>').description('change the given properties'))
    .option('--name <name>', 'its name', nonEmpty)
    .action(async (id: string, flags: Flags) => {
      const changed = await onInstallation((kernel) => setWorkspace(kernel, id, settingsOf(flags)));
      if (changed === undefined) throw new OperatorError(`There is no workspace ${id}.`);
      show(flags.json, changed);
    });
  workspace
    .command('list')
    .description('all workspaces, oldest first')
    .addOption(jsonOption())
    .action(async (flags: Flags) => {
      const workspaces = await onInstallation(listWorkspaces);
      print(flags.json, workspaces, workspaces.map(lineOf));
    });
};

function withFlags(command: Command): Command {
  return command
    .addOption(new Option('--plan <plan>', 'its plan').choices(PLANS))
    .addOption(new Option('--status <status>', 'its status').choices(WORKSPACE_STATUSES))
    .addOption(new Option('--minutes <minutes>', 'remaining minutes').argParser(nonNegative))
    .option('--allow-overlimit', 'allow overage: continue when no minutes remain')
    .option('--no-allow-overlimit', 'forbid overage: stop when no minutes remain')
    .addOption(new Option('--moderation <mode>', 'which videos need a review').choices(MODERATION_MODES))
    .addOption(jsonOption());
}

function settingsOf(flags: Flags): AdminWorkspacePatch {
  const { json: _json, ...settings } = flags;
  return settings;
}

function show(json: boolean | undefined, workspace: Workspace): void {
  print(json, workspace, [lineOf(workspace)]);
}

function lineOf(workspace: Workspace): string {
  const minutes = Math.round(workspace.minutes * 10) / 10;
  const overlimit = workspace.allowOverlimit ? ', overage allowed' : '';
  return `${workspace._id}  ${workspace.name}  ${workspace.plan}, ${workspace.status}, ${minutes} minutes${overlimit}, moderation ${workspace.moderation}`;
}
