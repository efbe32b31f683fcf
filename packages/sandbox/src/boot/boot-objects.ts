import { addressText, parseCidr } from '@isthmus/machinery';
import { createObjectNow } from '../verbs/create.ts';
import { typed } from '../objects/decode.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { apiServerTarget } from '../core/api-server-target.ts';
import type { Core } from '../core/core.ts';
import { namespace } from '../builtin/core/namespace.ts';
import { service } from '../builtin/services/service.ts';
import { keepClusterIPRecords } from './cluster-ip-records.ts';
import { serviceCidr } from '../builtin/networking/service-cidr.ts';

/** The Namespaces that a kube-apiserver creates itself. */
const systemNamespaces: readonly string[] = ['kube-system', 'kube-public', 'kube-node-lease', 'default'];

/**
 * Creates the objects that a kube-apiserver creates at start: its Namespaces, the range of
 * ClusterIPs, and the Service `kubernetes` for itself.
 */
export function createBootObjects(core: Core): void {
  keepClusterIPRecords(core);
  for (const name of systemNamespaces) create(core, namespace, undefined, { metadata: { name } });
  const { serviceCIDRs, now } = core.context;
  create(core, serviceCidr, undefined, { metadata: { name: 'kubernetes' }, spec: { cidrs: serviceCIDRs } });
  const ready = {
    type: 'Ready',
    status: 'True',
    lastTransitionTime: now,
    reason: '',
    message: 'Kubernetes default Service CIDR is ready',
  };
  const range = core.store.get(serviceCidr.storageKey, 'kubernetes');
  if (range !== undefined) {
    const managedFields = [appliedCondition(now), ...(range.metadata.managedFields ?? [])];
    const metadata = { ...range.metadata, managedFields };
    core.store.put(serviceCidr.storageKey, { ...range, metadata, status: { conditions: [ready] } });
  }
  const [first] = serviceCIDRs.flatMap((each) => parseCidr(each) ?? []);
  create(core, service, 'default', {
    metadata: { name: 'kubernetes', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
      ...(first !== undefined && { clusterIP: addressText({ family: first.family, value: first.value + 1n }) }),
    },
  });
}

function create(core: Core, resource: ServedResource, inNamespace: string | undefined, object: object): void {
  const decoded = typed(resource, object);
  createObjectNow(core, apiServerTarget(resource, { namespace: inNamespace, name: decoded.metadata.name }), decoded);
}

/** The condition is applied by a controller of the server. */
function appliedCondition(time: string) {
  const names = ['.', 'f:lastTransitionTime', 'f:message', 'f:status', 'f:type'];
  const condition = Object.fromEntries(names.map((name) => [name, {}]));
  return {
    manager: 'kubernetes-service-cidr-controller',
    operation: 'Apply',
    apiVersion: 'networking.k8s.io/v1',
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:status': { 'f:conditions': { 'k:{"type":"Ready"}': condition } } },
    subresource: 'status',
  };
}
