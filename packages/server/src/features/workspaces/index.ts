/** Workspaces, their users, plans and statuses. */
export { bootstrapOwner, type Owner } from './bootstrap.js';
export { consentOf } from './consent.js';
export {
  addMember,
  changePassword,
  checkPassword,
  joinWorkspace,
  listMemberships,
  listOwners,
  readUser,
  resetPassword,
  type User,
} from './people.js';
export { describeQuotas, recordCreations, requireUploadFolderRoom } from './quotas/quotas.js';
export { CREATIONS } from './quotas/store.js';
export {
  addingToBalances,
  findWorkspace,
  listCounted,
  lockWorkspace,
  lockWorkspaces,
  MEMBER,
  setOperator,
  updateWorkspace,
} from './store.js';
export { createToken, createTokenReader, revokeToken } from './tokens/tokens.js';
export {
  createWorkspace,
  insertWorkspace,
  listWorkspaces,
  MS_PER_MINUTE,
  presentWorkspace,
  readWorkspace,
} from './workspaces.js';
