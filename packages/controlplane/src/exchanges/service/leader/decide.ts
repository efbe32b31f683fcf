import type { ResourceExport, ResourceImport } from '@isthmus/api';
import { Annotation, perClusterImportName, resourceExportName, resourceImportName } from '@isthmus/api';
import { parseRfc3339 } from '@isthmus/machinery';
import type {
  ExportCondition,
  ExportDecision,
  ExportGroup,
  ExportedService,
  Merged,
  NumberedPort,
  Readers,
  ReportedProblem,
} from '@isthmus/wire';
import {
  defaultLeaderConfig,
  deniedBy,
  denyDefaults,
  effectiveFirstExported,
  exportedMetadataOf,
  existsUnbroken,
  isUsualAnswer,
  marksWithdrawals,
  mergeProblemsOf,
  mergeService,
  partName,
  readServicePorts,
  soleSource,
} from '@isthmus/wire';
import { sourceCluster } from './substitutes.ts';
import { isOfEachCluster } from '../local/never-imported.ts';
import { importsOf, isOwnImport } from './imports.ts';
import type { ReadExport } from './read-export.ts';
import { endpointIPTypeOf, isSeenByItsCluster, readExport } from './read-export.ts';
import { answer, failed, importFailed, succeeded } from '../../../common-area/export-answer.ts';
import { isHeld } from '../../../common-area/release-export.ts';

/** How long one half of an export waits for the other half. After that it is published alone. */
const incompleteMs = 1_000;
/**
 * How long to wait for the endpoints of an exporter of ours. It always writes both halves, so it is
 * busy or crashed between the two. If it writes the endpoints again because the leader lost them,
 * importers still have the former ones, and would remove them for a Service without endpoints.
 */
const restoringMs = 60_000;

interface Tuple {
  readonly namespace: string;
  readonly name: string;
  readonly exports: readonly ClusterExport[];
}

/** The exports of one cluster under one tuple. */
interface ClusterExport {
  readonly clusterID: string;
  readonly firstExported: string;
  readonly marks: boolean;
  readonly service: ReadExport;
  readonly endpoints: ReadExport | undefined;
}

/**
 * Decides what the leader publishes for the exports of one import base (docs/spec/merge.md §4,
 * docs/spec/wire.md §7, §9), and its answer to each exporter.
 *
 * If the names of two Services concatenate to the same name (`prod`/`web-api`, `prod-web`/`api`),
 * only one can be imported. The Service that was exported first keeps the name; at equal times the
 * lesser namespace wins. The exporters of the other one get a report. The result does not depend on
 * the order of arrival.
 */
export function decideService(group: ExportGroup): ExportDecision {
  const read = group.exports.map((object) => ({ object, result: readGranted(object, group) }));
  const live = read.filter(({ object }) => object.metadata.deletionTimestamp === undefined);
  const complete = live.flatMap(({ result }) => ('problem' in result ? [] : [result]));
  const halves = halfExports(complete, group.imports);
  // Members write and delete the Service and its Endpoints one after the other. A merge between the
  // two writes would publish everything twice.
  const waits = new Map(halves.map((half) => [half, waitMs(half, group)]));
  const awaited = new Set(halves.filter((half) => (waits.get(half) ?? 0) > 0));
  const valid = complete.filter((part) => !awaited.has(part.object));
  const tuples = tuplesOf(valid, group.imports).toSorted(byAge);
  const [owner, ...losers] = tuples;
  const wait = awaited.size === 0 ? undefined : waitFor([...waits.values()]);
  if (wait !== undefined && isPublishedOf(awaited, owner, group)) {
    // The exporter and this leader have lost the endpoints of a published Service. To publish it
    // without them, or to publish another Service, would withdraw it.
    const incomplete = halves.map(uidOf);
    return { wanted: [], unwanted: [], statuses: [], released: group.exports.filter(isHeld), incomplete, wait };
  }
  const merged =
    owner === undefined ? undefined : mergeService(owner.exports.map(toMerge), publishedPorts(owner, group.imports));
  const imports = owner === undefined || merged === undefined ? [] : importsOf(owner, merged, group);
  const wantedNames = new Set(imports.map(({ metadata }) => metadata.name));
  const present = new Map(group.imports.map((object) => [object.metadata.name, object]));
  const obstacle = imports
    .map(({ metadata }) => present.get(metadata.name))
    .find((found) => found !== undefined && !isOwnImport(found, group.exports));

  const problems = new Map<string, string>();
  for (const { object, result } of live) {
    if ('problem' in result) problems.set(object.metadata.name, `Not merged: ${result.problem}`);
  }
  for (const loser of losers) {
    for (const part of partsOf(loser)) problems.set(part.object.metadata.name, nameTaken(part, owner));
  }
  if (obstacle !== undefined && owner !== undefined) {
    for (const part of partsOf(owner)) problems.set(part.object.metadata.name, foreignImport(obstacle));
  }
  const rejected = new Map<string, string>();
  for (const one of owner?.exports ?? []) {
    const why = refusalOf(one, group.refused);
    for (const part of why === undefined ? [] : halvesOf(one))
      rejected.set(part.object.metadata.name, `Not published: ${why}`);
  }
  const notImported = owner === undefined ? [] : (group.importProblemsOf?.(owner) ?? []);
  const withService = new Set(tuples.flatMap((tuple) => partsOf(tuple)).map((part) => part.object.metadata.name));
  for (const part of valid) {
    if (withService.has(part.object.metadata.name)) continue;
    problems.set(part.object.metadata.name, `Waiting for the Service export of cluster ${part.clusterID}`);
  }

  return {
    wanted: obstacle === undefined ? imports : [],
    unwanted: group.imports
      .filter(
        (object) =>
          isOwnImport(object, group.exports) && (!wantedNames.has(object.metadata.name) || isOther(object, owner)),
      )
      .toSorted(serviceFirst),
    statuses: live
      .filter(({ object }) => !awaited.has(object))
      .map(({ object }) => ({
        object,
        conditions: conditionsFor(object, { problems, rejected, merged, notImported, now: group.now }),
      }))
      .filter(({ object, conditions }) => !isAnswered(object, conditions, imports, group.readers)),
    released: group.exports.filter(isHeld),
    incomplete: halves.map(uidOf),
    wait,
  };
}

/** An export of a Namespace that is denied to its cluster is not read, unless it is published. */
function readGranted(object: ResourceExport, group: ExportGroup): ReadExport | { readonly problem: string } {
  const result = readExport(object);
  if ('problem' in result) return { problem: `${result.problem}. The exporting member must correct it.` };
  const { namespace, name, clusterID } = result;
  const { grantOf, config = defaultLeaderConfig, imports } = group;
  const ownNamespace = object.metadata.namespace ?? '';
  const lists = grantOf?.(clusterID).namespaces ?? {};
  const entry = deniedBy(namespace, lists, denyDefaults(config, ownNamespace));
  const isPublished = imports.some(
    (one) => sourceCluster(one) === clusterID && one.spec?.namespace === namespace && one.spec.name === name,
  );
  if (entry === undefined || isPublished) return result;
  return {
    problem: `cluster ${clusterID} may not export Services of Namespace ${namespace}: ${entry} is denied. On the leader, allow the Namespace in spec.namespaces: kubectl -n ${ownNamespace} edit knowncluster ${clusterID}`,
  };
}

function waitFor(waits: readonly number[]): ExportDecision['wait'] {
  return { forMs: Math.min(...waits.filter((ms) => ms > 0)), why: 'waiting for the other half of an export' };
}

function uidOf({ metadata }: ResourceExport): string {
  return metadata.uid ?? '';
}

/** Whether the published Service is one of which only `halves` are left. */
function isPublishedOf(
  halves: ReadonlySet<ResourceExport>,
  owner: Tuple | undefined,
  group: Pick<ExportGroup, 'imports' | 'exports'>,
): boolean {
  return [...halves].some(({ spec }) => {
    const { namespace = '', name = '', kind } = spec ?? {};
    const isOwned = owner?.namespace === namespace && owner.name === name;
    return kind === 'Service' && !isOwned && publishedService({ namespace, name }, group) !== undefined;
  });
}

/** The import of that Service, if it is ours. */
function publishedService(
  { namespace, name }: Pick<Tuple, 'namespace' | 'name'>,
  { imports, exports }: Pick<ExportGroup, 'imports' | 'exports'>,
): ResourceImport | undefined {
  const importName = resourceImportName(namespace, name, 'Service');
  return imports.find(
    (object) =>
      object.metadata.name === importName &&
      object.spec?.namespace === namespace &&
      object.spec.name === name &&
      isOwnImport(object, exports),
  );
}

/**
 * Halves of exports whose other half may still arrive. A Service that is partly published already
 * does not count.
 */
function halfExports(parts: readonly ReadExport[], imports: readonly ResourceImport[]): readonly ResourceExport[] {
  const halves = new Set(parts.map((part) => `${part.kind} ${idOf(part)}`));
  const published = new Set(imports.map(partName));
  const isHalf = (part: ReadExport) =>
    part.kind === 'Endpoints'
      ? !halves.has(`Service ${idOf(part)}`)
      : !halves.has(`Endpoints ${idOf(part)}`) &&
        !published.has(perClusterImportName(part.namespace, part.name, part.clusterID));
  return parts.filter(isHalf).map((part) => part.object);
}

/** How many milliseconds this half still waits for the other. At 0 or below it no longer waits. */
function waitMs(half: ResourceExport, group: ExportGroup): number {
  const { clusterID = '', namespace = '', name = '', kind } = half.spec ?? {};
  const other = resourceExportName(clusterID, namespace, name, 'Endpoints');
  const forMs = group.incompleteForMs.get(uidOf(half)) ?? 0;
  // A half that exists and cannot be read will not arrive any more. If a half lacks the label by
  // which its cluster sees it, that cluster restores the label.
  const isComing =
    kind === 'Service' &&
    group.exports.every((object) => object.metadata.name !== other || !isSeenByItsCluster(object));
  if (!isComing || !marksWithdrawals(half)) return incompleteMs - forMs;
  // An exporter that is not running cannot restore what importers still have, even if nothing of it
  // is published any more.
  return (
    restoringMs - (group.connectedMsOf === undefined ? forMs : Math.min(forMs, group.connectedMsOf(clusterID) ?? 0))
  );
}

/**
 * Whether the published import is the complete answer. It is if it contains the endpoints of an
 * exporter that reads it as an answer, and there is nothing else to report. An earlier report is
 * corrected in any case.
 */
function isAnswered(
  { spec, status }: ResourceExport,
  conditions: readonly ExportCondition[],
  imports: readonly ResourceImport[],
  { unanswered }: Readers,
): boolean {
  const { clusterID = '' } = spec ?? {};
  return (
    (status?.conditions ?? []).length === 0 &&
    unanswered.has(clusterID) &&
    imports.some((object) => soleSource(object) === clusterID) &&
    isUsualAnswer(conditions)
  );
}

function tuplesOf(valid: readonly ReadExport[], imports: readonly ResourceImport[]): readonly Tuple[] {
  // Also checked by the spec of the import: its name alone may be that of another Service.
  const stamps = new Map(
    imports.map((object) => [
      `${partName(object)} ${object.spec?.namespace ?? ''}/${object.spec?.name ?? ''}`,
      object.metadata.annotations?.[Annotation.firstExported],
    ]),
  );
  const stampOf = ({ namespace, name, clusterID }: ReadExport) =>
    stamps.get(`${perClusterImportName(namespace, name, clusterID)} ${namespace}/${name}`);
  const createdOf = ({ object }: ReadExport) => object.metadata.creationTimestamp ?? '';
  const published = valid.flatMap((part) => {
    const stamped = part.kind === 'Service' ? stampOf(part) : undefined;
    // A substitute for a lost export is not a stored object.
    const isLost = part.object.metadata.uid === undefined;
    return stamped === undefined ? [] : [{ stamped, created: isLost ? stamped : createdOf(part) }];
  });
  const endpoints = new Map(valid.filter((part) => part.kind === 'Endpoints').map((part) => [idOf(part), part]));
  const tuples = new Map<string, { namespace: string; name: string; exports: ClusterExport[] }>();
  for (const service of valid) {
    if (service.kind !== 'Service') continue;
    const { namespace, name, clusterID } = service;
    const tuple = tuples.get(`${namespace}/${name}`) ?? { namespace, name, exports: [] };
    tuples.set(`${namespace}/${name}`, tuple);
    const created = createdOf(service);
    const firstExported = effectiveFirstExported({
      stamped: stampOf(service),
      echo: service.object.metadata.annotations?.[Annotation.firstExported],
      created,
      notBefore: youngest(published.filter((one) => existsUnbroken(one, created)).map(({ stamped }) => stamped)),
    });
    tuple.exports.push({
      clusterID,
      firstExported,
      marks: marksWithdrawals(service.object),
      service,
      endpoints: endpoints.get(idOf(service)),
    });
  }
  return [...tuples.values()];
}

function youngest(times: readonly string[]): string | undefined {
  return times.toSorted((a, b) => (parseRfc3339(b) ?? 0) - (parseRfc3339(a) ?? 0))[0];
}

function idOf(part: ReadExport): string {
  return `${part.clusterID}/${part.namespace}/${part.name}`;
}

function byAge(a: Tuple, b: Tuple): number {
  const [first, second] = [oldestOf(a), oldestOf(b)];
  if (first !== second) return first < second ? -1 : 1;
  return a.namespace < b.namespace ? -1 : 1;
}

function oldestOf(tuple: Tuple): number {
  // An invalid time counts as the youngest, as in the merge.
  return Math.min(...tuple.exports.map((one) => parseRfc3339(one.firstExported) ?? Number.POSITIVE_INFINITY));
}

function partsOf(tuple: Tuple): readonly ReadExport[] {
  return tuple.exports.flatMap(halvesOf);
}

function halvesOf({ service, endpoints }: ClusterExport): readonly ReadExport[] {
  return endpoints === undefined ? [service] : [service, endpoints];
}

/**
 * Why an import that this export is part of could not be written: its own import, or those that all
 * exporters share.
 */
function refusalOf({ clusterID, service }: ClusterExport, refused: ExportGroup['refused']): string | undefined {
  const { namespace, name } = service;
  return (
    refused.get(perClusterImportName(namespace, name, clusterID)) ??
    refused.get(resourceImportName(namespace, name, 'Service')) ??
    refused.get(resourceImportName(namespace, name, 'Endpoints'))
  );
}

function toMerge({ clusterID, firstExported, service, endpoints }: ClusterExport): ExportedService {
  const spec = endpoints?.object.spec;
  return {
    clusterID,
    firstExported,
    service: service.object.spec?.service?.serviceSpec ?? {},
    ...exportedMetadataOf(service.object),
    endpointIPType: endpointIPTypeOf(endpoints?.object),
    endpoints:
      spec === undefined ? undefined : { subsets: spec.endpoints?.subsets, endpointSlices: spec.endpointSlices },
  };
}

/**
 * The ports of the published import. Empty if it is not published, or is that of another Service.
 */
function publishedPorts({ namespace, name }: Tuple, imports: readonly ResourceImport[]): readonly NumberedPort[] {
  const importName = resourceImportName(namespace, name, 'Service');
  const found = imports.find(
    ({ metadata, spec }) => metadata.name === importName && spec?.namespace === namespace && spec.name === name,
  );
  return readServicePorts(found?.spec?.serviceImport?.spec?.ports, mergeProblemsOf(''));
}

/**
 * An import that carries the tuple of another Service must be removed: members rely on its content
 * (docs/spec/wire.md §1).
 */
function isOther(object: ResourceImport, owner: Tuple | undefined): boolean {
  return object.spec?.namespace !== owner?.namespace || object.spec?.name !== owner?.name;
}

function serviceFirst(a: ResourceImport, b: ResourceImport): number {
  const rank = (object: ResourceImport) => (object.metadata.name.endsWith('-service') ? 0 : 1);
  return rank(a) - rank(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
}

interface Answers {
  /** Why exports are not published, by the names of the exports. */
  readonly problems: ReadonlyMap<string, string>;
  /**
   * The answers of the leader's API server to the imports of exports, by the names of the exports.
   */
  readonly rejected: ReadonlyMap<string, string>;
  readonly merged: Merged | undefined;
  readonly notImported: readonly ReportedProblem[];
  readonly now: string;
}

function conditionsFor(
  object: ResourceExport,
  { problems, rejected, merged, notImported, now }: Answers,
): readonly ExportCondition[] {
  const rejection = rejected.get(object.metadata.name);
  if (rejection !== undefined) return failed(object, rejection, now, 'ImportRejected');
  const problem = problems.get(object.metadata.name);
  if (problem !== undefined) return failed(object, problem, now);
  const { clusterID = '', kind } = object.spec ?? {};
  const leftOut = (merged?.problems ?? []).filter((one) => one.clusterID === clusterID).map((one) => one.message);
  const parts = [
    ...(leftOut.length === 0 ? [] : [`Merged without parts that are not valid: ${leftOut.slice(0, 10).join('; ')}`]),
    ...(isOfEachCluster({ namespace: object.spec?.namespace, name: object.spec?.name ?? '' })
      ? ['No cluster imports it: each has a Service of this name for itself']
      : []),
  ];
  const message = parts.length === 0 ? undefined : parts.join('. ');
  const Conflict = kind === 'Service' ? merged?.conflicts.get(clusterID) : undefined;
  const conflict = Conflict === undefined ? [] : answer(object, 'Conflict', { Conflict }, now);
  const ImportFailed = kind === 'Service' ? importFailed(notImported) : undefined;
  const failure = ImportFailed === undefined ? [] : answer(object, 'ImportFailed', { ImportFailed }, now);
  return [...succeeded(object, message, now), ...conflict, ...failure];
}

function nameTaken(part: ReadExport, owner: Tuple | undefined): string {
  const wanted = resourceImportName(part.namespace, part.name, part.kind);
  const holder = `${owner?.namespace ?? ''}/${owner?.name ?? ''}`;
  return `ResourceImport ${wanted} already belongs to Service ${holder}, which was exported first: both have the same name there. Use another name for one of the two Services or Namespaces.`;
}

function foreignImport(found: ResourceImport): string {
  return `ResourceImport ${found.metadata.name} exists and was not created by this leader. Delete it, or export the Service under another name.`;
}
