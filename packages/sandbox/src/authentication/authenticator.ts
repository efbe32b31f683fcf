import type { UserInfo } from '../request/user-info.ts';

/** The credentials of a request. `user`: it was authenticated elsewhere in the process. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'user'; readonly user: UserInfo };

/** Authenticates a request; undefined if the credentials are wrong (401). */
export interface Authenticator {
  authenticate(credentials: Credentials): UserInfo | undefined;
}

/** The user of a request without credentials. */
export const anonymous: UserInfo = { username: 'system:anonymous', groups: ['system:unauthenticated'] };

/** A member of the group to which everything is allowed. */
export const admin: UserInfo = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };

/** Tokens that are known from the start, and those that `find` knows. */
export function tokenAuthenticator(find: (token: string) => UserInfo | undefined): Authenticator {
  return {
    authenticate(credentials) {
      switch (credentials.kind) {
        case 'none':
          return anonymous;
        case 'user':
          return credentials.user;
        case 'token': {
          const user = find(credentials.token);
          if (user === undefined) return undefined;
          return { ...user, groups: [...new Set([...user.groups, 'system:authenticated'])] };
        }
      }
    },
  };
}
