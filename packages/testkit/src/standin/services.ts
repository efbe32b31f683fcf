import { addressText, contains, parseAddress, parseCidr } from '@isthmus/machinery';
import type { FieldError } from '@isthmus/machinery';
import type { Service, ServiceSpec } from '@isthmus/api';
import { duplicateValue, invalidValue, requiredValue } from './refusal.ts';

/** Hands out the ClusterIPs of one range in their order, so that a Service made anew does not get its old address back at once. */
export interface ClusterIPs {
  readonly family: 'IPv4' | 'IPv6';
  /** The next free address. */
  next(taken: ReadonlySet<string>): string;
  /** Why this address cannot be had; undefined where it can. */
  refusal(address: string, taken: ReadonlySet<string>): string | undefined;
}

/** Addresses from the tenth on; those before are left to the test. */
export function clusterIPsOf(range: string): ClusterIPs {
  const cidr = parseCidr(range);
  if (cidr === undefined) throw new Error(`The Service range ${range} is no CIDR.`);
  const size = 1n << BigInt((cidr.family === 'IPv4' ? 32 : 128) - cidr.length);
  let offset = 9n;
  return {
    family: cidr.family,
    next(taken) {
      for (let tries = 0n; tries < size; tries++) {
        offset = offset + 1n >= size ? 1n : offset + 1n;
        const address = addressText({ family: cidr.family, value: cidr.value + offset });
        if (!taken.has(address)) return address;
      }
      throw new Error(`The Service range ${range} is exhausted.`);
    },
    refusal(text, taken) {
      const address = parseAddress(text);
      if (address === undefined || !contains(cidr, address))
        return 'the provided network does not match the current range';
      return taken.has(text) ? 'provided IP is already allocated' : undefined;
    },
  };
}

/**
 * The spec with the server's defaults and its allocated ClusterIP, and what is wrong with it. Of the rules only those stand here that the
 * Services of a ClusterSet meet: node ports, dual stack and load balancers are left out.
 */
export function admitService(
  given: Service,
  before: Service | undefined,
  ips: ClusterIPs,
  taken: ReadonlySet<string>,
): { readonly service: Service; readonly errors: readonly FieldError[] } {
  const spec: ServiceSpec = given.spec ?? {};
  const ports = (spec.ports ?? []).map((port) => {
    const targetPort =
      port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '' ? port.port : port.targetPort;
    return { ...port, protocol: port.protocol || 'TCP', targetPort };
  });
  const type = spec.type || 'ClusterIP';
  const affinity = spec.sessionAffinity || 'None';
  const common = {
    ...spec,
    type,
    ports: ports.length === 0 ? undefined : ports,
    sessionAffinity: affinity,
    sessionAffinityConfig:
      affinity !== 'ClientIP' ? undefined : (spec.sessionAffinityConfig ?? { clientIP: { timeoutSeconds: 10_800 } }),
  };
  const errors = portErrors(ports, type);
  const status = given.status ?? { loadBalancer: {} };
  if (type === 'ExternalName') {
    const inside = { clusterIP: undefined, clusterIPs: undefined, ipFamilies: undefined, ipFamilyPolicy: undefined };
    return { service: { ...given, spec: { ...common, ...inside, internalTrafficPolicy: undefined }, status }, errors };
  }
  const old = before?.spec?.type === 'ExternalName' ? undefined : before?.spec?.clusterIP;
  const wished = spec.clusterIP || spec.clusterIPs?.[0] || old;
  const problem = wished === undefined || wished === 'None' || wished === old ? undefined : ips.refusal(wished, taken);
  if (old !== undefined && wished !== old) {
    return {
      service: given,
      errors: [...errors, invalidValue('spec.clusterIPs[0]', [wished], 'may not change once set')],
    };
  }
  if (problem !== undefined) {
    return {
      service: given,
      errors: [...errors, invalidValue('spec.clusterIPs', [wished], `failed to allocate IP ${wished}: ${problem}`)],
    };
  }
  if (ports.length === 0 && wished !== 'None') return { service: given, errors: [requiredValue('spec.ports')] };
  if (errors.length > 0) return { service: given, errors };
  const clusterIP = wished ?? ips.next(taken);
  const service = {
    ...given,
    spec: {
      ...common,
      clusterIP,
      clusterIPs: [clusterIP],
      ipFamilies: spec.ipFamilies ?? [ips.family],
      ipFamilyPolicy: spec.ipFamilyPolicy ?? 'SingleStack',
      internalTrafficPolicy: spec.internalTrafficPolicy ?? 'Cluster',
    },
    status,
  };
  return { service, errors: [] };
}

function portErrors(ports: NonNullable<ServiceSpec['ports']>, type: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (type === 'ExternalName') return errors;
  const names = new Set<string>();
  const numbers = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const path = `spec.ports[${index}]`;
    const name = port.name ?? '';
    if (name === '' && ports.length > 1) errors.push(requiredValue(`${path}.name`));
    if (name !== '' && names.has(name)) {
      errors.push(duplicateValue(`${path}.name`, name));
    }
    if (!(port.port >= 1 && port.port <= 65_535)) {
      errors.push(invalidValue(`${path}.port`, port.port, 'must be between 1 and 65535, inclusive'));
    }
    const number = `${port.protocol} ${port.port}`;
    if (numbers.has(number)) {
      errors.push(duplicateValue(path, { protocol: port.protocol, port: port.port }));
    }
    names.add(name);
    numbers.add(number);
  }
  return errors;
}
