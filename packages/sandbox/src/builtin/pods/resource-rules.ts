import { qualifiedNameErrors } from '@isthmus/machinery';
import type { Errors } from '../field-checks.ts';
import { problems, when } from '../field-checks.ts';
import { invalid, required } from '../field-rules.ts';
import type { ResourceList, Resources } from './pod-spec.ts';
import { compareQuantities, quantityValue } from './quantities.ts';

/**
 * The errors of the requests and limits of a container. Resources are checked in the order of their
 * names; Go's order is random.
 */
export function resourceErrors(path: string, { limits = {}, requests = {} }: Resources): Errors {
  return [
    ...inOrder(limits).flatMap(([name, quantity]) => quantityErrors(`${path}.limits[${name}]`, name, quantity)),
    ...inOrder(requests).flatMap(([name, quantity]) => [
      ...quantityErrors(`${path}.requests[${name}]`, name, quantity),
      ...limitErrors(path, name, quantity, limits),
    ]),
  ];
}

function inOrder(list: ResourceList): readonly (readonly [string, string])[] {
  return Object.entries(list).sort(([a], [b]) => (a < b ? -1 : 1));
}

const native = ['cpu', 'memory', 'ephemeral-storage'];
const isHugePages = (name: string) => name.startsWith('hugepages-');
/** Resources of devices are given whole, and once. */
const isExtended = (name: string) => name.includes('/') && !name.split('/', 1)[0]?.includes('kubernetes.io');
/** One of a resource, in billionths. */
const one = 10n ** 9n;

/** A request is at most the limit. For resources that cannot be shared, it equals the limit. */
function limitErrors(path: string, name: string, quantity: string, limits: ResourceList): Errors {
  const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
  const fixed = isExtended(name) || isHugePages(name);
  if (limit === undefined)
    return when(fixed, required(`${path}.limits`, 'Limit must be set for non overcommitable resources'));
  const order = compareQuantities(quantity, limit);
  const rule = fixed ? 'equal to' : 'less than or equal to';
  const wrong = fixed ? order !== 0 : order > 0;
  return when(wrong, invalid(`${path}.requests`, quantity, `must be ${rule} ${name} limit of ${limit}`));
}

function quantityErrors(path: string, name: string, quantity: string): Errors {
  const value = quantityValue(quantity);
  const unqualified = problems(path, name, qualifiedNameErrors(name));
  const isStandard = name.includes('/') || native.includes(name) || isHugePages(name);
  return [
    ...unqualified,
    ...when(
      unqualified.length === 0 && !isStandard,
      invalid(path, name, 'must be a standard resource type or fully qualified'),
    ),
    ...when(!isStandard, invalid(path, name, 'must be a standard resource for containers')),
    ...when(value < 0n, invalid(path, quantity, 'must be greater than or equal to 0')),
    ...when(isExtended(name) && value % one !== 0n, invalid(path, quantity, 'must be an integer')),
  ];
}
