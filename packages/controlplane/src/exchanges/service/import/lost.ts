import type {
  EndpointSlicePayload,
  EventReason,
  ResourceImport,
  Service,
  ServiceImport,
  serviceImportStatus,
} from '@isthmus/api';
import { SourceKind, perClusterImportName, resourceImportName } from '@isthmus/api';
import type { Outcome } from '@isthmus/kube';
import { again, blocked, done } from '@isthmus/kube';
import { isLive, refOf } from '@isthmus/machinery';
import { importedFrom, isOurServiceImport, marksWithdrawals } from '@isthmus/wire';
import type { RemoteService } from '@isthmus/wire';
import type { MissingImport } from '../../../own-cluster/missing/missing-imports.ts';
import type { Obstacle, Omission } from './decide.ts';
import { retried } from './local-refusals.ts';

/** What the leader publishes of one Service, and which parts of it are imported here. */
export interface KnownService {
  readonly key: string;
  /** The ResourceImports of the key. */
  readonly objects: readonly ResourceImport[];
  readonly derived: Service | undefined;
  readonly serviceImport: ServiceImport | undefined;
}

/** The ResourceImport of the Service itself, apart from its endpoints. */
export function publishedService(objects: readonly ResourceImport[]): ResourceImport | undefined {
  return objects.find(({ spec }) => spec?.kind === SourceKind.serviceImport);
}

/**
 * The whole import, which is not published. Undefined if this cluster has not imported it, so that
 * it cannot be lost. A ServiceImport that is being deleted was withdrawn, here or by a user.
 */
export function lostService(imported: KnownService): MissingImport | undefined {
  const { key, derived, serviceImport } = imported;
  if (serviceImport === undefined || !isLive(serviceImport)) return undefined;
  if (!isOurServiceImport(serviceImport, derived)) return undefined;
  const { namespace = '', name } = refOf(key);
  return {
    key,
    name: resourceImportName(namespace, name, 'Service'),
    marks: marksWithdrawals(serviceImport),
    area: importedFrom(serviceImport),
    clusterIDs: (serviceImport.status?.clusters ?? []).map(({ cluster }) => cluster),
  };
}

/**
 * The endpoints of an import that a leader without marks publishes without endpoints. Such a leader
 * has them in a separate object, which it deletes a moment before that of the Service. Undefined:
 * there are endpoints, or none were imported.
 */
export function lostEndpoints(imported: KnownService, hasSlices: boolean): MissingImport | undefined {
  const { key, objects, serviceImport } = imported;
  const service = publishedService(objects);
  if (service === undefined || serviceImport === undefined || marksWithdrawals(service)) return undefined;
  if (!hasSlices || objects.some(({ spec }) => spec?.kind !== SourceKind.serviceImport)) return undefined;
  const { namespace = '', name } = refOf(key);
  const endpoints = { key, name: resourceImportName(namespace, name, 'Endpoints'), marks: false };
  return { ...endpoints, area: importedFrom(serviceImport), clusterIDs: [] };
}

/**
 * The parts of single clusters that are imported but not offered. Undefined: the leader does not
 * publish by cluster. That is an Antrea leader, or one of ours whose API server drops these
 * objects.
 */
export function lostParts(
  { key, objects, serviceImport }: KnownService,
  offered: RemoteService,
  imported: Iterable<string>,
  /** The ID of this cluster, if it does not export the Service. */
  withdrawnHere: string | undefined,
): readonly (MissingImport & { readonly clusterID: string })[] | undefined {
  const service = publishedService(objects);
  if (service === undefined || !marksWithdrawals(service) || offered.merged !== undefined) return undefined;
  const { namespace = '', name } = refOf(key);
  const area = serviceImport === undefined ? undefined : importedFrom(serviceImport);
  return [...imported]
    .filter((clusterID) => !offered.perCluster.has(clusterID) && clusterID !== withdrawnHere)
    .map((clusterID) => {
      const part = { key, clusterID, name: perClusterImportName(namespace, name, clusterID) };
      return { ...part, marks: true, area, clusterIDs: [clusterID] };
    });
}

/** The import with the endpoints of clusters whose part alone the leader has lost. */
export function withParts(
  offered: RemoteService,
  held: ReadonlySet<string>,
  imported: ReadonlyMap<string, readonly EndpointSlicePayload[]>,
): RemoteService {
  const kept = [...imported].filter(([clusterID]) => held.has(clusterID));
  return { ...offered, perCluster: new Map([...offered.perCluster, ...kept]) };
}

/** Facts found while an import was written. */
export interface WrittenImport {
  readonly problem: Obstacle | Omission | undefined;
  /** The problem that the decision found in what the leader publishes. */
  readonly decided: Obstacle | Omission | undefined;
  /** When to look again at parts that are held. Undefined: no part is held. */
  readonly held: Outcome | undefined;
  /** When to read the leader's lists of endpoints again. */
  readonly listsMs: number | undefined;
  /** When to look again at renamed ports. */
  readonly namesMs: number | undefined;
  /** When to look again at what keeps calls from arriving. */
  readonly callsMs: number | undefined;
  /** Whether all is read that endpoints are compared with; if not, new ones wait. */
  readonly isJudged: boolean;
}

/** When to look again at an import that was written. */
export function outcomeOfImport(written: WrittenImport): Outcome<ImportReason> {
  const { problem, decided, held } = written;
  const soon = nextLook(written);
  if (problem === undefined) return held ?? (soon === undefined ? done : again(soon.inMs, soon.why));
  // An error in the leader's objects disappears when they change, and so do wrong endpoints. Held
  // parts have their own time to look again.
  const isWoken = problem === decided || problem.reason === 'OutsideGrant';
  return isWoken && held === undefined
    ? blocked(problem.reason, problem.message, { lookAgainMs: soon?.inMs })
    : retried(problem);
}

export type ImportReason = EventReason<typeof serviceImportStatus>;

/** How long until grants count as unreadable, which no watch shows. */
const unjudgedMs = 5_000;

function nextLook({ listsMs, namesMs, callsMs, isJudged }: WrittenImport) {
  const looks = [
    { inMs: namesMs, why: 'ports were renamed' },
    { inMs: callsMs, why: 'what keeps calls from arriving may pass' },
    { inMs: listsMs, why: listedMore },
    { inMs: isJudged ? undefined : unjudgedMs, why: 'endpoints wait for what they are compared with' },
  ];
  return looks
    .flatMap(({ inMs, why }) => (inMs === undefined ? [] : [{ inMs, why }]))
    .toSorted((a, b) => a.inMs - b.inMs)
    .at(0);
}

const listedMore = 'the leader lists more endpoints than the imports of the single clusters have';
