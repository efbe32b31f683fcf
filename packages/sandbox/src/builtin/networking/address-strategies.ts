import { addressText } from '@isthmus/machinery';
import type { FieldError } from '@isthmus/schema';
import type { Stored } from '../../store/stored.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { canonicalAddress, canonicalNetwork, isIPv6, looseAddress } from '../address-rules.ts';
import { pathSegmentName } from '../define.ts';
import { immutable, invalid, required } from '../field-rules.ts';
import { specOrStatus } from '../reset-fields.ts';

/** The name of an IPAddress is its address in canonical form. */
export const ipAddressStrategy: Partial<Strategy> = {
  nameProblems: (name) => canonicalAddress('', name).map(({ detail }) => detail),
  validate: parentErrors,
  validateUpdate: (object, before) => immutable('spec.parentRef', parentOf(object), parentOf(before)),
};

export const serviceCidrStrategy: Partial<Strategy> = {
  resetFields: specOrStatus,
  prepareForCreate: (object) => ({ ...object, status: {} }),
  prepareForUpdate: (object, before) => ({ ...object, status: before['status'] }),
  // A status update writes only `managedFields` of the metadata.
  prepareForStatusUpdate: ({ metadata: { managedFields }, status }, before) => ({
    ...before,
    metadata: { ...before.metadata, ...(managedFields !== undefined && { managedFields }) },
    status,
  }),
  validate: rangeErrors,
  validateUpdate: rangeChangeErrors,
};

interface Parent {
  readonly group?: string | undefined;
  readonly resource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

const parentOf = (object: Stored) => (object['spec'] as { readonly parentRef?: Parent } | undefined)?.parentRef;

function parentErrors(object: Stored): readonly FieldError[] {
  const parent = parentOf(object);
  const path = 'spec.parentRef';
  if (parent === undefined) return [required(path)];
  const segment = (field: 'resource' | 'name' | 'namespace', needed: boolean) => {
    const text = parent[field] ?? '';
    if (text === '') return needed ? [required(`${path}.${field}`)] : [];
    return pathSegmentName(text, false).map((why) => invalid(`${path}.${field}`, text, why));
  };
  return [...segment('resource', true), ...segment('name', true), ...segment('namespace', false)];
}

const rangesOf = (object: Stored) =>
  (object['spec'] as { readonly cidrs?: readonly string[] } | undefined)?.cidrs ?? [];

function rangeErrors(object: Stored): readonly FieldError[] {
  const ranges = rangesOf(object);
  const path = 'spec.cidrs';
  if (ranges.length === 0) return [required(path, 'at least one CIDR required')];
  if (ranges.length > 2) return [invalid(path, { CIDRs: ranges }, 'may only hold up to 2 values')];
  const errors = ranges.flatMap((range, index) => canonicalNetwork(`${path}[${index}]`, range));
  const addresses = ranges.map((range) => range.split('/')[0] ?? '');
  const [a = '', b = ''] = addresses;
  if (
    ranges.length === 2 &&
    looseAddress(a) !== undefined &&
    looseAddress(b) !== undefined &&
    isIPv6(a) === isIPv6(b)
  ) {
    const detail = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
    errors.push(invalid(path, ranges, detail));
  }
  return errors;
}

function rangeChangeErrors(object: Stored, before: Stored): readonly FieldError[] {
  const had = rangesOf(before);
  const next = rangesOf(object);
  const changed = (index: number) => invalid(`spec.cidrs[${index}]`, next[index], 'field is immutable');
  if (had.length === next.length) return had.flatMap((range, index) => (range === next[index] ? [] : [changed(index)]));
  if (had.length === 1 && next.length === 2)
    return [...(had[0] === next[0] ? [] : [changed(0)]), ...rangeErrors(object)];
  return [invalid('spec.cidrs', next, 'field is immutable')];
}

/** The IPAddress that stands for a ClusterIP of a Service. */
export function recordOfClusterIP(address: string, { metadata }: Stored): Stored | undefined {
  const read = looseAddress(address);
  if (read === undefined) return undefined;
  const labels = {
    'ipaddress.kubernetes.io/ip-family': read.family,
    'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
  };
  const parentRef = { resource: 'services', namespace: metadata.namespace, name: metadata.name };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: { name: addressText(read), labels },
    spec: { parentRef },
  };
}
