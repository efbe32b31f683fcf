import type { ResourceExport, ServiceExportKind } from '@isthmus/api';

/** The objects in the Common Area for this export, as far as this member can see them. */
export type Remote =
  /** There is no usable session: report that and change nothing. */
  | {
      readonly kind: 'absent';
      readonly message: string;
      /**
       * The session is being set up. It gets as much patience as a leader that has not answered
       * yet.
       */
      readonly connecting: boolean;
      /** The leader may still answer a heartbeat before it counts as silent. */
      readonly mayAnswer?: boolean | undefined;
      /**
       * The leader has not answered for long, or cannot be asked. This is the message for an export
       * that it had accepted.
       */
      readonly silence?: string | undefined;
    }
  | {
      readonly kind: 'present';
      readonly silence?: string | undefined;
      /** The problem of a leader whose API server answers. */
      readonly problem?: string | undefined;
      readonly clusterID: string;
      /** The leader's name in messages. */
      readonly leader: string;
      readonly leaderClusterID: string;
      readonly leaderNamespace: string;
      /** The objects with the names of `names`, also if they are not ours. */
      readonly service: ResourceExport | undefined;
      readonly endpoints: ResourceExport | undefined;
      readonly names: Readonly<Record<ServiceExportKind, string>>;
      /** This cluster also has an export of the Service under its other names. */
      readonly hasOther?: boolean | undefined;
      /** Whether the leader accepts exports with dotted names. Undefined: not known. */
      readonly acceptsDottedNames?: boolean | undefined;
      /**
       * The leader has published the Service with this cluster as its only exporter. If there is no
       * other answer, that is the answer.
       */
      readonly publishedAlone: boolean;
      /**
       * Only for a leader that does not answer heartbeats, such as Antrea's. After this many
       * milliseconds without a merge of the export, a restart of that leader is advised. Absent if
       * the leader answers, or if that is not known.
       */
      readonly overdueInMs?: number | undefined;
      /** `isthmus.dev/first-exported` of the import with our endpoints, RFC 3339. */
      readonly firstExported: string | undefined;
    };

/** The objects there, if there is a session to read them. */
export type PresentRemote = Remote & { readonly kind: 'present' };
