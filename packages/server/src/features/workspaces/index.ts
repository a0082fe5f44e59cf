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
  type User,
} from './people.js';
export { bindWorkspaces } from './routes.js';
export { findWorkspace, setOperator } from './store.js';
export {
  createWorkspace,
  insertWorkspace,
  listWorkspaces,
  readWorkspace,
  setWorkspace,
} from './workspaces.js';
