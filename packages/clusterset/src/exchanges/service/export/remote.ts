import type { ResourceExport } from '@isthmus/api';

/** What stands in the Common Area for this export, as far as this member can see it. */
export type Remote =
  /** There is no usable session: say so, touch nothing. */
  | {
      readonly kind: 'absent';
      readonly message: string;
      /** The session is being set up: worth the same patience as a leader that has not answered yet. */
      readonly connecting: boolean;
    }
  | {
      readonly kind: 'present';
      readonly clusterID: string;
      /** How messages name the leader. */
      readonly leader: string;
      readonly leaderClusterID: string;
      readonly leaderNamespace: string;
      readonly service: ResourceExport | undefined;
      readonly endpoints: ResourceExport | undefined;
      /** `isthmus.dev/first-exported` of our per-cluster import, RFC 3339. */
      readonly firstExported: string | undefined;
    };

/** What stands there, where there is a session to look through. */
export type PresentRemote = Remote & { readonly kind: 'present' };
