import type { ServedResource } from '../registry/served-resource.ts';
import { mutatingWebhookConfiguration, validatingWebhookConfiguration } from './admissionregistration/webhook-kinds.ts';
import { apiService } from './apiregistration/api-service.ts';
import { controllerRevision } from './apps/controller-revision.ts';
import { daemonSet } from './apps/daemon-set.ts';
import { deployment } from './apps/deployment.ts';
import { replicaSet } from './apps/replica-set.ts';
import { statefulSet } from './apps/stateful-set.ts';
import { lease } from './coordination/lease.ts';
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
import { rbacKinds } from './rbac/rbac-kinds.ts';
import { binding, reviews } from './virtual-kinds.ts';
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
  ...reviews,
  ipAddress,
  serviceCidr,
  ...rbacKinds,
  mutatingWebhookConfiguration,
  validatingWebhookConfiguration,
  lease,
  endpointSlice,
  eventOfEvents,
  ...shapedResources,
];
