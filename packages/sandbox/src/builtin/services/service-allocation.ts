import { addressText, contains, keyOfObject, parseCidr } from '@isthmus/machinery';
import type { FieldError } from '@isthmus/schema';
import type { Stored } from '../../store/stored.ts';
import type { Allocation, AllocationContext } from '../../strategy/strategy.ts';
import { looseAddress } from '../address-rules.ts';
import { compact, invalid } from '../field-rules.ts';
import { withNodePorts } from './service-node-ports.ts';
import { withFamilies } from './service-addresses.ts';
import { hasClusterIP, isHeadless, isHealthChecked, sameList, serviceOf } from './service-shape.ts';
import type { ServiceClaims } from '../../strategy/strategy.ts';
import type { ServiceSpec } from './service-shape.ts';

/**
 * Allocates families, ClusterIPs and node ports before validation, as the real server does. A
 * second call changes nothing. Addresses and ports come from the upper part of their range. The
 * lower part is left to Services that name one.
 */
export function allocateService(object: Stored, stored: Stored | undefined, context: AllocationContext): Allocation {
  const given = serviceOf(object);
  const before = stored === undefined ? undefined : serviceOf(stored).spec;
  const adopted = withClusterIPsOf(before === undefined ? given.spec : adoptedFrom(given.spec, before), before);
  const { spec, errors } = withFamilies(adopted, before, context.serviceCIDRs);
  if (errors.length > 0) return { object, errors };
  const own = keyOfObject(object);
  const byOthers: Taken = {
    has: (claim) => context.serviceClaims.has(claim) && context.serviceClaims.get(claim) !== own,
  };
  const addressed = withAddresses(spec, before, { taken: byOthers, context });
  if (addressed.errors.length > 0) return { object, errors: addressed.errors };
  // Node ports that a Service has are taken for itself too.
  const taken = before === undefined ? byOthers : context.serviceClaims;
  const ported = withNodePorts(addressed.spec, before, { taken, ...context });
  return { ...ported, object: { ...object, spec: compact(ported.spec) } };
}

/** The spec with the allocated values of the stored one, for fields that the client left out. */
function adoptedFrom(spec: ServiceSpec, before: ServiceSpec): ServiceSpec {
  let next = spec;
  if (hasClusterIP(before) && hasClusterIP(spec)) {
    next = {
      ...next,
      clusterIP: spec.clusterIP || before.clusterIP,
      clusterIPs: (spec.clusterIPs ?? []).length === 0 ? before.clusterIPs : spec.clusterIPs,
    };
  }
  const takesPorts = ({ type, allocateLoadBalancerNodePorts = true }: ServiceSpec) =>
    type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts);
  if (takesPorts(before) && takesPorts(spec)) {
    const numbers = (ports: ServiceSpec['ports'] = []) =>
      ports.flatMap(({ nodePort = 0 }) => (nodePort === 0 ? [] : [nodePort]));
    const asked = new Set(numbers(spec.ports));
    const used = new Set(numbers(before.ports).filter((port) => asked.has(port)));
    const had = new Map((before.ports ?? []).map(({ name = '', nodePort }) => [name, nodePort]));
    next = {
      ...next,
      ports: spec.ports?.map((port) => {
        const nodePort = had.get(port.name ?? '');
        return port.nodePort || nodePort === undefined || used.has(nodePort) ? port : { ...port, nodePort };
      }),
    };
  }
  if (isHealthChecked(before) && isHealthChecked(spec) && (spec.healthCheckNodePort ?? 0) === 0) {
    next = { ...next, healthCheckNodePort: before.healthCheckNodePort };
  }
  return next;
}

/** Brings `clusterIPs` in line with `clusterIP`, for clients that know only the latter. */
function withClusterIPsOf(spec: ServiceSpec, before: ServiceSpec | undefined): ServiceSpec {
  const { clusterIP = '', clusterIPs = [] } = spec;
  if (before === undefined)
    return clusterIP !== '' && clusterIPs.length === 0 ? { ...spec, clusterIPs: [clusterIP] } : spec;
  const { clusterIP: had = '', clusterIPs: hadAll = [] } = before;
  if (clusterIP === had) return clusterIPs.length === 0 && hadAll.length > 0 ? { ...spec, clusterIPs: hadAll } : spec;
  if (!sameList(clusterIPs, hadAll)) return spec;
  return { ...spec, clusterIPs: had !== '' && clusterIP === '' ? undefined : [clusterIP] };
}

type Taken = Pick<ServiceClaims, 'has'>;

interface Room {
  readonly taken: Taken;
  readonly context: AllocationContext;
}

function withAddresses(
  spec: ServiceSpec,
  before: ServiceSpec | undefined,
  { taken, context }: Room,
): { readonly spec: ServiceSpec; readonly errors: readonly FieldError[] } {
  if (!hasClusterIP(spec) || isHeadless(spec)) return { spec, errors: [] };
  const hadNone = before === undefined || !hasClusterIP(before);
  const upgraded = before?.ipFamilies?.length === 1 && spec.ipFamilies?.length === 2;
  if (!hadNone && (isHeadless(before) || !upgraded)) return { spec, errors: [] };
  const clusterIPs = [...(spec.clusterIPs ?? [])];
  for (const [index, family] of (spec.ipFamilies ?? []).entries()) {
    if (!hadNone && index === 0) continue;
    const ranges = rangesOf(family, context);
    const wished = clusterIPs[index] ?? '';
    if (wished === '') {
      let free: string | undefined;
      for (const range of ranges) free ??= freeAddress(range, taken, context);
      if (free === undefined)
        return { spec, errors: [invalid('spec.clusterIPs', clusterIPs, 'failed to allocate IP: range is full')] };
      clusterIPs[index] = free;
      continue;
    }
    const refusals = ranges.map((range) => refusalOf(range, wished, { taken, ...context }));
    const why = refusals.find((one) => one !== undefined && one !== elsewhere) ?? refusals[0];
    if (!refusals.includes(undefined)) {
      const asked = [...(spec.clusterIPs ?? [])];
      return { spec, errors: [invalid('spec.clusterIPs', asked, `failed to allocate IP ${wished}: ${why}`)] };
    }
  }
  return { spec: { ...spec, clusterIP: clusterIPs[0], clusterIPs }, errors: [] };
}

/**
 * The ranges of a family: those of the cluster, and those that ServiceCIDRs add. A dry run knows
 * only the former.
 */
function rangesOf(family: string, { serviceCIDRs, dryRun, list }: AllocationContext): readonly string[] {
  const added = dryRun ? [] : list('networking.k8s.io/servicecidrs').flatMap(({ spec }) => cidrsOf(spec));
  return [...new Set([...serviceCIDRs, ...added])].filter((one) => parseCidr(one)?.family === family);
}

function cidrsOf(spec: unknown): readonly string[] {
  return (spec as { readonly cidrs?: readonly string[] | undefined } | undefined)?.cidrs ?? [];
}

const elsewhere = 'the provided network does not match the current range';

/**
 * The error for an address that cannot be allocated. The first address of a range is never
 * allocated, nor is the last one of an IPv4 range.
 */
function refusalOf(
  range: string,
  text: string,
  { taken, dryRun }: { readonly taken: Taken; readonly dryRun: boolean },
): string | undefined {
  const cidr = parseCidr(range);
  const address = looseAddress(text);
  if (cidr === undefined || address === undefined) return elsewhere;
  const offset = address.value - cidr.value;
  const isEnd = offset === 0n || (cidr.family === 'IPv4' && offset === sizeOf(range) - 1n);
  if (isEnd || !contains(cidr, address)) {
    if (!dryRun) return elsewhere;
    return `the provided IP (${addressText(address)}) is not in the valid range. The range of valid IPs is ${range}`;
  }
  // A dry run does not check whether the address is in use.
  if (dryRun) return undefined;
  return taken.has(addressText(address)) ? 'provided IP is already allocated' : undefined;
}

function freeAddress(range: string, taken: Taken, { random }: AllocationContext): string | undefined {
  const cidr = parseCidr(range);
  if (cidr === undefined) return undefined;
  const size = Number(sizeOf(range) > 1n << 20n ? 1n << 20n : sizeOf(range));
  const kept = Math.min(Math.max(16, Math.floor(size / 16)), 256);
  const reserved = kept >= size ? 0 : kept;
  const last = size - 2;
  const from = Math.max(1, reserved);
  const start = Math.floor(random() * (last - from + 1));
  const at = (offset: number) => addressText({ family: cidr.family, value: cidr.value + BigInt(offset) });
  for (let step = 0; step <= last - from; step++) {
    const address = at(from + ((start + step) % (last - from + 1)));
    if (!taken.has(address)) return address;
  }
  for (let offset = 1; offset < from; offset++) if (!taken.has(at(offset))) return at(offset);
  return undefined;
}

function sizeOf(range: string): bigint {
  const cidr = parseCidr(range);
  return cidr === undefined ? 0n : 1n << BigInt((cidr.family === 'IPv4' ? 32 : 128) - cidr.length);
}
