import type { KubernetesObject } from '@isthmus/machinery';
import { builtIn } from './built-in.ts';

export interface NetworkPolicy extends KubernetesObject {
  readonly spec?:
    | {
        readonly podSelector?: { readonly matchLabels?: Readonly<Record<string, string>> | undefined } | undefined;
        readonly policyTypes?: readonly ('Ingress' | 'Egress')[] | undefined;
        readonly ingress?:
          | readonly {
              readonly ports?: readonly { readonly port?: number | string; readonly protocol?: string }[] | undefined;
            }[]
          | undefined;
      }
    | undefined;
}

export const NetworkPolicy = builtIn<NetworkPolicy>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  namespaced: true,
  statusSubresource: false,
});
