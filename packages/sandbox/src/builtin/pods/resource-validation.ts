import { qualifiedNameErrors } from '@isthmus/machinery';
import { compareQuantities, quantityValue } from './quantities.ts';
import type { Errors } from '../field-checks.ts';
import { problems, when } from '../field-checks.ts';
import { forbidden, invalid, required } from '../field-rules.ts';
import type { Resources } from './pod-spec.ts';

const standard = new Set([
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'persistentvolumeclaims',
  'configmaps',
  'services.nodeports',
  'services.loadbalancers',
  'requests.storage',
  'storage',
]);
const ofContainers = new Set(['cpu', 'memory', 'ephemeral-storage']);
const isHugePages = (name: string) => name.startsWith('hugepages-');

/** What is wrong with what a container asks for. Resources are judged in the order of their names, where Go's order is random. */
export function resourceErrors(path: string, { limits = {}, requests = {} }: Resources): Errors {
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  const errors = [
    ...inOrder(limits).flatMap(([name, quantity]) => quantityErrors(`${path}.limits[${name}]`, name, quantity)),
    ...inOrder(requests).flatMap(([name, quantity]) => {
      const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
      const order = limit === undefined ? 0 : compareQuantities(quantity, limit);
      const fixed = !mayBeOvercommitted(name);
      return [
        ...quantityErrors(`${path}.requests[${name}]`, name, quantity),
        ...(limit === undefined
          ? when(fixed, required(`${path}.limits`, 'Limit must be set for non overcommitable resources'))
          : fixed
            ? when(order !== 0, invalid(`${path}.requests`, quantity, `must be equal to ${name} limit of ${limit}`))
            : when(
                order > 0,
                invalid(`${path}.requests`, quantity, `must be less than or equal to ${name} limit of ${limit}`),
              )),
      ];
    }),
  ];
  const lonely = names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory');
  return [...errors, ...when(lonely, forbidden(path, 'HugePages require cpu or memory'))];
}

function inOrder(list: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(list).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Native resources but huge pages; those of device plugins are whole and given once. */
function mayBeOvercommitted(name: string): boolean {
  const native = !name.includes('/') || name.split('/')[0]?.endsWith('kubernetes.io') === true;
  return native && !isHugePages(name);
}

function quantityErrors(path: string, name: string, quantity: string): Errors {
  const value = quantityValue(quantity);
  const whole = isExtended(name);
  return [
    ...nameErrors(path, name),
    ...when(value < 0n, invalid(path, quantity, 'must be greater than or equal to 0')),
    ...when(whole && value % unit !== 0n, invalid(path, quantity, 'must be an integer')),
  ];
}

/** A quantity of 1 in the smallest part that is counted. */
const unit = 10n ** 9n;

function nameErrors(path: string, name: string): Errors {
  const unqualified = problems(path, name, qualifiedNameErrors(name));
  const standing = standard.has(name) || isHugePages(name);
  const first =
    unqualified.length > 0
      ? unqualified
      : when(
          !name.includes('/') && !standing,
          invalid(path, name, 'must be a standard resource type or fully qualified'),
        );
  if (!name.includes('/')) {
    const usable = ofContainers.has(name) || isHugePages(name);
    return [...first, ...when(!usable, invalid(path, name, 'must be a standard resource for containers'))];
  }
  const native = name.split('/')[0]?.includes('kubernetes.io') === true;
  return [
    ...first,
    ...when(!native && !isExtended(name), invalid(path, name, "doesn't follow extended resource name standard")),
  ];
}

function isExtended(name: string): boolean {
  const [prefix = '', ...rest] = name.split('/');
  if (rest.length === 0 || prefix.includes('kubernetes.io') || name.startsWith('requests.')) return false;
  return qualifiedNameErrors(`requests.${name}`).length === 0;
}
