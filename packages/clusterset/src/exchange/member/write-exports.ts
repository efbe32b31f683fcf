import type { ResourceExport as ResourceExportObject } from '@isthmus/api';
import { Annotation, ResourceExport } from '@isthmus/api';
import { isAlreadyExists } from '@isthmus/kube';
import { equal } from '@isthmus/machinery';
import type { LeaderSession } from './leader-session.ts';

export interface WriteExportOptions {
  readonly session: LeaderSession;
  /** Whether an object that has the name already was rightly made for something else. */
  readonly isConflicting: (found: ResourceExportObject) => boolean;
  /** Whether the leader's API server drops this part of the payload: to write it again would change nothing. */
  readonly isDropped?: ((current: ResourceExportObject, field: string) => boolean) | undefined;
}

/**
 * Creates or changes a ResourceExport in the Common Area; no request where nothing differs. Returns the object that has the name already, where
 * that is another's: cluster IDs such as `east` and `east-1` can meet in one name.
 */
export async function writeExport(
  { session, isConflicting, isDropped }: WriteExportOptions,
  wanted: ResourceExportObject,
  signal: AbortSignal,
): Promise<ResourceExportObject | undefined> {
  const { exports } = session;
  const { namespace, name } = wanted.metadata;
  const current = exports.cache.get({ namespace, name }) ?? (await createOrFind(session, wanted, signal));
  if (current === undefined) return undefined;
  if (isConflicting(current)) return current;
  // The leader is still releasing an earlier export; its disappearance wakes the key.
  if (current.metadata.deletionTimestamp !== undefined) return undefined;
  const finalizers = new Set([...(current.metadata.finalizers ?? []), ...(wanted.metadata.finalizers ?? [])]);
  const metadata = {
    ...current.metadata,
    labels: { ...current.metadata.labels, ...wanted.metadata.labels },
    annotations: { ...current.metadata.annotations, ...wanted.metadata.annotations },
    finalizers: [...finalizers],
  };
  const desired = { ...current, metadata, spec: wanted.spec };
  const keptFields = Object.entries(desired.spec ?? {}).filter(([field]) => isDropped?.(current, field) !== true);
  const worthwhile = { ...desired, spec: Object.fromEntries(keptFields) };
  // The echo is for a leader that lost everything; while the export exists, its creation time says the same. Not worth a write of its own.
  if (!equal(withoutEcho(current), withoutEcho(worthwhile))) await exports.change(current, desired, signal);
  return undefined;
}

/** Creates `wanted`; where that name is taken by what the cache cannot show, for want of our label, returns it. */
async function createOrFind(
  { client, exports }: LeaderSession,
  wanted: ResourceExportObject,
  signal: AbortSignal,
): Promise<ResourceExportObject | undefined> {
  try {
    await exports.create(wanted, signal);
    return undefined;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return client.get(ResourceExport, wanted.metadata, { signal });
  }
}

function withoutEcho(object: ResourceExportObject): ResourceExportObject {
  const { [Annotation.firstExported]: _, ...annotations } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
}
