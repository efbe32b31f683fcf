import type { ResourceImport, ServiceImport } from '@isthmus/api';
import { dns1123LabelErrors, portNumberErrors } from '@isthmus/machinery';
import { isQualifiedName, shown } from '../../merge/untrusted.ts';

type ImportSpec = NonNullable<ServiceImport['spec']>;

/** Why the API server would refuse a Service with these ports, in one sentence; undefined when it wouldn't. */
export function specProblem(service: ResourceImport): string | undefined {
  const spec = service.spec?.serviceImport?.spec;
  const at = `ResourceImport ${service.metadata.name}`;
  if (spec === undefined || spec === null) return `${at} has no spec.serviceImport.spec`;
  if (spec.type !== 'ClusterSetIP' && spec.type !== 'Headless') return `${at} has the unknown type ${shown(spec.type)}`;
  const ports = portsOf(spec);
  if (ports.length === 0 && spec.type === 'ClusterSetIP') return `${at} has no port`;
  const seen = new Set<string>();
  for (const { name = '', port, protocol = 'TCP' } of ports) {
    const errors = [
      ...portNumberErrors(port),
      ...(name === '' ? [] : dns1123LabelErrors(name)),
      ...(['TCP', 'UDP', 'SCTP'].includes(protocol) ? [] : [`has the unknown protocol ${shown(protocol)}`]),
      ...([`name ${name}`, `number ${protocol} ${port}`].some((id) => seen.has(id)) ? ['stands there twice'] : []),
    ];
    seen.add(`name ${name}`).add(`number ${protocol} ${port}`);
    if (errors.length > 0) return `${at}: port ${shown(name)} (${protocol} ${port}) ${errors.join(', ')}`;
  }
  return undefined;
}

/**
 * The spec without those wishes that this cluster's API server would refuse the whole Service for: it works without them. A newer cluster
 * may know more of them than this one.
 */
export function usableSpec(spec: ImportSpec, complain: (why: string) => void): ImportSpec {
  const usable = <T>(field: string, value: T, isUsable: boolean): T | undefined => {
    if (value === undefined || isUsable) return value;
    complain(`${field} ${shown(value)} is not known here`);
    return undefined;
  };
  const { sessionAffinity, sessionAffinityConfig, internalTrafficPolicy, trafficDistribution } = spec;
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  return {
    ...spec,
    ports: portsOf(spec).map((port) => ({
      ...port,
      appProtocol: usable('appProtocol', port.appProtocol, isQualifiedName(port.appProtocol)),
    })),
    sessionAffinity: usable('sessionAffinity', sessionAffinity, isOneOf(sessionAffinity, ['None', 'ClientIP'])),
    sessionAffinityConfig:
      usable('timeoutSeconds', seconds, seconds !== undefined && seconds >= 1 && seconds <= 86_400) === undefined
        ? undefined
        : sessionAffinityConfig,
    internalTrafficPolicy: usable(
      'internalTrafficPolicy',
      internalTrafficPolicy,
      isOneOf(internalTrafficPolicy, ['Cluster', 'Local']),
    ),
    trafficDistribution: usable(
      'trafficDistribution',
      trafficDistribution,
      isOneOf(trafficDistribution, ['PreferClose', 'PreferSameZone', 'PreferSameNode']),
    ),
  };
}

function isOneOf(value: string | undefined, known: readonly string[]): boolean {
  return value !== undefined && known.includes(value);
}

/** The schema demands the list; what another cluster's API server lets through is not ours to trust. */
function portsOf(spec: ImportSpec): ImportSpec['ports'] {
  return Array.isArray(spec.ports) ? spec.ports : [];
}
