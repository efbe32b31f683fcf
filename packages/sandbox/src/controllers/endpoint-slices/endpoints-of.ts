import type { Endpoint, EndpointPort, Service } from '@isthmus/api';
import { canonicalJson, conditionOf, labelSelectorOf, matchesLabels, parseAddress } from '@isthmus/machinery';
import type { Node, Pod } from '../kinds.ts';
import { isFinished, isReady, isTerminating } from '../pod-state.ts';

/** Endpoints that have the same ports, and so may be in one slice. */
export interface EndpointGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** Whether slices are kept for a Service. */
export function isSliced({ spec }: Service): boolean {
  return spec?.type !== 'ExternalName' && Object.keys(spec?.selector ?? {}).length > 0;
}

export function selects(service: Service, pod: Pod): boolean {
  return (
    isSliced(service) && matchesLabels(labelSelectorOf({ matchLabels: service.spec?.selector }), pod.metadata.labels)
  );
}

/**
 * The endpoints of a Service, by their resolved ports: one for each selected Pod that is not
 * finished, has an address of the Service's family, and is on an existing Node. Only the first
 * family of the Service counts: dual stack is left out.
 */
export function endpointGroups(
  service: Service,
  pods: readonly Pod[],
  nodeOf: (name: string) => Node | undefined,
): readonly EndpointGroup[] {
  const groups = new Map<string, { readonly ports: readonly EndpointPort[]; readonly endpoints: Endpoint[] }>();
  for (const pod of pods) {
    const address = addressOf(service, pod);
    const node = nodeOf(pod.spec?.nodeName ?? '');
    if (address === undefined || isFinished(pod)) continue;
    if (node === undefined && service.spec?.publishNotReadyAddresses !== true) continue;
    const ports = portsOf(service, pod);
    const key = canonicalJson(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    groups.set(key, group);
    group.endpoints.push(endpointOf(service, pod, { address, node }));
  }
  return [...groups.values()];
}

export function familyOf({ spec }: Service): 'IPv4' | 'IPv6' {
  return spec?.ipFamilies?.[0] === 'IPv6' ? 'IPv6' : 'IPv4';
}

function addressOf(service: Service, { status }: Pod): string | undefined {
  const all = [...(status?.podIPs ?? []).map(({ ip }) => ip), status?.podIP ?? ''];
  return all.find((ip) => parseAddress(ip)?.family === familyOf(service));
}

function portsOf(service: Service, pod: Pod): readonly EndpointPort[] {
  return (service.spec?.ports ?? []).flatMap(
    ({ name = '', protocol = 'TCP', appProtocol, port, targetPort = port }) => {
      const number = typeof targetPort === 'number' ? targetPort : containerPort(pod, targetPort, protocol);
      if (number === undefined) return [];
      return [{ name, port: number, protocol, ...(appProtocol !== undefined && { appProtocol }) }];
    },
  );
}

function containerPort(pod: Pod, name: string, protocol: string): number | undefined {
  const ports = (pod.spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  return ports.find((port) => port.name === name && (port.protocol ?? 'TCP') === protocol)?.containerPort;
}

function endpointOf(
  service: Service,
  pod: Pod,
  { address, node }: { readonly address: string; readonly node: Node | undefined },
): Endpoint {
  const { name, namespace, uid } = pod.metadata;
  const { hostname = '', subdomain, nodeName } = pod.spec ?? {};
  const serving = isReady(pod);
  const terminating = isTerminating(pod);
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const zone = node?.metadata.labels?.['topology.kubernetes.io/zone'];
  return {
    addresses: [address],
    conditions: { ready, serving, terminating },
    ...(hostname !== '' && subdomain === service.metadata.name && { hostname }),
    ...(nodeName !== undefined && { nodeName }),
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(zone !== undefined && { zone }),
  };
}

/** When the Pod last became ready, or ceased to be. */
export function readyChangedAt({ status }: Pod): string | undefined {
  return conditionOf(status?.conditions, 'Ready')?.lastTransitionTime;
}
