import type { ServedResource } from '../registry/served-resource.ts';
import { mutatingWebhookConfiguration } from './admissionregistration/mutating-webhook-configuration.ts';
import { validatingWebhookConfiguration } from './admissionregistration/validating-webhook-configuration.ts';
import { apiService } from './apiregistration/api-service.ts';
import { controllerRevision } from './apps/controller-revision.ts';
import { daemonSet } from './apps/daemon-set.ts';
import { deployment } from './apps/deployment.ts';
import { replicaSet } from './apps/replica-set.ts';
import { statefulSet } from './apps/stateful-set.ts';
import { selfSubjectReview } from './authentication/self-subject-review.ts';
import { tokenReview } from './authentication/token-review.ts';
import { localSubjectAccessReview } from './authorization/local-subject-access-review.ts';
import { selfSubjectAccessReview } from './authorization/self-subject-access-review.ts';
import { selfSubjectRulesReview } from './authorization/self-subject-rules-review.ts';
import { subjectAccessReview } from './authorization/subject-access-review.ts';
import { lease } from './coordination/lease.ts';
import { binding } from './core/binding.ts';
import { configMap } from './core/config-map.ts';
import { endpoints } from './core/endpoints.ts';
import { event } from './core/event.ts';
import { namespace } from './core/namespace.ts';
import { node } from './core/node.ts';
import { pod } from './core/pod.ts';
import { secret } from './core/secret.ts';
import { serviceAccount } from './core/service-account.ts';
import { service } from './services/service.ts';
import { endpointSlice } from './discovery/endpoint-slice.ts';
import { ipAddress } from './networking/ip-address.ts';
import { serviceCidr } from './networking/service-cidr.ts';
import { clusterRoleBinding } from './rbac/cluster-role-binding.ts';
import { clusterRole } from './rbac/cluster-role.ts';
import { roleBinding } from './rbac/role-binding.ts';
import { role } from './rbac/role.ts';
import { shapedResources } from './by-shape/shaped-resources.ts';
import { eventOfEvents } from './events/event.ts';

/** Every kind that is compiled into the server. */
export const builtInResources: readonly ServedResource[] = [
  binding,
  configMap,
  endpoints,
  event,
  namespace,
  node,
  pod,
  secret,
  serviceAccount,
  service,
  apiService,
  controllerRevision,
  daemonSet,
  deployment,
  replicaSet,
  statefulSet,
  selfSubjectReview,
  tokenReview,
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  subjectAccessReview,
  ipAddress,
  serviceCidr,
  clusterRoleBinding,
  clusterRole,
  roleBinding,
  role,
  mutatingWebhookConfiguration,
  validatingWebhookConfiguration,
  lease,
  endpointSlice,
  eventOfEvents,
  ...shapedResources,
];
