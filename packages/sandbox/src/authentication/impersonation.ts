import type { Ask, Authorizer } from '../request/authorizer.ts';
import { forbidden } from '../refusal/forbidden.ts';
import { accountGroups } from '../request/user-info.ts';
import type { UserInfo } from '../request/user-info.ts';
import { badRequest } from '../refusal/refusal.ts';
import { unescaped } from '../request/unescaped.ts';

/**
 * The effective user of a request: its sender, or the user in its `Impersonate-*` headers. The
 * sender must have the right to impersonate each name in them. Errors: 403 in the real server's
 * words; 400 if groups or extras come without a user.
 */
export function impersonated(
  sender: UserInfo,
  headers: Readonly<Record<string, string>>,
  { authorizer, asked }: { readonly authorizer: Authorizer; readonly asked: Ask },
): UserInfo {
  const username = headers['impersonate-user'] ?? '';
  const uid = headers['impersonate-uid'] ?? '';
  const groups = (headers['impersonate-group'] ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const extra = extrasOf(headers);
  if (username === '') {
    if (groups.length === 0 && uid === '' && Object.keys(extra).length === 0) return sender;
    throw badRequest(`requested ${goUser(uid, groups, extra)} without impersonating a user name`);
  }
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username);
  const check = (resource: string, name: string, more: Partial<Ask & { kind: 'resource' }> = {}) => {
    const ask: Ask = {
      kind: 'resource',
      verb: 'impersonate',
      group: '',
      version: 'v1',
      namespace: undefined,
      resource,
      name,
      subresource: undefined,
      ...more,
    };
    if (authorizer.authorize(sender, ask).allowed) return;
    // The real server checks constrained impersonation first (KEP-5284), and words both rejections
    // like this.
    const mode = account === null ? 'user-info' : 'serviceaccount';
    throw forbidden(sender, { ...asked, verb: `impersonate-on:${mode}:${asked.verb}` }, '');
  };
  if (account === null) check('users', username);
  else check('serviceaccounts', account[2] ?? '', { namespace: account[1] });
  for (const group of groups) check('groups', group);
  if (uid !== '') check('uids', uid, { group: 'authentication.k8s.io' });
  for (const [key, values] of Object.entries(extra)) {
    for (const value of values) check('userextras', value, { group: 'authentication.k8s.io', subresource: key });
  }
  return {
    username,
    ...(uid !== '' && { uid }),
    groups: withUsualGroups(username, groups, account?.[1]),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

/**
 * Adds the default groups: those of a ServiceAccount if none is named, and `system:authenticated`.
 * The anonymous user only gets `system:unauthenticated`, if none is named.
 */
function withUsualGroups(
  username: string,
  groups: readonly string[],
  namespace: string | undefined,
): readonly string[] {
  if (username === 'system:anonymous') return groups.length > 0 ? groups : ['system:unauthenticated'];
  const own = groups.length === 0 && namespace !== undefined ? accountGroups(namespace) : groups;
  return [...new Set([...own, 'system:authenticated'])];
}

/** The request as the real server, a Go program, shows it. */
function goUser(uid: string, groups: readonly string[], extra: Readonly<Record<string, readonly string[]>>): string {
  const list = (values: readonly string[]) => `[]string{${values.map((value) => JSON.stringify(value)).join(', ')}}`;
  const entries = Object.entries(extra).map(([key, values]) => `${JSON.stringify(key)}:${list(values)}`);
  const extras = entries.length === 0 ? '(nil)' : `{${entries.join(', ')}}`;
  const named = groups.length === 0 ? '[]string(nil)' : list(groups);
  return `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${named}, Extra:map[string][]string${extras}}`;
}

function extrasOf(headers: Readonly<Record<string, string>>): Readonly<Record<string, readonly string[]>> {
  const prefix = 'impersonate-extra-';
  const found = Object.entries(headers).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(
    found.map(([name, value]) => [unescaped(name.slice(prefix.length)), value.split(',').map((each) => each.trim())]),
  );
}
