import { labelValueErrors, qualifiedNameErrors } from '@isthmus/machinery';
import { legacyAddress } from '../address-rules.ts';
import type { Errors } from '../field-checks.ts';
import { labelSelector, optionalOneOf, problems, when } from '../field-checks.ts';
import { dnsLabel, duplicate, invalid, notSupported, required } from '../field-rules.ts';
import type { Affinity, PodAffinityTerm, PodSpec, Toleration, TopologySpreadConstraint } from './pod-spec.ts';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** What is wrong with the taints that a Pod bears. */
export function tolerationErrors(path: string, tolerations: readonly Toleration[]): Errors {
  return tolerations.flatMap(({ key = '', operator = '', value = '', effect = '', tolerationSeconds }, index) => {
    const at = `${path}[${index}]`;
    return [
      ...(key === '' ? [] : problems(`${at}.key`, key, qualifiedNameErrors(key))),
      ...when(
        key === '' && operator !== 'Exists',
        invalid(
          `${at}.operator`,
          operator,
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      ),
      ...when(
        tolerationSeconds !== undefined && effect !== 'NoExecute',
        invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"),
      ),
      ...operatorErrors(`${at}.operator`, operator, value),
      ...when(effect !== '' && !effects.includes(effect), notSupported(`${at}.effect`, effect, effects)),
    ];
  });
}

function operatorErrors(path: string, operator: string, value: string): Errors {
  switch (operator) {
    case '':
    case 'Equal': {
      const wrong = labelValueErrors(value);
      return when(wrong.length > 0, invalid(path, value, wrong.join(';')));
    }
    case 'Exists':
      return when(value !== '', invalid(path, value, "value must be empty when `operator` is 'Exists'"));
    case 'Lt':
    case 'Gt':
      return [notSupported(path, operator, ['Equal', 'Exists', 'Lt', 'Gt'])];
    default:
      return [notSupported(path, operator, ['Equal', 'Exists'])];
  }
}

/** What is wrong with how Pods are to be spread. */
export function spreadErrors(path: string, constraints: readonly TopologySpreadConstraint[]): Errors {
  return constraints.flatMap((constraint, index) => {
    const { maxSkew = 0, topologyKey, whenUnsatisfiable, minDomains } = constraint;
    const at = `${path}[${index}]`;
    const repeated = constraints
      .slice(index + 1)
      .some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable);
    const schedules = ['DoNotSchedule', 'ScheduleAnyway'];
    const misplaced = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
    return [
      ...when(maxSkew <= 0, invalid(`${at}.maxSkew`, maxSkew, 'must be greater than zero')),
      ...when(topologyKey === '', required(`${at}.topologyKey`, 'can not be empty')),
      ...when(
        !schedules.includes(whenUnsatisfiable),
        notSupported(`${at}.whenUnsatisfiable`, whenUnsatisfiable, schedules),
      ),
      ...when(repeated, duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`)),
      ...when(
        minDomains !== undefined && minDomains <= 0,
        invalid(`${at}.minDomains`, minDomains, 'must be greater than zero'),
      ),
      ...when(
        minDomains !== undefined && whenUnsatisfiable !== 'DoNotSchedule',
        invalid(`${at}.minDomains`, minDomains, misplaced),
      ),
      ...optionalOneOf(`${at}.nodeAffinityPolicy`, constraint.nodeAffinityPolicy, ['Honor', 'Ignore']),
      ...optionalOneOf(`${at}.nodeTaintsPolicy`, constraint.nodeTaintsPolicy, ['Honor', 'Ignore']),
      ...labelSelector(`${at}.labelSelector`, constraint.labelSelector),
    ];
  });
}

/** What is wrong with where Pods are to be next to others, or away from them. */
export function affinityErrors(path: string, affinity: Affinity | undefined): Errors {
  return (['podAffinity', 'podAntiAffinity'] as const).flatMap((side) => {
    const {
      requiredDuringSchedulingIgnoredDuringExecution: hard = [],
      preferredDuringSchedulingIgnoredDuringExecution: soft = [],
    } = affinity?.[side] ?? {};
    return [
      ...hard.flatMap((term, index) =>
        termErrors(`${path}.${side}.requiredDuringSchedulingIgnoredDuringExecution[${index}]`, term),
      ),
      ...soft.flatMap(({ weight, podAffinityTerm }, index) => {
        const at = `${path}.${side}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
        return [
          ...when(weight <= 0 || weight > 100, invalid(`${at}.weight`, weight, 'must be in the range 1-100')),
          ...termErrors(`${at}.podAffinityTerm`, podAffinityTerm),
        ];
      }),
    ];
  });
}

function termErrors(path: string, { labelSelector: selector, namespaces = [], topologyKey }: PodAffinityTerm): Errors {
  return [
    ...labelSelector(`${path}.labelSelector`, selector),
    ...namespaces.flatMap((name) => dnsLabel(`${path}.namespace`, name)),
    ...when(topologyKey === '', required(`${path}.topologyKey`, 'can not be empty')),
    ...problems(`${path}.topologyKey`, topologyKey, qualifiedNameErrors(topologyKey)),
  ];
}

/** What is wrong with how a Pod finds names. */
export function dnsErrors(path: string, { dnsConfig, dnsPolicy }: PodSpec): Errors {
  if (dnsPolicy === 'None') {
    if (dnsConfig === undefined) return [required(path, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    if ((dnsConfig.nameservers ?? []).length === 0) {
      return [required(`${path}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None')];
    }
  }
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  return [
    ...when(
      nameservers.length > 3,
      invalid(`${path}.nameservers`, nameservers, 'must not have more than 3 nameservers'),
    ),
    ...nameservers.flatMap((address, index) => legacyAddress(`${path}.nameservers[${index}]`, address)),
    ...when(searches.length > 32, invalid(`${path}.searches`, searches, 'must not have more than 32 search paths')),
    ...options.flatMap(({ name = '' }, index) =>
      when(name === '', required(`${path}.options[${index}]`, 'must not be empty')),
    ),
  ];
}
