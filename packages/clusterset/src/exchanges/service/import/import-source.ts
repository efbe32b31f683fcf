import type { ResourceImport } from '@isthmus/api';
import type { LeaderSession } from '../../../member/session/leader-session.ts';
import { RemoteIndex } from '../../../member/session/leader-session.ts';

/** Where the imports that a member wants come from. */
export type ImportSource =
  | { readonly kind: 'session'; readonly session: LeaderSession }
  /** Nothing is wanted: the cluster is in no ClusterSet, or is leaving it. */
  | { readonly kind: 'none' };

/** All that the Common Area says of the Service `key`, `namespace/name`. */
export function remoteObjects(source: ImportSource, key: string): readonly ResourceImport[] {
  return source.kind === 'none' ? [] : source.session.imports.cache.byIndex(RemoteIndex.service, key);
}
