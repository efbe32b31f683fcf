import type { Resource } from '@isthmus/kube';
import { controllerOf, equal } from '@isthmus/machinery';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import type { ControllerRevision, PodTemplate } from '../kinds.ts';
import { Index } from '../shared-caches.ts';
import { referenceTo } from './claim.ts';
import { templateHash } from './template.ts';

const historyLimit = 10;

export interface RevisionOptions {
  readonly type: ResourceType;
  readonly object: KubernetesObject;
  readonly template: PodTemplate;
  /** The label that holds the hash on ControllerRevisions of this kind. */
  readonly hashLabel: string;
  readonly limit?: number | undefined;
  /** Names of revisions that Pods still have. */
  readonly inUse: ReadonlySet<string>;
}

/** The hash of a ControllerRevision, the part of its name after that of the workload. */
export function hashOf(revision: ControllerRevision, workload: KubernetesObject): string {
  return revision.metadata.name.slice(workload.metadata.name.length + 1);
}

/**
 * The ControllerRevision of the current template, created if it does not exist. A revision that a
 * rollback has restored becomes the newest. Revisions beyond the history limit are deleted, unless
 * a Pod has them.
 */
export async function currentRevision(
  revisions: Resource<ControllerRevision>,
  options: RevisionOptions,
  signal: AbortSignal,
): Promise<ControllerRevision> {
  const { type, object, template, hashLabel, limit = historyLimit, inUse } = options;
  const { uid = '', name, namespace, annotations } = object.metadata;
  const data = { spec: { template: { ...template, $patch: 'replace' } } };
  const all = revisions.cache
    .byIndex(Index.controller, uid)
    .filter((revision) => controllerOf(revision)?.kind === type.kind)
    .toSorted((a, b) => a.revision - b.revision);
  const newest = all.at(-1)?.revision ?? 0;
  const known = all.find((revision) => equal(revision.data, data));
  if (known !== undefined) {
    if (known.revision === newest) return known;
    return revisions.change(known, { ...known, revision: newest + 1 }, signal);
  }
  let hash = templateHash(template);
  for (let salt = 1; all.some(({ metadata }) => metadata.name === `${name}-${hash}`); salt++)
    hash = templateHash(template, salt);
  const made = await revisions.create(
    {
      metadata: {
        name: `${name}-${hash}`,
        namespace,
        labels: { ...template.metadata?.labels, [hashLabel]: hash },
        ...(annotations !== undefined && { annotations }),
        ownerReferences: referenceTo({ type, object }),
      },
      data,
      revision: newest + 1,
    },
    signal,
  );
  const spare = all.filter(({ metadata }) => !inUse.has(metadata.name));
  for (const old of spare.slice(0, Math.max(0, spare.length - limit))) await revisions.delete(old, signal);
  return made;
}
