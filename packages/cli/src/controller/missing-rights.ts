import type { Access, Client } from '@isthmus/kube';
import { askReview } from '@isthmus/kube';
import { isRecord, resourceNameOf } from '@isthmus/machinery';

/** One of `resourceRules` of a SelfSubjectRulesReview. */
export interface GrantedRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** The permissions of an account in the Namespace of the controller, and everywhere. */
export interface GrantedRights {
  readonly own: readonly GrantedRule[];
  readonly everywhere: readonly GrantedRule[];
}

/**
 * The permissions that a controller declares for the API server of its cluster and lacks:
 * `create, patch events in the Namespace mc`. A permission by name counts as granted if it is
 * granted for any name. Pure.
 */
export function missingRights(access: readonly Access[], namespace: string, granted: GrantedRights): readonly string[] {
  const missing = new Map<string, Set<string>>();
  for (const { at, type, subresource, scope, verbs, resourceNames, byName = false } of access) {
    if (at !== 'local') continue;
    const resource = subresource === undefined ? type.plural : `${type.plural}/${subresource}`;
    const rules = scope === 'own' ? granted.own : granted.everywhere;
    const isGranted = (verb: string) =>
      (resourceNames ?? [undefined]).every((name) =>
        rules.some((rule) =>
          allows(byName ? { ...rule, resourceNames: [] } : rule, { verb, group: type.group, resource, name }),
        ),
      );
    const denied = verbs.filter((verb) => !isGranted(verb));
    if (denied.length === 0) continue;
    const named = resourceNames === undefined ? '' : ` named ${resourceNames.join(', ')}`;
    const place = scope === 'own' && type.namespaced ? ` in the Namespace ${namespace}` : '';
    const what = `${resourceNameOf({ group: type.group, plural: resource })}${named}${place}`;
    missing.set(what, new Set([...(missing.get(what) ?? []), ...denied]));
  }
  return [...missing].map(([what, verbs]) => `${[...verbs].join(', ')} ${what}`);
}

interface Asked {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly name: string | undefined;
}

/** As the RBAC authorizer decides. */
function allows({ verbs, apiGroups, resources, resourceNames }: GrantedRule, asked: Asked): boolean {
  const has = (list: readonly string[], value: string) => list.includes('*') || list.includes(value);
  const subresource = asked.resource.split('/')[1];
  return (
    has(verbs, asked.verb) &&
    has(apiGroups, asked.group) &&
    (has(resources, asked.resource) || (subresource !== undefined && resources.includes(`*/${subresource}`))) &&
    (resourceNames.length === 0 || (asked.name !== undefined && resourceNames.includes(asked.name)))
  );
}

/** A name that no Namespace has: permissions for it are granted in all Namespaces. */
const noNamespace = '-';

/**
 * Asks the API server for the permissions of this account. Undefined if it does not answer, or does
 * not know all: an authorizer beside RBAC may allow more. Errors: the signal's reason.
 */
export async function grantedRights(
  client: Client,
  namespace: string,
  signal: AbortSignal,
): Promise<GrantedRights | undefined> {
  const own = await rulesIn(client, namespace, signal);
  const everywhere = await rulesIn(client, noNamespace, signal);
  return own === undefined || everywhere === undefined ? undefined : { own, everywhere };
}

async function rulesIn(
  client: Client,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly GrantedRule[] | undefined> {
  try {
    const status = await askReview(client, 'SelfSubjectRulesReview', { namespace }, { signal });
    const rules = status['resourceRules'];
    if (status['incomplete'] === true || !Array.isArray(rules)) return undefined;
    return rules.filter(isRecord).map((rule) => ({
      verbs: textsOf(rule['verbs']),
      apiGroups: textsOf(rule['apiGroups']),
      resources: textsOf(rule['resources']),
      resourceNames: textsOf(rule['resourceNames']),
    }));
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
