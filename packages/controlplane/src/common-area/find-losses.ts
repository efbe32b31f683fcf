import type { ResourceExport, ResourceImport } from '@isthmus/api';
import { Annotation, marked } from '@isthmus/api';
import type { Outcome } from '@isthmus/kube';
import { again, isReduced } from '@isthmus/kube';
import { isLive } from '@isthmus/machinery';
import { carriesOurLabel, isClaimed, isWithdrawn, marksWithdrawals } from '@isthmus/wire';
import type { ExportGroup, TracedImports } from '@isthmus/wire';

type Group = Pick<ExportGroup, 'exports' | 'imports'>;

/** The part of one cluster that an import publishes, and which of its exports are gone. */
export interface ImportLoss {
  readonly object: ResourceImport;
  readonly clusterID: string;
  /**
   * Stand-ins for exports over the limits: their publications stay, although the exports were not
   * lost.
   */
  readonly ignored: readonly ResourceExport[];
  /** Stand-ins for exports that are gone. */
  readonly lost: readonly ResourceExport[];
}

export interface GroupLosses {
  readonly traced: readonly ImportLoss[];
  /** Whether any export of the same object is left. */
  readonly isExported: (object: ResourceImport) => boolean;
  /** The import that all exporters share. */
  readonly shared: ResourceImport | undefined;
  /**
   * No part of any exporter of {@link GroupLosses.shared} is left, so its exporters are not known.
   */
  readonly isOrphan: boolean;
}

export interface LostLook {
  /**
   * Stand-ins for lost exports that are held. A decision with them leaves their publications
   * unchanged.
   */
  readonly substitutes: readonly ResourceExport[];
  /** Whether this import stays although no member exports it. */
  readonly keeps: (object: ResourceImport) => boolean;
  /**
   * Too little is published of the held exports to decide them together with the existing exports.
   * The result would look like a withdrawal of the others. Nothing is decided until the held
   * exports are restored or given up.
   */
  readonly waits: boolean;
  /** When to look again; undefined: no export is held. */
  readonly outcome: Outcome | undefined;
}

export const nothingLost: LostLook = { substitutes: [], keeps: () => false, waits: false, outcome: undefined };

/** Compares the publications under one key with the existing exports. */
export function findLosses(
  { exports, imports }: Group,
  traced: TracedImports,
  isRefused: (clusterID: string) => boolean = () => false,
): GroupLosses {
  const isSeen = traced.isSeen ?? (() => true);
  const identitiesOf = (objects: readonly ResourceExport[]) =>
    new Set(objects.map((object) => identityOf(object, traced)));
  const usable = exports.filter((one) => isLive(one) && !isReduced(one) && isSeen(one));
  const live = identitiesOf(usable);
  const exported = new Set(usable.map((one) => traced.objectOf?.(one)));
  const reduced = identitiesOf(exports.filter((one) => isLive(one) && isReduced(one)));
  const losses = imports.flatMap((object): readonly ImportLoss[] => {
    const clusterID = sourceOf(object, traced);
    if (clusterID === undefined) return [];
    const gone = traced.substitutes(object, imports).filter((one) => !live.has(identityOf(one, traced)));
    const isIgnored = (one: ResourceExport) => reduced.has(identityOf(one, traced)) && !isRefused(clusterID);
    const lost = gone.filter((one) => !isIgnored(one));
    return [{ object, clusterID, ignored: gone.filter(isIgnored), lost }];
  });
  const shared = imports.find((object) => isOurs(object) && sourceOf(object, traced) === undefined);
  const isUnclaimed = exports.every((one) => !(isLive(one) && isSeen(one)) && !isWithdrawn(one));
  const isAlone = shared !== undefined && !isWithdrawn(shared) && losses.every(({ lost }) => lost.length === 0);
  const isExported = (object: ResourceImport) => exported.has(traced.objectOf?.(object));
  return { traced: losses, isExported, shared, isOrphan: isAlone && isUnclaimed };
}

/** The consequence for one key if each of these losses, and the orphan, is held for that long. */
export function lostLook(
  { traced: losses, isExported }: GroupLosses,
  held: { readonly forMs: ReadonlyMap<ImportLoss, number>; readonly orphanMs: number | undefined },
  { imports }: Group,
  traced: TracedImports,
): LostLook {
  const substitutes = new Map<string, ResourceExport>();
  const kept = new Set<string>();
  const keptObjects = new Set<string | undefined>();
  for (const loss of losses) {
    const stay = [...loss.ignored, ...(held.forMs.has(loss) ? loss.lost : [])];
    // While the form of the publication changes, two imports have the endpoints of one cluster.
    for (const one of stay)
      if (!substitutes.has(identityOf(one, traced))) substitutes.set(identityOf(one, traced), one);
    if (stay.length === 0) continue;
    kept.add(loss.object.metadata.name);
    keptObjects.add(traced.objectOf?.(loss.object));
  }
  const isWhole = traced.isWhole ?? (() => true);
  const nextMs = Math.min(...held.forMs.values(), held.orphanMs ?? Number.POSITIVE_INFINITY);
  return {
    substitutes: [...substitutes.values()],
    waits: [...held.forMs.keys()].some(({ object }) => isExported(object) && !isWhole(object, imports)),
    keeps: (object) =>
      held.orphanMs !== undefined ||
      kept.has(object.metadata.name) ||
      (keptObjects.has(traced.objectOf?.(object)) &&
        !isExported(object) &&
        sourceOf(object, traced) === undefined &&
        !isWithdrawn(object)),
    outcome: nextMs === Number.POSITIVE_INFINITY ? undefined : again(nextMs, 'it has lost its exports'),
  };
}

/**
 * The only cluster whose exports this import of ours publishes. Undefined for other imports, and
 * for one that is being withdrawn.
 */
export function sourceOf(object: ResourceImport, traced: TracedImports): string | undefined {
  return isOurs(object) && !isWithdrawn(object) ? traced.sourceOf(object) : undefined;
}

/**
 * Whether the exporter marks its withdrawals, by its announcement. If there is no announcement, the
 * published import decides. An import without the mark of our leaders has lost the mark of its
 * exporter too.
 */
export function exporterMarks(clusterID: string, object: ResourceImport, announced: boolean | undefined): boolean {
  if (clusterID === '') return true;
  const isMarked = object.metadata.annotations?.[Annotation.sourceWithdrawals] === marked;
  return announced ?? (isMarked || !marksWithdrawals(object));
}

/**
 * Whether our leader wrote it, by the label. If a user removed the label, the mark or the slices
 * prove it: no other leader writes them.
 */
function isOurs(object: ResourceImport): boolean {
  if (carriesOurLabel(object)) return true;
  return !isClaimed(object) && (marksWithdrawals(object) || object.spec?.endpointSlices !== undefined);
}

export function identityOf(object: ResourceExport, traced: TracedImports): string {
  return traced.identityOf?.(object) ?? object.metadata.name;
}
