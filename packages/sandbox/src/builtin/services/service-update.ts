import { equal } from '@isthmus/machinery';
import type { FieldError } from '@isthmus/schema';
import type { Stored } from '../../store/stored.ts';
import { looseAddress, legacyAddress } from '../address-rules.ts';
import { compact, dnsSubdomain, forbidden, invalid, notSupported, required } from '../field-rules.ts';
import { loadBalancerClassErrors, serviceErrors } from './service-validation.ts';
import { hasNodePorts, isHeadless, isReachable, hasClusterIP, isHealthChecked, serviceOf } from './service-shape.ts';
import type { ServiceSpec } from './service-shape.ts';

/** Fields that only some Services have a use for, by who has it. Those of one row go together. */
const fieldsOfUse: readonly (readonly [hasUse: (spec: ServiceSpec) => boolean, rows: (keyof ServiceSpec)[][]])[] = [
  [hasClusterIP, [['clusterIP', 'clusterIPs'], ['ipFamilies'], ['ipFamilyPolicy']]],
  [isHealthChecked, [['healthCheckNodePort']]],
  [({ type }) => type === 'LoadBalancer', [['allocateLoadBalancerNodePorts'], ['loadBalancerClass']]],
  [isReachable, [['externalTrafficPolicy']]],
];

/** Removes values that the changed Service no longer needs, if the client left them unchanged. */
export function withoutForeignFields(object: Stored, stored: Stored): Stored {
  const { spec } = serviceOf(object);
  const before = serviceOf(stored).spec;
  const isSame = (field: keyof ServiceSpec) => equal(spec[field] ?? [], before[field] ?? []);
  const gone = fieldsOfUse
    .filter(([hasUse]) => hasUse(before) && !hasUse(spec))
    .flatMap(([, rows]) => rows.filter((row) => row.every(isSame)).flat());
  const kept = Object.entries(spec).filter(([field]) => !gone.includes(field as keyof ServiceSpec));
  const dropsPorts = hasNodePorts(before) && !hasNodePorts(spec) && addsNoNodePort(spec, before);
  const ports = dropsPorts ? spec.ports?.map(({ nodePort: _released, ...port }) => port) : spec.ports;
  const status =
    spec.type === 'LoadBalancer' ? stored['status'] : { ...(stored['status'] as object), loadBalancer: {} };
  return { ...object, spec: compact({ ...Object.fromEntries(kept), ports }), status };
}

function addsNoNodePort({ ports = [] }: ServiceSpec, { ports: had = [] }: ServiceSpec): boolean {
  const before = new Set(had.map(({ nodePort = 0 }) => nodePort));
  return ports.every(({ nodePort = 0 }) => nodePort === 0 || before.has(nodePort));
}

/** The errors of a changed Service, except those of its metadata. */
export function serviceUpdateErrors(object: Stored, stored: Stored): readonly FieldError[] {
  const { spec } = serviceOf(object);
  const before = serviceOf(stored).spec;
  const errors: FieldError[] = [...changedAddresses(spec, before), ...changedFamilies(spec, before)];
  const bothBalanced = before.type === 'LoadBalancer' && spec.type === 'LoadBalancer';
  if (bothBalanced && before.loadBalancerClass !== spec.loadBalancerClass) {
    errors.push(invalid('spec.loadBalancerClass', spec.loadBalancerClass ?? null, 'may not change once set'));
  }
  errors.push(...loadBalancerClassErrors(spec));
  if (isHealthChecked(before) && isHealthChecked(spec) && before.healthCheckNodePort !== spec.healthCheckNodePort) {
    errors.push(forbidden('spec.healthCheckNodePort', 'field is immutable'));
  }
  return [...errors, ...serviceErrors(object, stored)];
}

function changedAddresses(spec: ServiceSpec, before: ServiceSpec): readonly FieldError[] {
  if (!hasClusterIP(spec) || !hasClusterIP(before) || (isHeadless(spec) && isHeadless(before))) return [];
  const { clusterIPs: next = [] } = spec;
  const { clusterIPs: had = [] } = before;
  const changed = (index: number) => invalid(`spec.clusterIPs[${index}]`, next, 'may not change once set');
  if (had.length === next.length)
    return had.flatMap((address, index) => (address === next[index] ? [] : [changed(index)]));
  const first = had.length > 0 && next.length > 0 && had[0] !== next[0] ? [changed(0)] : [];
  if (had.length < next.length) return first;
  if (next.length === 0) return [invalid('spec.clusterIPs[0]', next, 'primary clusterIP can not be unset')];
  return [...first, ...releasedErrors(spec, next, 'clusterIP')];
}

function changedFamilies(spec: ServiceSpec, before: ServiceSpec): readonly FieldError[] {
  if (!hasClusterIP(spec) || !hasClusterIP(before) || isHeadless(spec) || isHeadless(before)) return [];
  const { ipFamilies: next = [], clusterIPs = [] } = spec;
  const { ipFamilies: had = [] } = before;
  // The real server always names the first item, and shows the addresses if their number changed.
  const changed = (value: readonly string[]) => invalid('spec.ipFamilies[0]', value, 'may not change once set');
  if (had.length === next.length)
    return had.flatMap((family, index) => (family === next[index] ? [] : [changed(next)]));
  const first = had.length > 0 && next.length > 0 && had[0] !== next[0] ? [changed(clusterIPs)] : [];
  if (had.length < next.length) return first;
  const unset =
    clusterIPs.length === 0 ? [invalid('spec.ipFamilies[0]', next, 'primary ipFamily can not be unset')] : [];
  return [...unset, ...first, ...releasedErrors(spec, next, 'ipFamily')];
}

function releasedErrors({ ipFamilyPolicy }: ServiceSpec, next: readonly string[], what: string): readonly FieldError[] {
  if (next.length !== 1 || ipFamilyPolicy === 'SingleStack') return [];
  const detail = `must be set to 'SingleStack' when releasing the secondary ${what}`;
  return [invalid('spec.ipFamilyPolicy', ipFamilyPolicy ?? null, detail)];
}

/** The errors of the status that a load balancer writes. */
export function serviceStatusErrors(object: Stored, stored: Stored): readonly FieldError[] {
  const { spec, status } = serviceOf(object);
  const ingress = status?.loadBalancer?.ingress ?? [];
  const path = 'status.loadBalancer.ingress';
  if (spec.type !== 'LoadBalancer') {
    return ingress.length === 0 ? [] : [forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  const had = (serviceOf(stored).status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);
  return ingress.flatMap(({ ip = '', ipMode, hostname = '' }, index) => {
    const at = `${path}[${index}]`;
    const errors: FieldError[] = ip === '' ? [] : [...legacyAddress(`${at}.ip`, ip, had)];
    if (ipMode === undefined) {
      if (ip !== '') errors.push(required(`${at}.ipMode`, 'must be specified when `ip` is set'));
    } else if (ip === '') errors.push(forbidden(`${at}.ipMode`, 'may not be specified when `ip` is not set'));
    else if (!['Proxy', 'VIP'].includes(ipMode)) errors.push(notSupported(`${at}.ipMode`, ipMode, ['Proxy', 'VIP']));
    if (hostname === '') return errors;
    errors.push(...dnsSubdomain(`${at}.hostname`, hostname));
    if (looseAddress(hostname) !== undefined) {
      errors.push(invalid(`${at}.hostname`, hostname, 'must be a DNS name, not an IP address'));
    }
    return errors;
  });
}
