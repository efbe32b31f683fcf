/** Built-in API versions that Kubernetes stopped to serve, up to 1.36: `group/version Kind[,Kind] deprecated removed replacement`. */
const table: readonly string[] = [
  'extensions/v1beta1 NetworkPolicy 1.9 1.16 networking.k8s.io/v1',
  'extensions/v1beta1 DaemonSet,Deployment,ReplicaSet 1.9 1.16 apps/v1',
  'extensions/v1beta1 PodSecurityPolicy 1.10 1.16 policy/v1beta1',
  'apps/v1beta1 Deployment,ReplicaSet,StatefulSet,ControllerRevision 1.9 1.16 apps/v1',
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
  'storage.k8s.io/v1beta1 CSIDriver,CSINode,StorageClass,VolumeAttachment 1.19 1.22 storage.k8s.io/v1',
  'batch/v1beta1 CronJob 1.21 1.25 batch/v1',
  'discovery.k8s.io/v1beta1 EndpointSlice 1.21 1.25 discovery.k8s.io/v1',
  'events.k8s.io/v1beta1 Event 1.22 1.25 events.k8s.io/v1',
  'autoscaling/v2beta1 HorizontalPodAutoscaler 1.22 1.25 autoscaling/v2',
  'policy/v1beta1 PodDisruptionBudget 1.21 1.25 policy/v1',
  'policy/v1beta1 PodSecurityPolicy 1.21 1.25 -',
  'node.k8s.io/v1beta1 RuntimeClass 1.22 1.25 node.k8s.io/v1',
  'flowcontrol.apiserver.k8s.io/v1beta1 FlowSchema,PriorityLevelConfiguration 1.23 1.26 flowcontrol.apiserver.k8s.io/v1',
  'autoscaling/v2beta2 HorizontalPodAutoscaler 1.23 1.26 autoscaling/v2',
  'storage.k8s.io/v1beta1 CSIStorageCapacity 1.24 1.27 storage.k8s.io/v1',
  'flowcontrol.apiserver.k8s.io/v1beta2 FlowSchema,PriorityLevelConfiguration 1.26 1.29 flowcontrol.apiserver.k8s.io/v1',
  'flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema,PriorityLevelConfiguration 1.29 1.32 flowcontrol.apiserver.k8s.io/v1',
];

/**
 * The table of the Kubernetes Deprecated API Migration Guide, one entry per kind: what was served by default once and is gone. Between 1.33 and
 * 1.36 nothing was added to it. Versions that are off by default (alpha, and beta since 1.24) are not in it.
 */
export const removedApis = table.flatMap((line) => {
  const [apiVersion = '', kinds = '', deprecatedIn = '', removedIn = '', replacement = ''] = line.split(' ');
  const [group = '', version = ''] = apiVersion.split('/');
  return kinds.split(',').map((kind) => ({
    group,
    version,
    kind,
    deprecatedIn,
    removedIn,
    ...(replacement === '-' ? {} : { replacement }),
  }));
});
