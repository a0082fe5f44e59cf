import { addMember, setOperator } from '../../packages/server/src/features/workspaces/index.js';
import { call, type TestApi, type TestCaller } from './api.js';

/**
 * Signs in a new user of a workspace and returns a function that calls like the console: with the session's cookie,
 * from its own origin.
 */
export async function signInAs(
  api: TestApi,
  { operator = false, ...person }: { workspaceId: string; role: 'owner' | 'reviewer' | 'member'; operator?: boolean },
): Promise<TestCaller['call']> {
  const email = `${person.role}-${api.test.kernel.ids.next()}@example.org`;
  const password = 'correct horse';
  const { _id } = await addMember(api.test.kernel, { ...person, email, password });
  if (operator) await setOperator(api.test.kernel.db, _id, true);
  const signedIn = await call(api.http, { method: 'POST', path: '/session', body: { email, password } });
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
  return (method, path, body, headers) =>
    call(api.http, { method, path, body, headers: { cookie, 'sec-fetch-site': 'same-origin', ...headers } });
}
