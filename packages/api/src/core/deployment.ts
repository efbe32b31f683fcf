import type { KubernetesObject, ObjectMeta } from '@isthmus/machinery';
import { builtIn } from './built-in.ts';
import type { BuiltInCondition } from './built-in.ts';
import type { PodSpec } from './pod.ts';

export interface Deployment extends KubernetesObject {
  readonly spec?:
    | {
        readonly replicas?: number | undefined;
        readonly selector: { readonly matchLabels?: Readonly<Record<string, string>> | undefined };
        readonly template: { readonly metadata?: Partial<ObjectMeta> | undefined; readonly spec?: PodSpec | undefined };
        readonly strategy?: Readonly<Record<string, unknown>> | undefined;
      }
    | undefined;
  readonly status?:
    | {
        readonly observedGeneration?: number | undefined;
        readonly replicas?: number | undefined;
        readonly readyReplicas?: number | undefined;
        readonly availableReplicas?: number | undefined;
        readonly updatedReplicas?: number | undefined;
        readonly conditions?: readonly BuiltInCondition[] | undefined;
      }
    | undefined;
}

export const Deployment = builtIn<Deployment>({
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
  statusSubresource: true,
});
