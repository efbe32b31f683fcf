import type { ResourceExport } from '@isthmus/api';

/** What stands in the Common Area for this export, as far as this member can see it. */
export type Remote =
  /** There is no usable session: say so, touch nothing. */
  | {
      readonly kind: 'absent';
      readonly message: string;
      /** The session is being set up: worth the same patience as a leader that has not answered yet. */
      readonly connecting: boolean;
      /** The leader may still answer a heartbeat before it counts as silent. */
      readonly mayAnswer?: boolean | undefined;
      /** The leader has not answered for long, or cannot be asked: what to report of an export that it had accepted. */
      readonly silence?: string | undefined;
    }
  | {
      readonly kind: 'present';
      readonly silence?: string | undefined;
      /** What is wrong at a leader whose API server answers. */
      readonly problem?: string | undefined;
      readonly clusterID: string;
      /** How messages name the leader. */
      readonly leader: string;
      readonly leaderClusterID: string;
      readonly leaderNamespace: string;
      readonly service: ResourceExport | undefined;
      readonly endpoints: ResourceExport | undefined;
      /** The leader has published it as that of its only exporter, which is its answer where it gives no other. */
      readonly publishedAlone: boolean;
      /**
       * Of a leader that does not answer heartbeats, as one of Antrea: for how many milliseconds the export may still wait to be merged before a
       * restart of that leader is advised. Absent where it answers, and where it is not known.
       */
      readonly overdueInMs?: number | undefined;
      /** `isthmus.dev/first-exported` of the import with our endpoints, RFC 3339. */
      readonly firstExported: string | undefined;
    };

/** What stands there, where there is a session to look through. */
export type PresentRemote = Remote & { readonly kind: 'present' };
