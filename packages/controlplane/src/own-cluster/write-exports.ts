import type { ResourceExport as ResourceExportObject } from '@isthmus/api';
import { Annotation, ResourceExport } from '@isthmus/api';
import { isAlreadyExists } from '@isthmus/kube';
import { equal } from '@isthmus/machinery';
import { marksItsWithdrawals, withoutNetworkAnnotations } from '@isthmus/wire';
import type { LeaderSession } from './leader-session.ts';

/** The result of writing an export. */
export type ExportWritten =
  | { readonly kind: 'written' }
  /** An object already has the name, and was correctly made for another object. */
  | { readonly kind: 'conflicting'; readonly with: ResourceExportObject }
  /**
   * The leader lost it, with most or all exports of this cluster. It is created again only after
   * this many milliseconds.
   */
  | { readonly kind: 'lost'; readonly forMs: number };

const written: ExportWritten = { kind: 'written' };

export interface WriteExportOptions {
  readonly session: LeaderSession;
  /** Whether an object that already has the name was correctly made for another object. */
  readonly isConflicting: (found: ResourceExportObject) => boolean;
  /** Whether it is marked before it is deleted, and states that. Default: true. */
  readonly marks?: boolean | undefined;
  /**
   * Whether the leader's API server drops this part of the payload: another write would change
   * nothing.
   */
  readonly isDropped?: ((current: ResourceExportObject, field: string) => boolean) | undefined;
}

/**
 * Creates or changes a ResourceExport in the Common Area. Sends no request if nothing differs.
 * Cluster IDs such as `east` and `east-1` can lead to the same name.
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
  // The mark of a withdrawal that is no longer meant, and fields that are no longer exported.
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
  // Echoes are for a leader that lost everything. Another leader knows their content, so they are
  // not worth a separate write.
  if (!equal(withoutEchoes(current), withoutEchoes(worthwhile))) await exports.change(current, desired, signal);
  return written;
}

/**
 * Creates `wanted`. If an object without our label, which the cache cannot show, has that name,
 * returns that object.
 */
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
