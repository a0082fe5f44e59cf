import type { Member } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import { pageOf } from '../../kernel/database/page.js';
import { invalidFields, requireFound } from '../../kernel/errors.js';
import { requireOwner } from '../../kernel/http/auth.js';
import type { Caller, Http } from '../../kernel/http/contract.js';
import { addMember, changeRole, hasAccount, listMembers, removeMember } from './people.js';
import { bindTokens } from './tokens/routes.js';
import { readWorkspace, renameWorkspace } from './workspaces.js';

/** Serves the workspace and its members. */
export function bindWorkspaces(http: Http, kernel: Kernel): void {
  http.bind('readWorkspace', {
    handle: async ({ caller }) => requireFound(await readWorkspace(kernel, caller.workspace.id), 'workspace'),
  });
  http.bind('updateWorkspace', {
    handle: async ({ caller, body }) => {
      requireOwner(caller);
      return requireFound(await renameWorkspace(kernel, caller.workspace.id, body.name), 'workspace');
    },
  });
  bindMembers(http, kernel);
  bindTokens(http, kernel);
}

function bindMembers(http: Http, kernel: Kernel): void {
  const resource = ({ caller, params }: { caller: Caller; params: { memberId: string } }) =>
    loadMember(kernel, caller, params.memberId);
  http.bind('listMembers', {
    handle: async ({ caller, query }) => pageOf('members', await listMembers(kernel, caller.workspace.id), query),
  });
  http.bind('createMember', {
    check: async ({ caller, body }) => {
      requireOwner(caller);
      if (body.password === undefined && !(await hasAccount(kernel, body.email))) {
        throw invalidFields([{ field: 'password', message: 'is required for a user without an account' }]);
      }
    },
    handle: async ({ caller, body }) => {
      const { created: _created, ...member } = await addMember(kernel, {
        role: 'member',
        ...body,
        workspaceId: caller.workspace.id,
      });
      return member;
    },
  });
  http.bind('updateMember', {
    resource,
    handle: async ({ caller, body, resource: member }) => {
      await changeRole(kernel, { workspaceId: caller.workspace.id, userId: member._id, role: body.role });
      return { ...member, role: body.role };
    },
  });
  http.bind('deleteMember', {
    resource,
    handle: async ({ caller, resource: member }) => {
      await removeMember(kernel, { workspaceId: caller.workspace.id, userId: member._id });
      return { _id: member._id, deleted: true };
    },
  });
}

async function loadMember(kernel: Kernel, caller: Caller, memberId: string): Promise<Member> {
  const members = await listMembers(kernel, caller.workspace.id);
  const member = requireFound(
    members.find(({ _id }) => _id === memberId),
    'member',
  );
  requireOwner(caller);
  return member;
}
