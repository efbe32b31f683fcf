import type { AntreaNetworkPolicy, ClusterNetworkPolicy, Tier } from '@isthmus/api';
import { defaultTier, importedPrefix } from '@isthmus/api';
import type { LabelSelector } from '@isthmus/machinery';
import { errorMessage, firstOf, isRecord, labelSelectorOf, visibleText } from '@isthmus/machinery';
import type { Problem } from '../objects/problem.ts';
import type { ClientSelector, EgressRule } from './egress-rule.ts';

/** The result of reading one policy. */
export interface ReadPolicy {
  readonly rules: readonly EgressRule[];
  /** The parts that are not enforced here, and why: one problem or none. */
  readonly problems: readonly Problem[];
}

/** The Tiers that Antrea itself creates. They apply unless a Tier object has another priority. */
const ownTiers: Readonly<Record<string, number>> = {
  emergency: 50,
  securityops: 100,
  networkops: 150,
  platform: 200,
  application: 250,
  baseline: 253,
};
/**
 * Rules of Tiers from this priority on come after the policies of Kubernetes, which the CNI
 * enforces.
 */
const firstAfterKubernetes = 253;

/** The priorities of Tiers, by name. */
export function tierPriorities(tiers: readonly Tier[]): ReadonlyMap<string, number> {
  const found = tiers.flatMap(({ metadata: { name }, spec }): readonly [string, number][] =>
    typeof spec?.priority === 'number' ? [[name, spec.priority]] : [],
  );
  return new Map([...Object.entries(ownTiers), ...found]);
}

/**
 * Reads the egress rules of a policy that are about imported Services: `toServices` with
 * `scope: ClusterSet`, or with an imported name. A rule is enforced completely, or not at all and
 * reported: without one of its parts it would be about other Pods. Services of a rule that are not
 * imported are left out and reported, because the agent does not translate them.
 */
export function readPolicy(
  kind: 'ClusterNetworkPolicy' | 'NetworkPolicy',
  { metadata, spec = {} }: ClusterNetworkPolicy | AntreaNetworkPolicy,
  tiers: ReadonlyMap<string, number>,
): ReadPolicy {
  const namespace = kind === 'NetworkPolicy' ? (metadata.namespace ?? '') : undefined;
  const notEnforced: string[] = [];
  const policy = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${metadata.name}`;
  const { tier = defaultTier, priority } = spec;
  const egress = listOf(spec['egress']);
  const ingress = listOf(spec['ingress']);
  if (ingress.length > 0) notEnforced.push(`its ${count(ingress.length, 'ingress rule')}`);
  const tierPriority = typeof tier === 'string' ? tiers.get(tier) : undefined;
  const wrongPolicy =
    tierPriority === undefined
      ? `Tier ${shown(tier)} does not exist`
      : tierPriority >= firstAfterKubernetes
        ? `Tier ${shown(tier)} comes after the NetworkPolicies of Kubernetes`
        : typeof priority !== 'number' || !Number.isFinite(priority)
          ? 'spec.priority is not a number'
          : undefined;
  const others = egress.filter((rule) => !isAboutServices(rule)).length;
  if (others > 0) notEnforced.push(`its ${count(others, 'egress rule')} without toServices`);
  const rules = egress.flatMap((rule, index): readonly EgressRule[] => {
    if (!isAboutServices(rule)) return [];
    try {
      if (wrongPolicy !== undefined) throw new Error(wrongPolicy);
      const { services, left } = servicesOf(rule, namespace);
      if (left.length > 0) notEnforced.push(`egress[${index}] for ${left.join(', ')}: not an imported Service`);
      if (services.size === 0) return [];
      return [
        {
          kind,
          namespace,
          name: metadata.name,
          index,
          rank: [tierPriority ?? 0, Number(priority), policy, index],
          action: actionOf(rule),
          appliedTo: appliedToOf(rule['appliedTo'] ?? spec['appliedTo'], namespace),
          services,
        },
      ];
    } catch (error) {
      notEnforced.push(`egress[${index}]: ${errorMessage(error)}`);
      return [];
    }
  });
  const message = `The agent does not enforce ${listed(notEnforced)}. It enforces only egress rules with toServices that name imported Services.`;
  return {
    rules,
    problems: notEnforced.length === 0 ? [] : [{ kind, namespace, name: metadata.name, message }],
  };
}

type Fields = Readonly<Record<string, unknown>>;

const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const isAboutServices = (rule: Fields) => listOf(rule['toServices']).length > 0;
const count = (many: number, what: string) => (many === 1 ? what : `${many} ${what}s`);
const shown = (value: unknown) => visibleText(JSON.stringify(value ?? null).slice(0, 80));

/** The first few parts: a policy may have hundreds of rules. */
function listed(parts: readonly string[]): string {
  return firstOf(parts, 5, String).join('; ');
}

/**
 * The fields of a rule that the agent follows, and those that do not affect which clients are
 * allowed.
 */
const known = new Set(['action', 'toServices', 'appliedTo', 'name', 'enableLogging', 'logLabel']);

function actionOf(rule: Fields): EgressRule['action'] {
  const unknown = Object.keys(rule).find((field) => !known.has(field) && !isEmpty(rule[field]));
  if (unknown !== undefined) throw new Error(`${shown(unknown)} cannot be used with toServices`);
  const actions = ['Allow', 'Drop', 'Reject', 'Pass'] as const;
  const action = actions.find((one) => one === rule['action']);
  if (action === undefined) throw new Error(`action ${shown(rule['action'])} is not known`);
  return action;
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/**
 * The derived Services that a rule names, and other Services. `namespace`: the Namespace of names
 * without one.
 */
function servicesOf(
  rule: Fields,
  namespace: string | undefined,
): { readonly services: ReadonlySet<string>; readonly left: readonly string[] } {
  const services = new Set<string>();
  const left: string[] = [];
  for (const one of listOf(rule['toServices'])) {
    const { name, scope } = one;
    const where = one['namespace'] ?? namespace;
    if (typeof name !== 'string' || name === '') throw new Error('a Service of toServices has no name');
    if (typeof where !== 'string' || where === '') throw new Error(`Service ${shown(name)} has no namespace`);
    if (scope !== undefined && scope !== 'ClusterSet' && scope !== 'Cluster')
      throw new Error(`scope ${shown(scope)} is not known`);
    if (scope === 'ClusterSet') services.add(`${where}/${importedPrefix}${name}`);
    else if (name.startsWith(importedPrefix)) services.add(`${where}/${name}`);
    else left.push(visibleText(`${where}/${name}`));
  }
  return { services, left };
}

/**
 * The selectors of the clients. Errors: throws for a selector that is not valid, or of a kind that
 * the agent does not know.
 */
function appliedToOf(value: unknown, namespace: string | undefined): readonly ClientSelector[] {
  return listOf(value).map((one): ClientSelector => {
    const given = Object.keys(one).filter((field) => one[field] !== undefined && one[field] !== null);
    const kinds = namespace === undefined ? ['podSelector', 'namespaceSelector', 'nodeSelector'] : ['podSelector'];
    const other = given.find((field) => !kinds.includes(field));
    if (other !== undefined) throw new Error(`appliedTo with ${shown(other)} is not followed`);
    if (given.includes('nodeSelector')) {
      if (given.length > 1) throw new Error('appliedTo has nodeSelector together with another selector');
      return { kind: 'node', nodeSelector: selectorOf(one['nodeSelector']) };
    }
    if (given.length === 0) throw new Error('appliedTo has an entry without a selector');
    return {
      kind: 'pods',
      namespace,
      podSelector: selectorOf(one['podSelector']),
      namespaceSelector: selectorOf(one['namespaceSelector']),
    };
  });
}

/** Absent: it selects everything. */
function selectorOf(value: unknown): LabelSelector {
  if (value === undefined || value === null) return [];
  if (!isRecord(value)) throw new Error('a selector of appliedTo is not an object');
  const unknown = Object.keys(value).find((field) => field !== 'matchLabels' && field !== 'matchExpressions');
  if (unknown !== undefined) throw new Error(`a selector of appliedTo has the unknown field ${shown(unknown)}`);
  try {
    return labelSelectorOf(value);
  } catch (error) {
    throw new Error(`a selector of appliedTo is not valid: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}
