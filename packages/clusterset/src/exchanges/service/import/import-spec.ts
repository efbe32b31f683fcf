import type { ResourceImport, ServiceImport } from '@isthmus/api';
import { dns1123LabelErrors } from '@isthmus/machinery';
import { readPortNumber, readProtocol } from '../merge/read-ports.ts';
import { isAbsent, isQualifiedName, listOf, recordOf, shown } from '../merge/untrusted.ts';

type ImportSpec = NonNullable<ServiceImport['spec']>;

/** Why the API server would refuse a Service with these ports, in one sentence; undefined when it wouldn't. */
export function specProblem(service: ResourceImport): string | undefined {
  const spec = recordOf(recordOf(service.spec?.serviceImport)?.['spec']);
  const at = `ResourceImport ${service.metadata.name}`;
  if (spec === undefined) return `${at} has no spec.serviceImport.spec`;
  const { type } = spec;
  if (type !== 'ClusterSetIP' && type !== 'Headless') return `${at} has the unknown type ${shown(type)}`;
  const ports = listOf(spec['ports']) ?? [];
  if (ports.length === 0 && type === 'ClusterSetIP') return `${at} has no port`;
  const seen = new Set<string>();
  for (const item of ports) {
    const port = recordOf(item) ?? {};
    const name = port['name'] ?? '';
    const number = readPortNumber(port['port']);
    const protocol = readProtocol(port['protocol']);
    const ids = [`name ${shown(name)}`, `number ${protocol} ${number}`];
    const errors = [
      ...(typeof name !== 'string' ? ['has no name'] : name === '' ? [] : dns1123LabelErrors(name)),
      ...(number === undefined ? ['has no number from 1 to 65535'] : []),
      ...(protocol === undefined ? [`has the unknown protocol ${shown(port['protocol'])}`] : []),
      ...(ids.some((id) => seen.has(id)) ? ['stands there twice'] : []),
    ];
    for (const id of ids) seen.add(id);
    if (errors.length > 0) return `${at}: port ${shown(name)} (${shown(port['port'])}) ${errors.join(', ')}`;
  }
  return undefined;
}

/**
 * The spec without those wishes that this cluster's API server would refuse the whole Service for: it works without them. A newer cluster
 * may know more of them than this one. Assumes that {@link specProblem} found none.
 */
export function usableSpec(spec: ImportSpec, complain: (why: string) => void): ImportSpec {
  const usable = <T>(field: string, value: T, isUsable: boolean): T | undefined => {
    if (isAbsent(value)) return undefined;
    if (!isUsable) complain(`${field} ${shown(value)} is not known here`);
    return isUsable ? value : undefined;
  };
  const { sessionAffinity, internalTrafficPolicy, trafficDistribution } = spec;
  const seconds = recordOf(recordOf(spec.sessionAffinityConfig)?.['clientIP'])?.['timeoutSeconds'];
  const timeoutSeconds = usable('timeoutSeconds', seconds, isTimeout(seconds));
  return {
    type: spec.type,
    ports: (spec.ports ?? []).map(({ name, port, protocol, appProtocol }) => ({
      name,
      port,
      protocol,
      appProtocol: usable('appProtocol', appProtocol, isQualifiedName(appProtocol)),
    })),
    sessionAffinity: usable('sessionAffinity', sessionAffinity, isOneOf(sessionAffinity, affinities)),
    sessionAffinityConfig: isTimeout(timeoutSeconds) ? { clientIP: { timeoutSeconds } } : undefined,
    internalTrafficPolicy: usable(
      'internalTrafficPolicy',
      internalTrafficPolicy,
      isOneOf(internalTrafficPolicy, trafficPolicies),
    ),
    trafficDistribution: usable(
      'trafficDistribution',
      trafficDistribution,
      isOneOf(trafficDistribution, trafficDistributions),
    ),
  };
}

const affinities = ['None', 'ClientIP'];
const trafficPolicies = ['Cluster', 'Local'];
const trafficDistributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];

function isOneOf(value: string | undefined, known: readonly string[]): boolean {
  return value !== undefined && known.includes(value);
}

/** Whole seconds, a day at most, as the API server has it. */
function isTimeout(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 86_400;
}
