import type { KubernetesObject, LabelSelectorObject } from '@isthmus/machinery';
import { canonicalJson, errorMessage, labelSelectorOf, matchesLabels, refOfObject } from '@isthmus/machinery';
import type { ImmutableAction, ImmutableFinding, ImmutableRule } from './immutable-rule.ts';
import { immutableRules } from './immutable-rules.ts';

/** Known facts about an object beside itself. */
export interface ImmutableOptions {
  /**
   * Whether its Pods answer webhooks or conversions, see `servesWebhooks`. Those that do are
   * deleted first whatever was asked for: an old Pod behind the same Service would go on answering.
   */
  readonly servesWebhooks?: boolean | undefined;
  /**
   * Leave the Pods of pure controllers alone until the new ones are ready. Default: delete all,
   * then create.
   */
  readonly orphan?: boolean | undefined;
}

/**
 * The fields of a live object that the API server does not let a manifest change
 * (docs/spec/upgrades.md §2.6), and what to do instead. Undefined if there are no such fields.
 * Values that a server fills in do not count as changes: fields that the manifest does not have,
 * the order of sets, an assigned clusterIP. Both must be the same object. Fields that only
 * admission makes immutable appear only in a dry run.
 */
export function immutableFindings(
  live: KubernetesObject,
  target: KubernetesObject,
  { servesWebhooks = false, orphan = false }: ImmutableOptions = {},
): ImmutableFinding | undefined {
  const [group, kind] = [groupOf(target), target.kind ?? ''];
  const applying = immutableRules.filter((rule) => rule.group === group && rule.kind === kind);
  const struck = applying.flatMap((rule) => changedFields(rule, live, target).map((field) => ({ rule, field })));
  const [worst] = struck.toSorted((a, b) => severityOf(b.rule.action) - severityOf(a.rule.action));
  const apart = selectorApart(target);
  if (worst === undefined && apart === undefined) return undefined;
  const changes = [...new Set(struck.map(({ field }) => field))].toSorted().map((field) => {
    if (kind === 'Secret') return { field };
    return { field, live: textAt(live, field), target: textAt(target, field) };
  });
  const mayOrphan = orphan && !servesWebhooks && group === 'apps' && kind === 'Deployment';
  const action =
    apart !== undefined
      ? 'block'
      : worst?.rule.action === 'block' || !mayOrphan
        ? worst?.rule.action
        : 'recreate-orphan';
  return {
    apiVersion: target.apiVersion ?? '',
    kind,
    ref: refOfObject(target),
    changes,
    action: action ?? 'block',
    why: apart ?? `${changes.map(({ field }) => field).join(', ')}: field is immutable; ${worst?.rule.why ?? ''}`,
  };
}

/**
 * Whether a manifest's webhooks or conversions are answered by the Pods of an object of it: a
 * Service between them selects its template.
 */
export function servesWebhooks(object: KubernetesObject, manifest: readonly KubernetesObject[]): boolean {
  const labels = read(object, 'spec.template.metadata.labels') as Readonly<Record<string, string>> | undefined;
  const named = new Set(manifest.flatMap(servicesOfWebhooks));
  return manifest.some((one) => {
    if (one.kind !== 'Service' || !named.has(`${one.metadata.namespace ?? ''}/${one.metadata.name}`)) return false;
    const wanted = Object.entries((read(one, 'spec.selector') ?? {}) as Readonly<Record<string, string>>);
    const isSameNamespace = one.metadata.namespace === object.metadata.namespace;
    return isSameNamespace && wanted.length > 0 && wanted.every(([key, value]) => labels?.[key] === value);
  });
}

function servicesOfWebhooks(object: KubernetesObject): readonly string[] {
  const configs =
    object.kind === 'CustomResourceDefinition'
      ? [read(object, 'spec.conversion.webhook.clientConfig.service')]
      : object.kind === 'APIService'
        ? [read(object, 'spec.service')]
        : listOf(read(object, 'webhooks')).map((one) => read(one, 'clientConfig.service'));
  return configs.flatMap((service) => {
    const { namespace, name } = (isObject(service) ? service : {}) as {
      readonly namespace?: string;
      readonly name?: string;
    };
    return name === undefined ? [] : [`${namespace ?? ''}/${name}`];
  });
}

function changedFields(rule: ImmutableRule, live: object, target: object): readonly string[] {
  if (rule.when === 'is-marked-immutable' && read(live, 'immutable') !== true) return [];
  const fields =
    rule.allBelow === undefined
      ? rule.fields
      : Object.keys((read(target, rule.allBelow) as object | undefined) ?? {})
          .map((name) => `${rule.allBelow}.${name}`)
          .filter((field) => !rule.fields.includes(field));
  return fields.filter((field) => {
    const [before, after] = [read(live, field), read(target, field)];
    if (rule.when === 'shrinks') return isCut(before, after);
    if (after === undefined || after === '' || (Array.isArray(after) && after.length === 0)) {
      // A manifest that leaves a field out leaves it as it is; one that is sealed would lose it.
      return (
        rule.when === 'is-marked-immutable' &&
        field !== 'stringData' &&
        before !== undefined &&
        after === undefined &&
        !isEmpty(before)
      );
    }
    if (rule.when === 'does-not-only-grow' && field === 'spec.resources') return !onlyGrows(before, after);
    return !isWithin(normal(field, after), normal(field, before));
  });
}

/**
 * Families are added and the last ones are removed; the first stays. Only a change of the first is
 * rejected.
 */
function isCut(before: unknown, after: unknown): boolean {
  if (!Array.isArray(before) || !Array.isArray(after) || after.length === 0) return false;
  return before[0] !== after[0] || after.length < before.length;
}

/**
 * Whether the live value already contains everything in the manifest: an object may have more
 * fields, but a list must have exactly the same items.
 */
function isWithin(wanted: unknown, have: unknown): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(have) && wanted.length === have.length && wanted.every((one, at) => isWithin(one, have[at]));
  }
  if (typeof wanted !== 'object' || wanted === null) return wanted === have;
  if (typeof have !== 'object' || have === null) return false;
  return Object.entries(wanted).every(([key, value]) => isWithin(value, (have as Record<string, unknown>)[key]));
}

/**
 * Values with the same meaning get the same form: requirements and their values in one order;
 * labels of a selector and of parameters as one value.
 */
function normal(field: string, value: unknown): unknown {
  if (field === 'spec.selector' && isObject(value)) {
    const { matchLabels, matchExpressions } = value as LabelSelectorObject;
    const expressions = listOf(matchExpressions).map((one) => {
      const values = read(one, 'values');
      return canonicalJson({ ...one, values: Array.isArray(values) ? values.map(String).toSorted() : [] });
    });
    return [canonicalJson(matchLabels ?? {}), ...expressions.toSorted()];
  }
  const wholes = ['parameters', 'data', 'binaryData', 'roleRef'];
  if (wholes.includes(field) && isObject(value)) {
    const { apiGroup = 'rbac.authorization.k8s.io', ...rest } = value as { readonly apiGroup?: string };
    return canonicalJson(field === 'roleRef' ? { apiGroup, ...rest } : value);
  }
  if (field === 'spec.accessModes' && Array.isArray(value)) return [...(value as readonly string[])].toSorted();
  return value;
}

function onlyGrows(before: unknown, after: unknown): boolean {
  const [was, wanted] = [read(before as object, 'requests.storage'), read(after as object, 'requests.storage')];
  if (wanted === undefined || was === wanted) return true;
  const [bytes, more] = [bytesOf(was), bytesOf(wanted)];
  return bytes !== undefined && more !== undefined && more >= bytes;
}

const units: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

function bytesOf(quantity: unknown): number | undefined {
  const text = String(quantity);
  // `1e9` is a number; `1E` is a unit.
  if (/^\d+(?:\.\d+)?[eE]\d+$/.test(text)) return Number(text);
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text) ?? [];
  const factor = Object.hasOwn(units, unit) ? units[unit] : undefined;
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
}

/** A selector that does not select its own template is refused whatever is live. */
function selectorApart(target: KubernetesObject): string | undefined {
  const isWorkload = groupOf(target) === 'apps';
  const selector = read(target, 'spec.selector');
  if (!isWorkload || !isObject(selector)) return undefined;
  const labels = read(target, 'spec.template.metadata.labels') as Record<string, string> | undefined;
  let matches: boolean;
  try {
    matches = matchesLabels(labelSelectorOf(selector), labels);
  } catch (error) {
    return `spec.selector of the manifest cannot be read: ${errorMessage(error)}`;
  }
  return matches ? undefined : 'spec.template.metadata.labels of the manifest do not match its spec.selector';
}

function severityOf(action: ImmutableAction): number {
  return action === 'block' ? 1 : 0;
}

function textAt(object: object, field: string): string | undefined {
  const value = read(object, field);
  return value === undefined ? undefined : canonicalJson(value);
}

function read(object: object | undefined, path: string): unknown {
  let value: unknown = object;
  for (const name of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly object[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function groupOf({ apiVersion = '' }: KubernetesObject): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
