import { apiVersionOf } from '@isthmus/machinery';
import type { CustomResourceDefinition } from '@isthmus/schema';
import type { KubernetesObject } from '@isthmus/machinery';
import type { Finding } from '../../finding.ts';
import type { Minor } from '../../version/version.ts';
import { compareMinors } from '../kubernetes-window.ts';
import { orderedFindings } from '../../finding-order.ts';
import type { RemovedApi } from '../change-rules.ts';
import type { Policy } from '../policy.ts';
import { namesText } from '../../fleet/where-text.ts';

/** Objects that are asked about, and where they are from: a cluster, or files. */
export interface UsedObjects {
  readonly objects: readonly KubernetesObject[];
  /** The definitions that are served where the objects live. */
  readonly definitions: readonly CustomResourceDefinition[];
  /**
   * Those that are served there now: versions of theirs that `definitions` no longer serve are
   * gone. Default: nothing is known of before.
   */
  readonly before?: readonly CustomResourceDefinition[] | undefined;
  readonly cluster?: string | undefined;
  /**
   * The oldest minor of its API servers, or the one to go to; absent: built-in kinds are not
   * judged.
   */
  readonly kubernetes?: Minor | undefined;
}

/**
 * D6: the users of versions that are deprecated or removed (docs/spec/upgrades.md §2.4). An object
 * uses the version that it is written in, and those in which its managers last wrote it. The result
 * has one finding for each kind and version, with the number of objects and the managers, and one
 * for each deprecated version that a CRD may store objects in. Built-in kinds are judged by the
 * table of removed versions.
 */
export function deprecatedUse(used: UsedObjects, policies: readonly Policy[]): readonly Finding[] {
  const uses = usesOf(used.objects);
  return orderedFindings([
    ...used.definitions.flatMap((definition) => [...storedIn(definition, used), ...usedOf(definition, uses, used)]),
    ...(used.before ?? []).flatMap((definition) => goneOf(definition, uses, used)),
    ...builtins(uses, used, policies),
  ]);
}

interface Use {
  readonly objects: Set<string>;
  readonly managers: Set<string>;
}

/** By `apiVersion kind`. */
function usesOf(objects: readonly KubernetesObject[]): ReadonlyMap<string, Use> {
  const uses = new Map<string, Use>();
  for (const object of objects) {
    const { apiVersion = '', kind = '', metadata } = object;
    const name = metadata.namespace === undefined ? (metadata.name ?? '') : `${metadata.namespace}/${metadata.name}`;
    const note = (version: string, manager?: string) => {
      const key = `${version} ${kind}`;
      const use = uses.get(key) ?? { objects: new Set(), managers: new Set() };
      use.objects.add(name);
      if (manager !== undefined) use.managers.add(manager);
      uses.set(key, use);
    };
    note(apiVersion);
    // Objects from a file may have any shape.
    const { managedFields } = metadata as { readonly managedFields?: unknown };
    const entries: readonly unknown[] = Array.isArray(managedFields) ? managedFields : [];
    for (const entry of entries) {
      const { manager, apiVersion: written } = (entry ?? {}) as {
        readonly manager?: unknown;
        readonly apiVersion?: unknown;
      };
      if (typeof written === 'string') note(written, typeof manager === 'string' ? manager : '(unnamed)');
    }
  }
  return uses;
}

function usedOf(
  { metadata, spec }: CustomResourceDefinition,
  uses: ReadonlyMap<string, Use>,
  { cluster }: UsedObjects,
): readonly Finding[] {
  return spec.versions.flatMap(({ name, deprecated, deprecationWarning }) => {
    const use = uses.get(`${spec.group}/${name} ${spec.names.kind}`);
    if (deprecated !== true || use === undefined) return [];
    const hint = deprecationWarning === undefined || deprecationWarning === '' ? '' : `: ${deprecationWarning}`;
    return [
      {
        rule: 'D6',
        severity: 'warn' as const,
        subject: { cluster, object: metadata.name, path: name },
        why: `${useText(use)} ${name} of ${spec.names.kind}, which is deprecated${hint}`,
        unblock: 'write them in a version that is not deprecated: in files, in Git, and with the named clients',
        source: 'docs/spec/upgrades.md §2.4, D6',
      },
    ];
  });
}

/** Users of versions that the CRD to come no longer serves. */
function goneOf(
  { metadata, spec }: CustomResourceDefinition,
  uses: ReadonlyMap<string, Use>,
  { definitions, cluster }: UsedObjects,
): readonly Finding[] {
  const next = definitions.find((one) => one.metadata.name === metadata.name);
  if (next === undefined) return [];
  const served = new Set(next.spec.versions.filter((one) => one.served).map(({ name }) => name));
  return spec.versions.flatMap(({ name, served: was }): readonly Finding[] => {
    const use = uses.get(`${spec.group}/${name} ${spec.names.kind}`);
    if (!was || served.has(name) || use === undefined) return [];
    return [
      {
        rule: 'D6',
        severity: 'block',
        subject: { cluster, object: metadata.name, path: name },
        why: `${useText(use)} ${name} of ${spec.names.kind}, which the new CRD does not serve`,
        unblock: `write them in ${[...served].toSorted().join(' or ')} first: in files, in Git, and with the named clients`,
        source: 'docs/spec/upgrades.md §2.4, D6',
      },
    ];
  });
}

function storedIn({ metadata, spec, status }: CustomResourceDefinition, { cluster }: UsedObjects): readonly Finding[] {
  const deprecated = new Set(spec.versions.filter((one) => one.deprecated === true).map(({ name }) => name));
  return (status?.storedVersions ?? [])
    .filter((version) => deprecated.has(version))
    .map((version) => ({
      rule: 'D6',
      severity: 'warn' as const,
      subject: { cluster, object: metadata.name, path: 'status.storedVersions' },
      why: `objects of ${metadata.name} may still be stored in ${version}, which is deprecated`,
      unblock: 'rewrite the objects and remove the version from status.storedVersions before it is removed',
      source: 'docs/spec/upgrades.md §2.4, D6',
    }));
}

function builtins(
  uses: ReadonlyMap<string, Use>,
  { cluster, kubernetes }: UsedObjects,
  policies: readonly Policy[],
): readonly Finding[] {
  if (kubernetes === undefined) return [];
  const removed = policies.flatMap(({ spec }) => spec.removedApis);
  return removed.flatMap(
    ({ group, version, kind, deprecatedIn, removedIn, replacement, source }): readonly Finding[] => {
      const apiVersion = apiVersionOf({ group, version });
      const use = uses.get(`${apiVersion} ${kind}`);
      if (use === undefined) return [];
      const isGone = compareMinors(removedIn, kubernetes) <= 0;
      if (!isGone && (deprecatedIn === undefined || compareMinors(deprecatedIn, kubernetes) > 0)) return [];
      return [
        {
          rule: 'D6',
          severity: isGone ? 'block' : 'warn',
          subject: { cluster, object: `${kind} ${apiVersion}` },
          why: `${useText(use)} ${apiVersion} of ${kind}, which Kubernetes ${isGone ? `${kubernetes} does not serve: it was removed in ${removedIn}` : `stops serving in ${removedIn}`}`,
          unblock: insteadText(servedInstead(replacement, kind, { removed, kubernetes }), kind),
          ...(source === undefined ? {} : { source }),
        },
      ];
    },
  );
}

function insteadText(apiVersion: string | undefined, kind: string): string {
  return apiVersion === undefined ? `stop using ${kind}` : `write them in ${apiVersion}`;
}

/**
 * The replacement of a version; if that is removed by then as well, the replacement of the
 * replacement.
 */
function servedInstead(
  replacement: string | undefined,
  kind: string,
  { removed, kubernetes }: { readonly removed: readonly RemovedApi[]; readonly kubernetes: string },
): string | undefined {
  let found = replacement;
  for (let steps = 0; steps <= removed.length; steps++) {
    const gone = removed.find(
      (one) => apiVersionOf(one) === found && one.kind === kind && compareMinors(one.removedIn, kubernetes) <= 0,
    );
    if (gone === undefined) return found;
    found = gone.replacement;
  }
  return found;
}

function useText({ objects, managers }: Use): string {
  const [count, verb] = [objects.size, objects.size === 1 ? 'uses' : 'use'];
  const by = managers.size === 0 ? '' : `; written by ${namesText(managers)}`;
  return `${count} ${count === 1 ? 'object' : 'objects'} (${namesText(objects)}${by}) ${verb}`;
}
