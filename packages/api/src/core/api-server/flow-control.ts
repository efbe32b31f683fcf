import type { KubernetesObject } from '@isthmus/machinery';
import { builtIn } from '../built-in.ts';

/**
 * Which priority level serves which requests; of several that match, that of the lowest precedence.
 */
export interface FlowSchema extends KubernetesObject {
  readonly spec?:
    | {
        readonly priorityLevelConfiguration: { readonly name: string };
        readonly matchingPrecedence?: number | undefined;
        /** Requests of one flow wait in the same queues. */
        readonly distinguisherMethod?: { readonly type: 'ByUser' | 'ByNamespace' } | undefined;
        readonly rules?: readonly FlowRule[] | undefined;
      }
    | undefined;
}

export interface FlowRule {
  readonly subjects: readonly FlowSubject[];
  readonly resourceRules?:
    | readonly {
        readonly verbs: readonly string[];
        readonly apiGroups: readonly string[];
        readonly resources: readonly string[];
        readonly clusterScope?: boolean | undefined;
        readonly namespaces?: readonly string[] | undefined;
      }[]
    | undefined;
  readonly nonResourceRules?:
    | readonly { readonly verbs: readonly string[]; readonly nonResourceURLs: readonly string[] }[]
    | undefined;
}

export type FlowSubject =
  | { readonly kind: 'Group'; readonly group: { readonly name: string } }
  | { readonly kind: 'ServiceAccount'; readonly serviceAccount: { readonly name: string; readonly namespace: string } };

/** A share of the requests that an API server serves at once, and the queues before it. */
export interface PriorityLevelConfiguration extends KubernetesObject {
  readonly spec?:
    | {
        readonly type: 'Limited';
        readonly limited: {
          readonly nominalConcurrencyShares: number;
          /** What other levels may use of it while it is idle. */
          readonly lendablePercent?: number | undefined;
          /** What it may use of idle levels beside its own. */
          readonly borrowingLimitPercent?: number | undefined;
          readonly limitResponse: {
            readonly type: 'Queue';
            readonly queuing: {
              readonly queues: number;
              /** The number of queues of one flow. */
              readonly handSize: number;
              readonly queueLengthLimit: number;
            };
          };
        };
      }
    | undefined;
}

const flowControl = {
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  namespaced: false,
  statusSubresource: true,
} as const;

export const FlowSchema = builtIn<FlowSchema>({ ...flowControl, kind: 'FlowSchema', plural: 'flowschemas' });

export const PriorityLevelConfiguration = builtIn<PriorityLevelConfiguration>({
  ...flowControl,
  kind: 'PriorityLevelConfiguration',
  plural: 'prioritylevelconfigurations',
});
