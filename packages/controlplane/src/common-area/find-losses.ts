import type { ResourceExport, ResourceImport } from '@isthmus/api';
import { Annotation, marked } from '@isthmus/api';
import type { Outcome } from '@isthmus/kube';
import { again, isReduced } from '@isthmus/kube';
import { carriesOurLabel, isClaimed, isLive, isWithdrawn, marksWithdrawals } from '@isthmus/wire';
import type { ExportGroup, TracedImports } from '@isthmus/wire';

type Group = Pick<ExportGroup, 'exports' | 'imports'>;

/** What one import publishes of one cluster, and which exports of that are gone. */
export interface ImportLoss {
  readonly object: ResourceImport;
  readonly clusterID: string;
  /**
   * Stand-ins for exports that are over the limits: they stay as published, although none was lost.
   */
  readonly ignored: readonly ResourceExport[];
  /** Stand-ins for exports that are gone. */
  readonly lost: readonly ResourceExport[];
}

export interface GroupLosses {
  readonly traced: readonly ImportLoss[];
  /** Whether any export is left. */
  readonly isExported: boolean;
  /** What all exporters share. */
  readonly shared: ResourceImport | undefined;
  /**
   * Nothing is left of any exporter of {@link GroupLosses.shared}: it is not known who exported it.
   */
  readonly isOrphan: boolean;
}

export interface LostLook {
  /**
   * Stand-ins for lost exports that are held: what is decided with them stays as it is published.
   */
  readonly standIns: readonly ResourceExport[];
  /** Whether this import is to stay although no member exports it. */
  readonly keeps: (object: ResourceImport) => boolean;
  /**
   * Too little is published of what is held to decide it with the exports that are left: the result
   * would look like a withdrawal of the others. Nothing is decided until it is restored, or given
   * up.
   */
  readonly waits: boolean;
  /** When to look again; undefined: nothing is held. */
  readonly outcome: Outcome | undefined;
}

export const nothingLost: LostLook = { standIns: [], keeps: () => false, waits: false, outcome: undefined };

/** Compares what is published under one key with the exports that are there. */
export function findLosses({ exports, imports }: Group, traced: TracedImports): GroupLosses {
  const isSeen = traced.isSeen ?? (() => true);
  const live = namesOf(exports.filter((one) => isLive(one) && !isReduced(one) && isSeen(one)));
  const reduced = namesOf(exports.filter((one) => isLive(one) && isReduced(one)));
  const losses = imports.flatMap((object): readonly ImportLoss[] => {
    const clusterID = sourceOf(object, traced);
    if (clusterID === undefined) return [];
    const gone = traced.standIns(object, imports).filter(({ metadata }) => !live.has(metadata.name));
    const isIgnored = ({ metadata }: ResourceExport) => reduced.has(metadata.name);
    const lost = gone.filter((one) => !isIgnored(one));
    return [{ object, clusterID, ignored: gone.filter(isIgnored), lost }];
  });
  const shared = imports.find((object) => isOurs(object) && sourceOf(object, traced) === undefined);
  const isUnclaimed = exports.every((one) => !(isLive(one) && isSeen(one)) && !isWithdrawn(one));
  const isAlone = shared !== undefined && !isWithdrawn(shared) && losses.every(({ lost }) => lost.length === 0);
  return { traced: losses, isExported: live.size > 0, shared, isOrphan: isAlone && isUnclaimed };
}

/** What follows for one key, if each of these losses, and the orphan, is held for so long. */
export function lostLook(
  { traced: losses, isExported }: GroupLosses,
  held: { readonly forMs: ReadonlyMap<ImportLoss, number>; readonly orphanMs: number | undefined },
  { imports }: Group,
  traced: TracedImports,
): LostLook {
  const standIns = new Map<string, ResourceExport>();
  const kept = new Set<string>();
  for (const loss of losses) {
    const stay = [...loss.ignored, ...(held.forMs.has(loss) ? loss.lost : [])];
    // While the form of what is published changes, two imports have the endpoints of one cluster.
    for (const one of stay) if (!standIns.has(one.metadata.name)) standIns.set(one.metadata.name, one);
    if (stay.length > 0) kept.add(loss.object.metadata.name);
  }
  const isWhole = traced.isWhole ?? (() => true);
  const nextMs = Math.min(...held.forMs.values(), held.orphanMs ?? Number.POSITIVE_INFINITY);
  return {
    standIns: [...standIns.values()],
    waits: isExported && [...held.forMs.keys()].some(({ object }) => !isWhole(object, imports)),
    keeps: (object) =>
      held.orphanMs !== undefined ||
      kept.has(object.metadata.name) ||
      (kept.size > 0 && !isExported && sourceOf(object, traced) === undefined && !isWithdrawn(object)),
    outcome: nextMs === Number.POSITIVE_INFINITY ? undefined : again(nextMs, 'it has lost its exports'),
  };
}

/**
 * The cluster whose exports alone this import of ours publishes; undefined for others, and for one
 * that is being withdrawn.
 */
export function sourceOf(object: ResourceImport, traced: TracedImports): string | undefined {
  return isOurs(object) && !isWithdrawn(object) ? traced.sourceOf(object) : undefined;
}

/**
 * Whether the exporter marks what it withdraws: by its announcement, or by what was published if it
 * announces nothing. An import without the mark of our leaders has lost the mark of its exporter
 * too.
 */
export function exporterMarks(clusterID: string, object: ResourceImport, announced: boolean | undefined): boolean {
  if (clusterID === '') return true;
  const isMarked = object.metadata.annotations?.[Annotation.sourceWithdrawals] === marked;
  return announced ?? (isMarked || !marksWithdrawals(object));
}

/**
 * By the label, or, if a user removed that, by the mark or the slices: no leader of another make
 * writes them.
 */
function isOurs(object: ResourceImport): boolean {
  if (carriesOurLabel(object)) return true;
  return !isClaimed(object) && (marksWithdrawals(object) || object.spec?.endpointSlices !== undefined);
}

function namesOf(objects: readonly ResourceExport[]): ReadonlySet<string> {
  return new Set(objects.map(({ metadata }) => metadata.name));
}
