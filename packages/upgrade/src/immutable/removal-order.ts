import type { KubernetesObject } from '@isthmus/machinery';
import { firstNames, keyOfObject } from '@isthmus/machinery';
import type { Finding } from '../finding.ts';

/** One part of a removal; each waits until all of the one before is gone. */
export interface RemovalPhase {
  readonly phase: 'custom-resources' | 'webhooks' | 'workloads' | 'others' | 'definitions';
  /** As `Deployment kube-system/antrea-mc-controller`, bytewise; CRDs by name. */
  readonly objects: readonly string[];
  /** The condition for the next phase. */
  readonly until: string;
}

/** The objects to remove in their order, those that stay, and those whose removal would hang. */
export interface Removal {
  readonly phases: readonly RemovalPhase[];
  readonly kept: readonly { readonly object: string; readonly why: string }[];
  readonly findings: readonly Finding[];
}

/** Known facts about the cluster, and the user's options. */
export interface RemovalOptions {
  readonly cluster?: string | undefined;
  /** How many objects each CRD has, by its name. A CRD that is not named here may have some. */
  readonly objectCounts?: Readonly<Record<string, number>> | undefined;
  /** The CRDs to remove with all their objects; a person has to name each. Default: none. */
  readonly withObjects?: readonly string[] | undefined;
}

/**
 * The order in which objects are removed (docs/spec/upgrades.md §2.7). Custom resources come first,
 * while the controller still clears their finalizers. Then come webhooks, so that the API server
 * does not call a removed server; then workloads and the rest; and CRDs last. A CRD with objects,
 * or with an unknown number of objects, stays unless it is requested by name. Objects that are
 * already `Terminating` and held by finalizers are reported by name.
 */
export function removalOrder(objects: readonly KubernetesObject[], options: RemovalOptions = {}): Removal {
  const { objectCounts = {}, withObjects = [], cluster } = options;
  const definitions = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
  const keeps = (name: string) => !withObjects.includes(name) && objectCounts[name] !== 0;
  const kept = definitions
    .filter(({ metadata }) => keeps(metadata.name))
    .map(({ metadata: { name } }) => ({ object: name, why: whyKept(name, objectCounts) }))
    .toSorted((a, b) => (a.object < b.object ? -1 : 1));
  const going = objects.filter((one) => one.kind !== 'CustomResourceDefinition' || !keeps(one.metadata.name));
  const customGroups = new Set(definitions.map((one) => groupOfDefinition(one)));
  const phaseOf = (one: KubernetesObject): RemovalPhase['phase'] => {
    const kind = one.kind ?? '';
    if (kind === 'CustomResourceDefinition') return 'definitions';
    if (kind.endsWith('WebhookConfiguration') || kind === 'APIService') return 'webhooks';
    if (['Deployment', 'DaemonSet', 'StatefulSet', 'Job', 'CronJob'].includes(kind)) return 'workloads';
    return customGroups.has(apiGroup(one)) ? 'custom-resources' : 'others';
  };
  const asked = withObjects
    .filter((name) => definitions.some((one) => one.metadata.name === name) && objectCounts[name] !== 0)
    .map((name) => `every object of ${name}`);
  const phases = order.flatMap((phase): readonly RemovalPhase[] => {
    const own = going.filter((one) => phaseOf(one) === phase).map(nameOf);
    const all = [...new Set(phase === 'custom-resources' ? [...own, ...asked] : own)].toSorted();
    return all.length === 0 ? [] : [{ phase, objects: all, until: waits[phase] }];
  });
  return { phases, kept, findings: stuckFindings(objects, cluster) };
}

const order = ['custom-resources', 'webhooks', 'workloads', 'others', 'definitions'] as const;

const waits: Readonly<Record<RemovalPhase['phase'], string>> = {
  'custom-resources': 'the lists are empty: the running controller has cleared the finalizers',
  webhooks: 'webhooks are no longer called',
  workloads: 'their Pods are gone',
  others: 'they are gone',
  definitions: 'they are gone',
};

/**
 * Reports objects and CRDs that are being deleted and still have finalizers: the controller that
 * clears them may no longer exist. The finding of a CRD names the objects that hold it: the CRD is
 * removed when they are gone.
 */
export function stuckFindings(objects: readonly KubernetesObject[], cluster?: string): readonly Finding[] {
  return objects
    .flatMap((one): readonly Finding[] => {
      const {
        deletionTimestamp: since,
        finalizers,
      }: { readonly deletionTimestamp?: unknown; readonly finalizers?: unknown } = one.metadata;
      if (typeof since !== 'string' || !Array.isArray(finalizers) || finalizers.length === 0) return [];
      const names = finalizers.map(String).toSorted(bytewise).join(', ');
      const held = objects.filter((other) => isObjectOf(other, one) && finalizersOf(other).length > 0);
      const own = [...new Set(held.flatMap(finalizersOf))].toSorted(bytewise).join(', ');
      const holding = held.length === 0 ? '' : `; its objects ${listed(held.map(nameOf))} have the finalizers ${own}`;
      return [
        {
          rule: 'removal.stuck',
          severity: 'warn',
          subject: { cluster, object: nameOf(one) },
          why: `${nameOf(one)} is being deleted since ${since} and waits for ${names}${holding}`,
          unblock:
            'keep the controller that owns the finalizer running until it is cleared; if that controller no longer exists, remove the finalizer by hand',
          source: 'kubernetes#60538',
        },
      ];
    })
    .toSorted((a, b) => bytewise(a.subject.object ?? '', b.subject.object ?? ''));
}

function isObjectOf(object: KubernetesObject, definition: KubernetesObject): boolean {
  const { names } = ((definition as { readonly spec?: unknown }).spec ?? {}) as {
    readonly names?: { readonly kind?: unknown } | undefined;
  };
  const isDefinition = definition.kind === 'CustomResourceDefinition';
  return isDefinition && apiGroup(object) === groupOfDefinition(definition) && object.kind === names?.kind;
}

function finalizersOf({ metadata }: KubernetesObject): readonly string[] {
  const { finalizers } = metadata as { readonly finalizers?: unknown };
  return Array.isArray(finalizers) ? finalizers.map(String) : [];
}

function listed(names: readonly string[]): string {
  return firstNames(names.toSorted(bytewise), 5);
}

function bytewise(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * How an object is named in plans: `Deployment kube-system/antrea-mc-controller`; a CRD by its
 * name.
 */
export function nameOf(object: KubernetesObject): string {
  return object.kind === 'CustomResourceDefinition'
    ? object.metadata.name
    : `${object.kind ?? 'object'} ${keyOfObject(object)}`;
}

function whyKept(name: string, counts: Readonly<Record<string, number>>): string {
  const count = counts[name];
  const what =
    count === undefined ? 'it is not known whether it has objects' : `it has ${count} object${count === 1 ? '' : 's'}`;
  return `${what}; a CRD is removed with its objects only if it is named explicitly`;
}

function groupOfDefinition(object: KubernetesObject): string {
  return object.metadata.name.slice(object.metadata.name.indexOf('.') + 1);
}

function apiGroup({ apiVersion = '' }: KubernetesObject): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}
