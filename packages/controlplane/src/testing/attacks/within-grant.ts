import type { ClusterInfo, EndpointSlice, ResourceImport, Service } from '@isthmus/api';
import { Label, clusterInfoName, importedServiceName } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { contains, equal, parseAddress, parseCidr } from '@isthmus/machinery';
import type { Attack, Attacker } from './attack.ts';
import { leader, shop } from './facts.ts';
import type { Change } from './snapshot.ts';

/**
 * Why an attacker may not cause a change of another cluster; undefined: the change is within its
 * grant. It may have: its exports and its announcement at the leader, its network within the
 * granted ranges, and Services of its own name whose endpoints are in these ranges. To a Service of
 * others it may add endpoints and ports of its own.
 */
export function outsideOfGrant(change: Change, attacker: Attacker): string | undefined {
  const { cluster, key, before, after } = change;
  const [resource = '', ref = ''] = key.split(' ');
  const [namespace, name = ''] = ref.split('/');
  if (after === undefined) return `${cluster}: ${key} was deleted`;
  if (imported.has(resource) && namespace !== shop) return `${cluster}: ${key} is in another Namespace`;
  const wrong = problemOf(resource, { name, before, after, attacker, isLeader: cluster === leader.id });
  return wrong === undefined ? undefined : `${cluster}: ${key} ${wrong}`;
}

/** The kinds of which an import consists. */
const imported: ReadonlySet<string> = new Set(['services', 'serviceimports', 'endpoints', 'endpointslices']);

/** What a cluster has imported beyond quotas that its administrator has set. */
export function beyondQuotas(changes: readonly Change[], quotas: NonNullable<Attack['quotas']>): readonly string[] {
  const clusters = [...new Set(changes.map(({ cluster }) => cluster))];
  return clusters.flatMap((cluster) => {
    const found = (resource: string) =>
      changes.filter((one) => one.cluster === cluster && one.key.startsWith(`${resource} `));
    const slices = found('endpointslices');
    const amounts = {
      services: found('services').length,
      endpointSlices: slices.length,
      endpoints: slices.flatMap(({ after }) => (after as EndpointSlice | undefined)?.endpoints ?? []).length,
    };
    return (['services', 'endpointSlices', 'endpoints'] as const).flatMap((field) =>
      amounts[field] > (quotas[field] ?? Infinity) ? [`${cluster}: has ${amounts[field]} ${field} of it`] : [],
    );
  });
}

interface Exported extends KubernetesObject {
  readonly spec?: { readonly clusterID?: string | undefined } | undefined;
}

interface Changed {
  readonly name: string;
  readonly before: KubernetesObject | undefined;
  readonly after: KubernetesObject;
  readonly attacker: Attacker;
  readonly isLeader: boolean;
}

function problemOf(resource: string, changed: Changed): string | undefined {
  const { name, before, after, attacker, isLeader } = changed;
  if (isLeader && resource === 'memberclusterannounces')
    return (after as { readonly clusterID?: string }).clusterID === attacker.id ? undefined : 'is of another cluster';
  if (isLeader && resource === 'resourceexports') {
    const owners: readonly (Exported | undefined)[] = [before, after];
    const isOwn = owners.every((one) => one === undefined || one.spec?.clusterID === attacker.id);
    return isOwn ? undefined : 'is of another cluster';
  }
  if (name === clusterInfoName(attacker.id)) return networkProblem(resource, after, attacker);
  if (before !== undefined) return isOfVictim(changed) ? addedProblem(before, after, attacker) : 'was changed';
  switch (resource) {
    case 'services':
      return name === importedServiceName(attacker.service) ? serviceProblem(after) : 'was created';
    case 'serviceimports':
      return name === attacker.service ? undefined : 'was created';
    case 'endpoints':
    case 'endpointslices':
      return sliceProblem(after, attacker);
    case 'ipaddresses':
      return textOf(after).includes(`"${importedServiceName(attacker.service)}"`) ? undefined : 'was created';
    case 'resourceimports':
      return importProblem(after, attacker);
    case 'labelidentities':
      return textOf(after).includes(attacker.id) ? undefined : 'was created';
    default:
      return 'was created';
  }
}

function isOfVictim({ name, attacker: { victim } }: Changed): boolean {
  return [victim, importedServiceName(victim)].includes(name) || name.startsWith(`${shop}-${victim}-`);
}

function networkProblem(resource: string, object: KubernetesObject, attacker: Attacker): string | undefined {
  if (!['resourceimports', 'clusterinfoimports'].includes(resource)) return 'was created';
  const { spec } = object as { readonly spec?: ClusterInfo & { readonly clusterinfo?: ClusterInfo } };
  const { serviceCIDR, podCIDRs = [], gatewayInfos = [] } = spec?.clusterinfo ?? spec ?? {};
  const ranges = [...podCIDRs, ...(serviceCIDR === undefined ? [] : [serviceCIDR])];
  const outside = [
    ...ranges.filter((text) => !isWithin(text, rangesOf(attacker))),
    ...gatewayInfos.flatMap(({ gatewayIP = '' }) => (gatewayIP === attacker.gateway ? [] : [gatewayIP])),
  ];
  return outside.length === 0 ? undefined : `has ${outside.join(', ')}`;
}

function serviceProblem({ spec, metadata }: Service): string | undefined {
  const { ports: _, clusterIP, clusterIPs: __, ...rest } = spec ?? {};
  const usual = { internalTrafficPolicy: 'Cluster', sessionAffinity: 'None', type: 'ClusterIP' };
  const { ipFamilies: ___, ipFamilyPolicy: ____, ...others } = rest;
  if (!equal({ ...others }, usual)) return `has ${JSON.stringify(others)}`;
  if (clusterIP === undefined) return 'has no ClusterIP';
  return metadata.ownerReferences === undefined ? undefined : 'has an owner';
}

function sliceProblem(object: KubernetesObject, attacker: Attacker): string | undefined {
  const slice = object as EndpointSlice;
  const { labels = {} } = object.metadata;
  const ofService = [attacker.service, attacker.victim].map(importedServiceName);
  const service = labels[Label.serviceName] ?? object.metadata.name;
  if (!ofService.includes(service)) return `is of Service ${service}`;
  const outside = addressesIn(slice).filter((one) => !isWithin(one, rangesOf(attacker)));
  return outside.length === 0 ? undefined : `has ${outside.join(', ')}`;
}

/** The leader passes on endpoints as they are: importers judge them. */
function importProblem(object: KubernetesObject, { id, service, victim }: Attacker): string | undefined {
  const { spec } = object as ResourceImport;
  if (spec?.kind === 'LabelIdentity') return textOf(object).includes(id) ? undefined : 'was created';
  return [service, victim].includes(spec?.name ?? '') ? undefined : 'was created';
}

/** What a Service of another cluster has stays as it is; lists of it may have more entries. */
function addedProblem(before: KubernetesObject, after: KubernetesObject, attacker: Attacker): string | undefined {
  const lost = lostPart(before, after, '');
  if (lost !== undefined) return lost;
  const known = new Set(addressesIn(before));
  const outside = addressesIn(after).filter((one) => !known.has(one) && !isWithin(one, rangesOf(attacker)));
  return outside.length === 0 ? undefined : `has ${outside.join(', ')}`;
}

function lostPart(before: unknown, after: unknown, path: string): string | undefined {
  if (Array.isArray(before) && Array.isArray(after)) {
    const at = before.findIndex((one) => !after.some((other) => lostPart(one, other, path) === undefined));
    return at < 0 ? undefined : `has lost ${path}[${at}]`;
  }
  if (!isRecord(before) || !isRecord(after))
    return equal(before, after) ? undefined : `has another ${path}: ${JSON.stringify(after)}`;
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  for (const key of keys) {
    const found = lostPart(before[key], after[key], `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function addressesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return parseAddress(value) === undefined ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(addressesIn);
}

function rangesOf({ pods, pods6, services }: Attacker): readonly string[] {
  return [pods, pods6, services];
}

function isWithin(text: string, ranges: readonly string[]): boolean {
  const one = parseCidr(text) ?? parseAddress(text);
  return one !== undefined && ranges.some((range) => contains(parseCidr(range) ?? raise(range), one));
}

function raise(text: string): never {
  throw new Error(`${text} is not a range`);
}

function textOf(object: unknown): string {
  return JSON.stringify(object);
}
