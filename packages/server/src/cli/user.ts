import { ROLES, type Role } from '@figurehead/contract/limits';
import { Option } from 'commander';
import { endSessionsOf } from '../features/sessions/index.js';
import { addMember, listWorkspaces, readWorkspace, resetPassword, setOperator } from '../features/workspaces/index.js';
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

/** `figurehead user create|reset`. */
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
      requireLength(flags.password);
      const result = await onInstallation((kernel) => create(kernel, flags));
      const { email, password, workspaceId } = result;
      const secret = password === undefined ? 'the existing password' : `password ${password}`;
      print(flags.json, result, [`${email} is ${flags.role} of workspace ${workspaceId}, ${secret}`]);
    });
  command
    .command('reset')
    .description('give a user a new password and sign them out everywhere')
    .requiredOption('--email <address>', 'that the user signs in with')
    .option('--password <password>', 'default: a random one, shown this once')
    .addOption(jsonOption())
    .action(async (flags: Pick<Flags, 'email' | 'password' | 'json'>) => {
      requireLength(flags.password);
      const result = await onInstallation((kernel) => reset(kernel, flags));
      print(flags.json, result, [`${result.email} has the password ${result.password} and is signed out everywhere`]);
    });
};

function requireLength(password: string | undefined): void {
  if (password !== undefined && password.length < SHORTEST_PASSWORD)
    throw new OperatorError(`A password has at least ${SHORTEST_PASSWORD} characters.`);
}

async function reset(kernel: Kernel, flags: Pick<Flags, 'email' | 'password'>) {
  const password = flags.password ?? kernel.ids.secret(12);
  const user = await resetPassword(kernel, { email: flags.email, password });
  if (user === undefined) throw new OperatorError(`There is no user ${JSON.stringify(flags.email)}.`);
  await endSessionsOf(kernel, user._id);
  return { _id: user._id, email: user.email, password };
}

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
