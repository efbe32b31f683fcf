/**
 * Built-in API versions that Kubernetes no longer serves, up to 1.37:
 * `group/version Kind[,Kind] deprecated removed replacement`, `-` if the markers do not contain a
 * value or there is no replacement.
 */
const table: readonly string[] = [
  'extensions/v1beta1 NetworkPolicy 1.9 1.16 networking.k8s.io/v1',
  'extensions/v1beta1 DaemonSet,Deployment,ReplicaSet 1.8 1.16 apps/v1',
  'extensions/v1beta1 PodSecurityPolicy 1.11 1.16 policy/v1beta1',
  'apps/v1beta1 Deployment,StatefulSet,ControllerRevision 1.8 1.16 apps/v1',
  'apps/v1beta2 DaemonSet,Deployment,ReplicaSet,StatefulSet,ControllerRevision 1.9 1.16 apps/v1',
  'admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration,ValidatingWebhookConfiguration 1.16 1.22 admissionregistration.k8s.io/v1',
  'apiextensions.k8s.io/v1beta1 CustomResourceDefinition 1.16 1.22 apiextensions.k8s.io/v1',
  'apiregistration.k8s.io/v1beta1 APIService 1.19 1.22 apiregistration.k8s.io/v1',
  'authentication.k8s.io/v1beta1 TokenReview 1.19 1.22 authentication.k8s.io/v1',
  'authorization.k8s.io/v1beta1 LocalSubjectAccessReview,SelfSubjectAccessReview,SubjectAccessReview,SelfSubjectRulesReview 1.19 1.22 authorization.k8s.io/v1',
  'certificates.k8s.io/v1beta1 CertificateSigningRequest 1.19 1.22 certificates.k8s.io/v1',
  'coordination.k8s.io/v1beta1 Lease 1.19 1.22 coordination.k8s.io/v1',
  'extensions/v1beta1 Ingress 1.14 1.22 networking.k8s.io/v1',
  'networking.k8s.io/v1beta1 Ingress,IngressClass 1.19 1.22 networking.k8s.io/v1',
  'rbac.authorization.k8s.io/v1beta1 ClusterRole,ClusterRoleBinding,Role,RoleBinding 1.17 1.22 rbac.authorization.k8s.io/v1',
  'scheduling.k8s.io/v1beta1 PriorityClass 1.14 1.22 scheduling.k8s.io/v1',
  'storage.k8s.io/v1beta1 CSIDriver,StorageClass,VolumeAttachment 1.19 1.22 storage.k8s.io/v1',
  'storage.k8s.io/v1beta1 CSINode 1.17 1.22 storage.k8s.io/v1',
  'batch/v1beta1 CronJob 1.21 1.25 batch/v1',
  'discovery.k8s.io/v1beta1 EndpointSlice 1.21 1.25 discovery.k8s.io/v1',
  'events.k8s.io/v1beta1 Event 1.22 1.25 events.k8s.io/v1',
  'autoscaling/v2beta1 HorizontalPodAutoscaler 1.22 1.25 autoscaling/v2',
  'policy/v1beta1 PodDisruptionBudget 1.21 1.25 policy/v1',
  'policy/v1beta1 PodSecurityPolicy 1.21 1.25 -',
  'node.k8s.io/v1beta1 RuntimeClass 1.22 1.25 node.k8s.io/v1',
  'flowcontrol.apiserver.k8s.io/v1beta1 FlowSchema,PriorityLevelConfiguration 1.23 1.26 flowcontrol.apiserver.k8s.io/v1beta3',
  'autoscaling/v2beta2 HorizontalPodAutoscaler 1.23 1.26 autoscaling/v2',
  'storage.k8s.io/v1beta1 CSIStorageCapacity 1.24 1.27 storage.k8s.io/v1',
  'flowcontrol.apiserver.k8s.io/v1beta2 FlowSchema,PriorityLevelConfiguration 1.26 1.29 flowcontrol.apiserver.k8s.io/v1',
  'flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema,PriorityLevelConfiguration 1.29 1.32 flowcontrol.apiserver.k8s.io/v1',
];

/**
 * The same of versions that were served only where they were switched on: alpha, and beta since
 * 1.24.
 */
const switchedOn: readonly string[] = [
  'flowcontrol.apiserver.k8s.io/v1alpha1 FlowSchema,PriorityLevelConfiguration 1.20 1.21 flowcontrol.apiserver.k8s.io/v1beta3',
  'storage.k8s.io/v1alpha1 CSIStorageCapacity,VolumeAttachment 1.21 1.24 storage.k8s.io/v1',
  'resource.k8s.io/v1alpha1 ResourceClaim,ResourceClaimTemplate - 1.27 resource.k8s.io/v1alpha2',
  'resource.k8s.io/v1alpha1 ResourceClass,PodScheduling - 1.27 -',
  'networking.k8s.io/v1alpha1 ClusterCIDR 1.28 1.29 -',
  'resource.k8s.io/v1alpha2 ResourceClaim,ResourceClaimTemplate,ResourceSlice,PodSchedulingContext - 1.31 resource.k8s.io/v1alpha3',
  'resource.k8s.io/v1alpha2 ResourceClass,ResourceClaimParameters,ResourceClassParameters - 1.31 -',
  'admissionregistration.k8s.io/v1alpha1 ValidatingAdmissionPolicy,ValidatingAdmissionPolicyBinding 1.29 1.32 admissionregistration.k8s.io/v1',
  'authentication.k8s.io/v1alpha1 SelfSubjectReview 1.29 1.32 authentication.k8s.io/v1',
  'coordination.k8s.io/v1alpha1 LeaseCandidate - 1.32 coordination.k8s.io/v1alpha2',
  'resource.k8s.io/v1alpha3 PodSchedulingContext - 1.32 -',
  'authentication.k8s.io/v1beta1 SelfSubjectReview 1.30 1.33 authentication.k8s.io/v1',
  'networking.k8s.io/v1alpha1 IPAddress,ServiceCIDR 1.30 1.33 networking.k8s.io/v1',
  'admissionregistration.k8s.io/v1beta1 ValidatingAdmissionPolicy,ValidatingAdmissionPolicyBinding 1.31 1.34 admissionregistration.k8s.io/v1',
  'resource.k8s.io/v1alpha3 DeviceClass,ResourceClaim,ResourceClaimTemplate,ResourceSlice - 1.34 resource.k8s.io/v1',
  'certificates.k8s.io/v1alpha1 PodCertificateRequest - 1.35 certificates.k8s.io/v1beta1',
  'storage.k8s.io/v1alpha1 VolumeAttributesClass 1.32 1.35 storage.k8s.io/v1',
  'storagemigration.k8s.io/v1alpha1 StorageVersionMigration 1.33 1.35 storagemigration.k8s.io/v1beta1',
  'scheduling.k8s.io/v1alpha1 Workload - 1.36 scheduling.k8s.io/v1alpha2',
  'certificates.k8s.io/v1alpha1 ClusterTrustBundle 1.34 1.37 certificates.k8s.io/v1',
  'networking.k8s.io/v1beta1 IPAddress,ServiceCIDR 1.34 1.37 networking.k8s.io/v1',
  'scheduling.k8s.io/v1alpha2 PodGroup,Workload - 1.37 scheduling.k8s.io/v1beta1',
  'storage.k8s.io/v1beta1 VolumeAttributesClass 1.34 1.37 storage.k8s.io/v1',
];

const api = 'k8s.io/api v0.24.0 to v0.37.0';
/** By the API group, where the types are not in `k8s.io/api`. */
const otherModules: Readonly<Record<string, string>> = {
  'apiextensions.k8s.io': 'k8s.io/apiextensions-apiserver v0.24.0',
  'apiregistration.k8s.io': 'k8s.io/kube-aggregator v0.24.0',
};

/**
 * Built-in versions that were served once and are removed, one entry per kind. They are read from
 * the markers of the types (APILifecycleDeprecated, APILifecycleRemoved, APILifecycleReplacement).
 * Without a replacement marker, the replacement is the most stable version that had the kind by
 * then. If a type left the module before its marked release, the release without it counts.
 */
export const removedApis = [...table, ...switchedOn].flatMap((line) => {
  const [apiVersion = '', kinds = '', deprecatedIn = '', removedIn = '', replacement = ''] = line.split(' ');
  const [group = '', version = ''] = apiVersion.split('/');
  return kinds.split(',').map((kind) => ({
    group,
    version,
    kind,
    ...(deprecatedIn === '-' ? {} : { deprecatedIn }),
    removedIn,
    ...(replacement === '-' ? {} : { replacement }),
    source: otherModules[group] ?? api,
  }));
});
