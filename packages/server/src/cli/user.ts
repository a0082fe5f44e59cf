import { ROLES, type Role } from '@figurehead/contract/limits';
import { Option } from 'commander';
import { addMember, listWorkspaces, readWorkspace, setOperator } from '../features/workspaces/index.js';
import type { Kernel } from '../kernel/contract.js';
import { isBareAddress } from '../kernel/network/mail.js';
import { OperatorError } from '../kernel/operator-error.js';
import { jsonOption, nonEmpty, onInstallation, print, type Registration } from './command.js';

const SHORTEST_PASSWORD = 8;

interface Flags {
  readonly email: string;
  readonly name?: string;
  readonly workspace?: string;
  readonly role: Role;
  readonly password?: string;
  readonly operator?: boolean;
  readonly json?: boolean;
}

/** `figurehead user create`. */
export const registerUser: Registration = (command) => {
  command
    .command('create')
    .description('create a user as a member of a workspace')
    .requiredOption('--email <address>', 'to sign in with')
    .option('--name <name>', 'default: the part before the @', nonEmpty)
    .option('--workspace <id>', 'default: the oldest')
    .addOption(new Option('--role <role>', 'in the workspace').choices(ROLES).default('owner'))
    .option('--password <password>', 'default: a random one, shown this once')
    .option('--operator', 'may also administer the installation in the console (workspaces, hosts, workers)')
    .addOption(jsonOption())
    .action(async (flags: Flags) => {
      if (!isBareAddress(flags.email))
        throw new OperatorError(`${JSON.stringify(flags.email)} is not an e-mail address.`);
      if (flags.password !== undefined && flags.password.length < SHORTEST_PASSWORD) {
        throw new OperatorError(`A password has at least ${SHORTEST_PASSWORD} characters.`);
      }
      const result = await onInstallation((kernel) => create(kernel, flags));
      const { email, password, workspaceId } = result;
      const secret = password === undefined ? 'the existing password' : `password ${password}`;
      print(flags.json, result, [`${email} is ${flags.role} of workspace ${workspaceId}, ${secret}`]);
    });
};

async function create(kernel: Kernel, flags: Flags) {
  const workspaceId = await findWorkspaceId(kernel, flags.workspace);
  const password = flags.password ?? kernel.ids.secret(12);
  const { created, ...member } = await addMember(kernel, {
    workspaceId,
    email: flags.email,
    role: flags.role,
    password,
    ...(flags.name === undefined ? {} : { name: flags.name }),
  });
  if (flags.operator) await setOperator(kernel.db, member._id, true);
  // An existing account keeps its password.
  return { ...member, workspaceId, ...(created ? { password } : {}), operator: flags.operator ?? false };
}

async function findWorkspaceId(kernel: Kernel, wanted: string | undefined): Promise<string> {
  const workspace = wanted === undefined ? (await listWorkspaces(kernel))[0] : await readWorkspace(kernel, wanted);
  if (workspace === undefined) {
    throw new OperatorError(
      wanted === undefined
        ? 'There is no workspace yet; create one with `figurehead workspace create`.'
        : `There is no workspace ${wanted}.`,
    );
  }
  return workspace._id;
}
