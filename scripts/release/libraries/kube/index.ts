/**
 * What the npm package `@isthmus/kube` offers: the client and the runtime, and of the packages
 * below them the built-in kinds, the definition of custom resources, and the rules for objects that
 * a controller needs.
 */
export * from '@isthmus/kube';
// Kinds that every cluster has.
export {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  EndpointSlice,
  Endpoints,
  Event,
  Lease,
  MutatingWebhookConfiguration,
  Namespace,
  NetworkPolicy,
  Node,
  Pod,
  PodDisruptionBudget,
  Role,
  RoleBinding,
  Secret,
  Service,
  ServiceAccount,
  ServiceCIDR,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '@isthmus/api';
// Custom resources: their schemas, their types and their definitions.
export type {
  Infer,
  InferRead,
  ObjectSchema,
  ResourceDefinition,
  Schema,
  TypedResourceDefinition,
} from '@isthmus/schema';
export { ageColumn, column, crdOf, defineResource, s } from '@isthmus/schema';
// Objects.
export type {
  AnyCondition,
  KubernetesObject,
  LabelSelector,
  LabelSelectorObject,
  ObjectMeta,
  ObjectOf,
  ObjectRef,
  OwnerReference,
  ResourceType,
  Status,
} from '@isthmus/machinery';
export {
  applyMergePatch,
  conditionOf,
  controllerOf,
  controllerReferenceTo,
  equal,
  keyOf,
  keyOfObject,
  labelSelectorOf,
  matchesLabels,
  mergePatchOf,
  parseLabelSelector,
  printLabelSelector,
  refOf,
  refOfObject,
  removeFinalizer,
  setCondition,
} from '@isthmus/machinery';
// Time and randomness, which are arguments.
export type { Clock, Random } from '@isthmus/machinery';
export { seededRandom, sleep } from '@isthmus/machinery';
