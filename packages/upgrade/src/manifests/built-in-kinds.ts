import { apiVersionOf } from '@isthmus/machinery';
import type { RemovedApi } from '../policy/change-rules.ts';
import { compareMinors } from '../policy/kubernetes-window.ts';
import { removedApis } from '../policy/shipped/kubernetes-removed-apis.ts';

/**
 * The oldest minor whose served kinds are known: versions that were removed earlier are in no table
 * here.
 */
export const oldestKnownMinor = '1.24';

/** The newest minor whose kinds are in the table below. */
export const newestKnownMinor = '1.36';

/**
 * The kinds of objects that Kubernetes defines itself, as `group/version Kind,Kind`: the types that
 * kube-apiserver 1.36.3 registers, among them many that it no longer serves.
 */
const table: readonly string[] = [
  'admissionregistration.k8s.io/v1 MutatingAdmissionPolicy,MutatingAdmissionPolicyBinding,MutatingWebhookConfiguration,ValidatingAdmissionPolicy,ValidatingAdmissionPolicyBinding,ValidatingWebhookConfiguration',
  'admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicy,MutatingAdmissionPolicyBinding,ValidatingAdmissionPolicy,ValidatingAdmissionPolicyBinding',
  'admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicy,MutatingAdmissionPolicyBinding,MutatingWebhookConfiguration,ValidatingAdmissionPolicy,ValidatingAdmissionPolicyBinding,ValidatingWebhookConfiguration',
  'apiextensions.k8s.io/v1 CustomResourceDefinition',
  'apiextensions.k8s.io/v1beta1 CustomResourceDefinition',
  'apiregistration.k8s.io/v1 APIService',
  'apiregistration.k8s.io/v1beta1 APIService',
  'apps/v1 ControllerRevision,DaemonSet,Deployment,ReplicaSet,StatefulSet',
  'apps/v1beta1 ControllerRevision,Deployment,Scale,StatefulSet',
  'apps/v1beta2 ControllerRevision,DaemonSet,Deployment,ReplicaSet,Scale,StatefulSet',
  'authentication.k8s.io/v1 SelfSubjectReview,TokenRequest,TokenReview',
  'authentication.k8s.io/v1alpha1 SelfSubjectReview',
  'authentication.k8s.io/v1beta1 SelfSubjectReview,TokenReview',
  'authorization.k8s.io/v1 LocalSubjectAccessReview,SelfSubjectAccessReview,SelfSubjectRulesReview,SubjectAccessReview',
  'authorization.k8s.io/v1beta1 LocalSubjectAccessReview,SelfSubjectAccessReview,SelfSubjectRulesReview,SubjectAccessReview',
  'autoscaling/v1 HorizontalPodAutoscaler,Scale',
  'autoscaling/v2 HorizontalPodAutoscaler',
  'batch/v1 CronJob,Job',
  'batch/v1beta1 CronJob',
  'certificates.k8s.io/v1 CertificateSigningRequest',
  'certificates.k8s.io/v1alpha1 ClusterTrustBundle',
  'certificates.k8s.io/v1beta1 CertificateSigningRequest,ClusterTrustBundle,PodCertificateRequest',
  'coordination.k8s.io/v1 Lease',
  'coordination.k8s.io/v1alpha2 LeaseCandidate',
  'coordination.k8s.io/v1beta1 Lease,LeaseCandidate',
  'discovery.k8s.io/v1 EndpointSlice',
  'discovery.k8s.io/v1beta1 EndpointSlice',
  'events.k8s.io/v1 Event',
  'events.k8s.io/v1beta1 Event',
  'extensions/v1beta1 DaemonSet,Deployment,Ingress,NetworkPolicy,ReplicaSet,Scale',
  'flowcontrol.apiserver.k8s.io/v1 FlowSchema,PriorityLevelConfiguration',
  'flowcontrol.apiserver.k8s.io/v1beta1 FlowSchema,PriorityLevelConfiguration',
  'flowcontrol.apiserver.k8s.io/v1beta2 FlowSchema,PriorityLevelConfiguration',
  'flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema,PriorityLevelConfiguration',
  'internal.apiserver.k8s.io/v1alpha1 StorageVersion',
  'networking.k8s.io/v1 IPAddress,Ingress,IngressClass,NetworkPolicy,ServiceCIDR',
  'networking.k8s.io/v1beta1 IPAddress,Ingress,IngressClass,ServiceCIDR',
  'node.k8s.io/v1 RuntimeClass',
  'node.k8s.io/v1alpha1 RuntimeClass',
  'node.k8s.io/v1beta1 RuntimeClass',
  'policy/v1 Eviction,PodDisruptionBudget',
  'policy/v1beta1 Eviction,PodDisruptionBudget',
  'rbac.authorization.k8s.io/v1 ClusterRole,ClusterRoleBinding,Role,RoleBinding',
  'rbac.authorization.k8s.io/v1alpha1 ClusterRole,ClusterRoleBinding,Role,RoleBinding',
  'rbac.authorization.k8s.io/v1beta1 ClusterRole,ClusterRoleBinding,Role,RoleBinding',
  'resource.k8s.io/v1 DeviceClass,ResourceClaim,ResourceClaimTemplate,ResourceSlice',
  'resource.k8s.io/v1alpha3 DeviceTaintRule,ResourcePoolStatusRequest',
  'resource.k8s.io/v1beta1 DeviceClass,ResourceClaim,ResourceClaimTemplate,ResourceSlice',
  'resource.k8s.io/v1beta2 DeviceClass,DeviceTaintRule,ResourceClaim,ResourceClaimTemplate,ResourceSlice',
  'scheduling.k8s.io/v1 PriorityClass',
  'scheduling.k8s.io/v1alpha2 PodGroup,Workload',
  'scheduling.k8s.io/v1beta1 PriorityClass',
  'storage.k8s.io/v1 CSIDriver,CSINode,CSIStorageCapacity,StorageClass,VolumeAttachment,VolumeAttributesClass',
  'storage.k8s.io/v1alpha1 CSIStorageCapacity,VolumeAttachment,VolumeAttributesClass',
  'storage.k8s.io/v1beta1 CSIDriver,CSINode,CSIStorageCapacity,StorageClass,VolumeAttachment,VolumeAttributesClass',
  'storagemigration.k8s.io/v1beta1 StorageVersionMigration',
  'v1 Binding,ComponentStatus,ConfigMap,Endpoints,Event,LimitRange,Namespace,Node,PersistentVolume,PersistentVolumeClaim,Pod,PodStatusResult,PodTemplate,RangeAllocation,ReplicationController,ResourceQuota,Secret,Service,ServiceAccount',
];

/** Which versions have which kinds. */
export interface BuiltInKinds {
  /**
   * Whether a group is Kubernetes' own, which no CRD defines: those of the table, and those without
   * a dot.
   */
  isGroup(group: string): boolean;
  /**
   * Whether a version has a kind in the newest known minor, or had it in one before. A list of a
   * kind counts as the kind.
   */
  has(apiVersion: string, kind: string): boolean;
  /**
   * Whether a version replaces one that is removed later: it exists in a minor that is not known.
   */
  comes(apiVersion: string, kind: string): boolean;
  /**
   * The versions that have a kind in the newest known minor; those that are not stable only where
   * no other has it.
   */
  versionsOf(kind: string): readonly string[];
}

/** The kinds of the table, and those that are gone: by the shipped table, and by the one given. */
export function builtInKinds(alsoRemoved: readonly RemovedApi[]): BuiltInKinds {
  const removed = [...removedApis, ...alsoRemoved];
  const byVersion = new Map(
    table.map((line) => {
      const [apiVersion = '', kinds = ''] = line.split(' ');
      return [apiVersion, new Set(kinds.split(','))];
    }),
  );
  const groups = new Set([...byVersion.keys()].map((apiVersion) => apiVersion.split('/')[0] ?? ''));
  const single = (kind: string) => kind.replace(/List$/, '');
  const removalsOf = (apiVersion: string, kind: string) =>
    removed.filter((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
  return {
    isGroup: (group) => !group.includes('.') || groups.has(group),
    has: (apiVersion, kind) =>
      [kind, single(kind)].some(
        (one) => byVersion.get(apiVersion)?.has(one) === true || removalsOf(apiVersion, one).length > 0,
      ),
    comes: (apiVersion, kind) => removed.some((one) => one.kind === single(kind) && one.replacement === apiVersion),
    versionsOf(kind) {
      const versions = [...byVersion.keys()].filter(
        (apiVersion) =>
          byVersion.get(apiVersion)?.has(kind) === true &&
          !removalsOf(apiVersion, kind).some(({ removedIn }) => compareMinors(removedIn, newestKnownMinor) <= 0),
      );
      const stable = versions.filter((apiVersion) => /(?:^|\/)v\d+$/.test(apiVersion));
      return stable.length > 0 ? stable : versions;
    },
  };
}
