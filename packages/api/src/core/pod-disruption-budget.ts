import type { KubernetesObject } from '@isthmus/machinery';
import { builtIn } from './built-in.ts';

export interface PodDisruptionBudget extends KubernetesObject {
  readonly spec?:
    | {
        readonly maxUnavailable?: number | string | undefined;
        readonly minAvailable?: number | string | undefined;
        readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> | undefined } | undefined;
      }
    | undefined;
}

export const PodDisruptionBudget = builtIn<PodDisruptionBudget>({
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
  statusSubresource: true,
});
