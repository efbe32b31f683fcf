import type { BuiltInCondition, PodSpec } from '@isthmus/api';
import { ClusterRole as ApiClusterRole, Namespace as ApiNamespace, Node as ApiNode, Pod as ApiPod } from '@isthmus/api';
import type { KubernetesObject, LabelSelectorObject, ObjectMeta, ResourceType } from '@isthmus/machinery';

// The kinds that the controllers work on, with the fields that they read or write: more than
// `@isthmus/api` needs to know.

export interface PodTemplate {
  readonly metadata?: Partial<ObjectMeta> | undefined;
  readonly spec?: PodSpec | undefined;
}

/** A condition of a workload. Those of Deployments also have the time of their last update. */
export interface WorkloadCondition extends BuiltInCondition {
  readonly lastUpdateTime?: string | undefined;
}

/** The common fields of the specs of all kinds that keep Pods. */
interface WorkloadSpec {
  readonly selector: LabelSelectorObject;
  readonly template: PodTemplate;
  readonly minReadySeconds?: number | undefined;
  readonly revisionHistoryLimit?: number | undefined;
}

interface ReplicaCounts {
  readonly observedGeneration?: number | undefined;
  readonly replicas?: number | undefined;
  readonly readyReplicas?: number | undefined;
  readonly availableReplicas?: number | undefined;
  readonly updatedReplicas?: number | undefined;
  readonly terminatingReplicas?: number | undefined;
}

/** A number of Pods, or a part of all (`25%`). */
export type IntOrPercent = number | string;

export interface RollingUpdate {
  readonly maxSurge?: IntOrPercent | undefined;
  readonly maxUnavailable?: IntOrPercent | undefined;
  readonly partition?: number | undefined;
}

export interface Deployment extends KubernetesObject {
  readonly spec?:
    | (WorkloadSpec & {
        readonly replicas?: number | undefined;
        readonly paused?: boolean | undefined;
        readonly progressDeadlineSeconds?: number | undefined;
        readonly strategy?:
          | { readonly type?: string | undefined; readonly rollingUpdate?: RollingUpdate | undefined }
          | undefined;
      })
    | undefined;
  readonly status?:
    | (ReplicaCounts & {
        readonly unavailableReplicas?: number | undefined;
        readonly collisionCount?: number | undefined;
        readonly conditions?: readonly WorkloadCondition[] | undefined;
      })
    | undefined;
}

export interface ReplicaSet extends KubernetesObject {
  readonly spec?: (WorkloadSpec & { readonly replicas?: number | undefined }) | undefined;
  readonly status?: (ReplicaCounts & { readonly conditions?: readonly WorkloadCondition[] | undefined }) | undefined;
}

export interface StatefulSet extends KubernetesObject {
  readonly spec?:
    | (WorkloadSpec & {
        readonly replicas?: number | undefined;
        readonly serviceName?: string | undefined;
        readonly podManagementPolicy?: string | undefined;
        readonly ordinals?: { readonly start?: number | undefined } | undefined;
        readonly updateStrategy?:
          | { readonly type?: string | undefined; readonly rollingUpdate?: RollingUpdate | undefined }
          | undefined;
      })
    | undefined;
  readonly status?:
    | (ReplicaCounts & { readonly currentRevision?: string | undefined; readonly updateRevision?: string | undefined })
    | undefined;
}

export interface DaemonSet extends KubernetesObject {
  readonly spec?:
    | (WorkloadSpec & {
        readonly updateStrategy?:
          | { readonly type?: string | undefined; readonly rollingUpdate?: RollingUpdate | undefined }
          | undefined;
      })
    | undefined;
  readonly status?: Readonly<Record<string, unknown>> | undefined;
}

export interface Job extends KubernetesObject {
  readonly spec?:
    | {
        readonly parallelism?: number | undefined;
        readonly completions?: number | undefined;
        readonly suspend?: boolean | undefined;
        readonly template: PodTemplate;
      }
    | undefined;
  readonly status?:
    | {
        readonly startTime?: string | undefined;
        readonly completionTime?: string | undefined;
        readonly active?: number | undefined;
        readonly ready?: number | undefined;
        readonly succeeded?: number | undefined;
        readonly failed?: number | undefined;
        readonly conditions?: readonly BuiltInCondition[] | undefined;
      }
    | undefined;
}

export interface ControllerRevision extends KubernetesObject {
  readonly data?: unknown;
  readonly revision: number;
}

export interface Toleration {
  readonly key?: string | undefined;
  readonly operator?: string | undefined;
  readonly value?: string | undefined;
  readonly effect?: string | undefined;
}

/** The requirements of a Pod for its Node. */
export interface Placement {
  readonly nodeName?: string | undefined;
  readonly schedulerName?: string | undefined;
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  readonly tolerations?: readonly Toleration[] | undefined;
  readonly affinity?:
    | {
        readonly nodeAffinity?:
          | {
              readonly requiredDuringSchedulingIgnoredDuringExecution?:
                | { readonly nodeSelectorTerms?: readonly NodeSelectorTerm[] | undefined }
                | undefined;
            }
          | undefined;
      }
    | undefined;
}

interface NodeRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeRequirement[] | undefined;
  readonly matchFields?: readonly NodeRequirement[] | undefined;
}

export interface Pod extends KubernetesObject {
  readonly spec?: (Omit<PodSpec, 'affinity' | 'tolerations'> & Placement) | undefined;
  readonly status?:
    | {
        readonly phase?: string | undefined;
        readonly podIP?: string | undefined;
        readonly podIPs?: readonly { readonly ip: string }[] | undefined;
        readonly hostIP?: string | undefined;
        readonly startTime?: string | undefined;
        readonly conditions?: readonly BuiltInCondition[] | undefined;
      }
    | undefined;
}

export interface Taint {
  readonly key: string;
  readonly value?: string | undefined;
  readonly effect: string;
  readonly timeAdded?: string | undefined;
}

export interface Node extends KubernetesObject {
  readonly spec?:
    | {
        readonly podCIDR?: string | undefined;
        readonly podCIDRs?: readonly string[] | undefined;
        readonly unschedulable?: boolean | undefined;
        readonly taints?: readonly Taint[] | undefined;
      }
    | undefined;
  readonly status?:
    | {
        readonly addresses?: readonly { readonly type: string; readonly address: string }[] | undefined;
        readonly conditions?:
          | readonly (BuiltInCondition & { readonly lastHeartbeatTime?: string | undefined })[]
          | undefined;
      }
    | undefined;
}

export interface Namespace extends KubernetesObject {
  readonly spec?: { readonly finalizers?: readonly string[] | undefined } | undefined;
  readonly status?:
    | { readonly phase?: string | undefined; readonly conditions?: readonly BuiltInCondition[] | undefined }
    | undefined;
}

export interface ClusterRole extends KubernetesObject {
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelectorObject[] | undefined } | undefined;
  readonly rules?: readonly unknown[] | null | undefined;
}

const apps = { group: 'apps', version: 'v1', namespaced: true } as const;

export const Deployment: ResourceType<Deployment> = { ...apps, kind: 'Deployment', plural: 'deployments' };
export const ReplicaSet: ResourceType<ReplicaSet> = { ...apps, kind: 'ReplicaSet', plural: 'replicasets' };
export const StatefulSet: ResourceType<StatefulSet> = { ...apps, kind: 'StatefulSet', plural: 'statefulsets' };
export const DaemonSet: ResourceType<DaemonSet> = { ...apps, kind: 'DaemonSet', plural: 'daemonsets' };
export const ControllerRevision: ResourceType<ControllerRevision> = {
  ...apps,
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
};
export const Job: ResourceType<Job> = {
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  namespaced: true,
};
export const Pod = bare<Pod>(ApiPod);
export const Node = bare<Node>(ApiNode);
export const Namespace = bare<Namespace>(ApiNamespace);
export const ClusterRole = bare<ClusterRole>(ApiClusterRole);

function bare<T extends KubernetesObject>({ group, version, kind, plural, namespaced }: ResourceType): ResourceType<T> {
  return { group, version, kind, plural, namespaced };
}
