import type { ResourceExport as ResourceExportObject } from '@isthmus/api';
import { Annotation, ResourceExport } from '@isthmus/api';
import { isAlreadyExists } from '@isthmus/kube';
import { equal } from '@isthmus/machinery';
import { marksItsWithdrawals, withoutNetworkAnnotations } from '@isthmus/wire';
import type { LeaderSession } from './leader-session.ts';

/** What came of writing an export. */
export type ExportWritten =
  | { readonly kind: 'written' }
  /** An object has the name already, and was rightly made for something else. */
  | { readonly kind: 'conflicting'; readonly with: ResourceExportObject }
  /** The leader lost it, with most or all of this cluster's: it is not made again for so many milliseconds. */
  | { readonly kind: 'lost'; readonly forMs: number };

const written: ExportWritten = { kind: 'written' };

export interface WriteExportOptions {
  readonly session: LeaderSession;
  /** Whether an object that has the name already was rightly made for something else. */
  readonly isConflicting: (found: ResourceExportObject) => boolean;
  /** Whether it is marked before it is deleted, and says so. Default: it is. */
  readonly marks?: boolean | undefined;
  /** Whether the leader's API server drops this part of the payload: to write it again would change nothing. */
  readonly isDropped?: ((current: ResourceExportObject, field: string) => boolean) | undefined;
}

/**
 * Creates or changes a ResourceExport in the Common Area; no request where nothing differs. Cluster IDs such as `east` and `east-1` can meet in one
 * name.
 */
export async function writeExport(
  { session, isConflicting, isDropped, marks = true }: WriteExportOptions,
  exported: ResourceExportObject,
  signal: AbortSignal,
): Promise<ExportWritten> {
  const { exports, losses } = session;
  const annotations = { ...exported.metadata.annotations, ...(marks ? marksItsWithdrawals : {}) };
  const wanted = { ...exported, metadata: { ...exported.metadata, annotations } };
  const { namespace, name } = wanted.metadata;
  losses.want(name);
  const found = exports.cache.get({ namespace, name });
  const waitMs = found === undefined ? losses.waitMs(name) : 0;
  if (waitMs > 0) return { kind: 'lost', forMs: waitMs };
  const current = found ?? (await createOrFind(session, wanted, signal));
  if (current === undefined) return written;
  if (isConflicting(current)) return { kind: 'conflicting', with: current };
  // The leader is still releasing an earlier export; its disappearance wakes the key.
  if (current.metadata.deletionTimestamp !== undefined) return written;
  const finalizers = new Set([...(current.metadata.finalizers ?? []), ...(wanted.metadata.finalizers ?? [])]);
  // A withdrawal that was begun and is not meant any more, and what is exported no longer.
  const {
    [Annotation.withdrawn]: _,
    [Annotation.exportedMetadata]: __,
    ...kept
  } = withoutNetworkAnnotations(current.metadata.annotations);
  const metadata = {
    ...current.metadata,
    labels: { ...current.metadata.labels, ...wanted.metadata.labels },
    annotations: { ...kept, ...annotations },
    finalizers: [...finalizers],
  };
  const desired = { ...current, metadata, spec: wanted.spec };
  const keptFields = Object.entries(desired.spec ?? {}).filter(([field]) => isDropped?.(current, field) !== true);
  const worthwhile = { ...desired, spec: Object.fromEntries(keptFields) };
  // Echoes are for a leader that lost everything; another one knows what they say. Not worth a write of their own.
  if (!equal(withoutEchoes(current), withoutEchoes(worthwhile))) await exports.change(current, desired, signal);
  return written;
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

function withoutEchoes(object: ResourceExportObject): ResourceExportObject {
  const {
    [Annotation.firstExported]: _,
    [Annotation.labelNumber]: __,
    ...annotations
  } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
}
