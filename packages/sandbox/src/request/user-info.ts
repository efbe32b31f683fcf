/**
 * The authenticated sender of a request.
 */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** The groups of each ServiceAccount of a Namespace, without `system:authenticated`. */
export function accountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}
