import type { KubernetesObject } from '@isthmus/machinery';
import { builtIn } from './built-in.ts';
import type { BuiltInCondition } from './built-in.ts';

export interface NodeAddress {
  readonly type: 'InternalIP' | 'ExternalIP' | 'Hostname' | 'InternalDNS' | 'ExternalDNS';
  readonly address: string;
}

export interface Node extends KubernetesObject {
  readonly spec?:
    | {
        readonly podCIDR?: string | undefined;
        readonly podCIDRs?: readonly string[] | undefined;
        readonly unschedulable?: boolean | undefined;
      }
    | undefined;
  readonly status?:
    | {
        readonly addresses?: readonly NodeAddress[] | undefined;
        readonly conditions?: readonly BuiltInCondition[] | undefined;
      }
    | undefined;
}

export const Node = builtIn<Node>({
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  namespaced: false,
  statusSubresource: true,
});
