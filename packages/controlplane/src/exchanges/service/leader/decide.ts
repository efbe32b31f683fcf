import type { ResourceExport, ResourceImport } from '@isthmus/api';
import { Annotation, SourceKind, dottedName, resourceExportName, resourceImportName } from '@isthmus/api';
import { parseRfc3339 } from '@isthmus/machinery';
import type {
  ExportCondition,
  ExportDecision,
  ExportGroup,
  ExportedService,
  Merged,
  NumberedPort,
  Readers,
} from '@isthmus/wire';
import {
  effectiveFirstExported,
  exportedMetadataOf,
  existsUnbroken,
  isUsualAnswer,
  marksWithdrawals,
  mergeProblemsOf,
  mergeService,
  partSource,
  readServicePorts,
  soleSource,
} from '@isthmus/wire';
import { sourceCluster } from './substitutes.ts';
import { isOfEachCluster } from '../local/never-imported.ts';
import { importsOf, isOwnImport } from './imports.ts';
import type { ReadExport } from './read-export.ts';
import { importsOfService, nameServices } from './name-services.ts';
import { endpointIPTypeOf, exportIdentity, isSeenByItsCluster } from './read-export.ts';
import type { PublishedEndpoints } from './granted-exports.ts';
import { grantedEndpoints, readGranted } from './granted-exports.ts';
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

/** What is published of one Service. */
interface Publication {
  readonly service: Tuple;
  readonly merged: Merged | undefined;
  readonly imports: readonly ResourceImport[];
  /** Why it is not published. */
  readonly problem: ((part: ReadExport) => string) | undefined;
  /** What its exporters have to know about it. A sentence without a full stop. */
  readonly note: string | undefined;
  /** The same about what is not granted, by exporter. */
  readonly notGranted: ReadonlyMap<string, readonly string[]>;
}

/**
 * Decides what the leader publishes for the exports of one import base (docs/spec/merge.md §4,
 * docs/spec/wire.md §5, §7, §9), and its answer to each exporter.
 *
 * If the names of two Services concatenate to the same name (`prod`/`web-api`, `prod-web`/`api`),
 * the published one keeps its names. Otherwise the Service that was exported first has the names
 * with a dash, at equal times that of the lesser Namespace; the other one has a dot. The result
 * does not depend on the order of arrival.
 */
export function decideService(group: ExportGroup): ExportDecision {
  const problems = new Map<ResourceExport, string>();
  const live = group.exports.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const complete = withoutDoubles(
    live.flatMap((object) => {
      const result = readGranted(object, group);
      if (!('problem' in result)) return [result];
      problems.set(object, `Not merged: ${result.problem}`);
      return [];
    }),
    problems,
  );
  const halves = halfExports(complete, group.imports);
  // Members write and delete the Service and its Endpoints one after the other. A merge between the
  // two writes would publish everything twice.
  const waits = new Map(halves.map((half) => [half, waitMs(half, group)]));
  const awaited = new Set(halves.filter((half) => (waits.get(half) ?? 0) > 0));
  const valid = complete.filter((part) => !awaited.has(part.object));
  const tuples = tuplesOf(valid, group.imports).toSorted(byAge);
  const own = group.imports.filter((object) => isOwnImport(object, group.exports));
  const kept = keptServices(awaited, tuples, own, group);
  const publications = publicationsOf({ tuples, kept, own }, group);
  const exported = new Map(publications.flatMap((one) => partsOf(one.service).map((part) => [part.object, one])));
  for (const one of publications) {
    for (const part of one.problem === undefined ? [] : partsOf(one.service))
      problems.set(part.object, one.problem?.(part) ?? '');
  }
  for (const part of valid) {
    if (exported.has(part.object)) continue;
    problems.set(part.object, `Waiting for the Service export of cluster ${part.clusterID}`);
  }
  const names = new Map(
    publications.flatMap(({ service, imports }) => imports.map(({ metadata }) => [metadata.name, service])),
  );
  return {
    wanted: publications.flatMap(({ problem, imports }) => (problem === undefined ? imports : [])),
    unwanted: own.filter((object) => isUnwanted(object, names.get(object.metadata.name), kept)).toSorted(serviceFirst),
    statuses: live
      .filter((object) => !awaited.has(object))
      .map((object) => ({
        object,
        conditions: conditionsFor(object, { problem: problems.get(object), publication: exported.get(object), group }),
      }))
      .filter(
        ({ object, conditions }) => !isAnswered(object, conditions, exported.get(object)?.imports ?? [], group.readers),
      ),
    released: group.exports.filter(isHeld),
    incomplete: halves.map(uidOf),
    wait: awaited.size === 0 ? undefined : waitFor([...waits.values()]),
  };
}

/** One export of each kind for each Service of a cluster, which may have used two names. */
function withoutDoubles(parts: readonly ReadExport[], problems: Map<ResourceExport, string>): readonly ReadExport[] {
  const byName = parts.toSorted((a, b) => (a.object.metadata.name < b.object.metadata.name ? -1 : 1));
  const used = new Map<string, ReadExport>();
  for (const part of byName) {
    const id = exportIdentity(part.object);
    const other = used.get(id);
    if (other === undefined) used.set(id, part);
    else
      problems.set(
        part.object,
        `Not merged: cluster ${part.clusterID} exports the same as ResourceExport ${other.object.metadata.name}. The exporting member must delete one of the two.`,
      );
  }
  return parts.filter((part) => used.get(exportIdentity(part.object)) === part);
}

/**
 * The published Services that stay as they are: those whose exports are lost and held, and those of
 * which only `awaited` halves are left. The exporter and this leader have lost the endpoints of the
 * latter. To publish one without them would withdraw them.
 */
function keptServices(
  awaited: ReadonlySet<ResourceExport>,
  tuples: readonly Tuple[],
  own: readonly ResourceImport[],
  { isKept = () => false }: Pick<ExportGroup, 'isKept'>,
): readonly Tuple[] {
  const halves = [...awaited].flatMap(({ spec }) => {
    const { namespace = '', name = '', kind } = spec ?? {};
    const imports = importsOfService({ namespace, name }, own);
    const isPublished = imports.some((object) => object.spec?.kind === SourceKind.serviceImport);
    return kind === 'Service' && isPublished ? [{ namespace, name }] : [];
  });
  const held = own.filter(isKept).map(({ spec }) => ({ namespace: spec?.namespace ?? '', name: spec?.name ?? '' }));
  return [...halves, ...held]
    .filter((one) => !tuples.some(({ namespace, name }) => namespace === one.namespace && name === one.name))
    .map((one) => ({ ...one, exports: [] }));
}

interface Named {
  readonly tuples: readonly Tuple[];
  readonly kept: readonly Tuple[];
  readonly own: readonly ResourceImport[];
}

function publicationsOf({ tuples, kept, own }: Named, group: ExportGroup): readonly Publication[] {
  const forms = nameServices([...kept, ...tuples], own);
  const [holder] = [...forms].find(([, form]) => form === 'joined') ?? [];
  const present = new Map(group.imports.map((object) => [object.metadata.name, object]));
  return tuples.map((service): Publication => {
    const names = forms.get(service);
    if (names === undefined)
      return {
        service,
        merged: undefined,
        imports: [],
        problem: (part) => nameTaken(part, holder),
        note: undefined,
        notGranted: new Map(),
      };
    const published = importsOfService(service, own);
    const granted = new Map(
      service.exports.flatMap(({ clusterID, endpoints }) =>
        endpoints === undefined
          ? []
          : [[clusterID, grantedEndpoints(endpoints, group.grantOf?.(clusterID), published)] as const],
      ),
    );
    const merged = mergeService(
      service.exports.map((one) => toMerge(one, granted.get(one.clusterID))),
      publishedPorts(published),
    );
    const imports = importsOf({ ...service, names }, merged, { ...group, imports: published });
    const obstacle = imports
      .map(({ metadata }) => present.get(metadata.name))
      .find((found) => found !== undefined && !own.includes(found));
    return {
      service,
      merged,
      imports,
      problem: obstacle === undefined ? undefined : () => foreignImport(obstacle),
      note: names === 'dotted' ? publishedDotted(service) : undefined,
      notGranted: new Map(
        service.exports.map(({ clusterID, service: { denied } }) => {
          const note = granted.get(clusterID)?.note;
          return [clusterID, [denied, note].filter((one) => one !== undefined)] as const;
        }),
      ),
    };
  });
}

/**
 * An import that carries the content of another Service must be removed: members rely on its
 * content (docs/spec/wire.md §1).
 */
function isUnwanted(object: ResourceImport, wantedFor: Tuple | undefined, kept: readonly Tuple[]): boolean {
  const isOf = (service: Tuple) => importsOfService(service, [object]).length > 0;
  return !kept.some(isOf) && (wantedFor === undefined || !isOf(wantedFor));
}

function waitFor(waits: readonly number[]): ExportDecision['wait'] {
  return { forMs: Math.min(...waits.filter((ms) => ms > 0)), why: 'waiting for the other half of an export' };
}

function uidOf({ metadata }: ResourceExport): string {
  return metadata.uid ?? '';
}

/**
 * Halves of exports whose other half may still arrive. A Service that is partly published already
 * does not count.
 */
function halfExports(parts: readonly ReadExport[], imports: readonly ResourceImport[]): readonly ResourceExport[] {
  const halves = new Set(parts.map((part) => `${part.kind} ${idOf(part)}`));
  const published = new Set(imports.map(publishedID));
  const isHalf = (part: ReadExport) =>
    part.kind === 'Endpoints'
      ? !halves.has(`Service ${idOf(part)}`)
      : !halves.has(`Endpoints ${idOf(part)}`) && !published.has(idOf(part));
  return parts.filter(isHalf).map((part) => part.object);
}

/** How many milliseconds this half still waits for the other. At 0 or below it no longer waits. */
function waitMs(half: ResourceExport, group: ExportGroup): number {
  const { clusterID = '', namespace = '', name = '', kind } = half.spec ?? {};
  const joined = resourceExportName(clusterID, namespace, name, 'Endpoints');
  const dotted = dottedName(joined, `${clusterID}-${namespace}`);
  const other = [`${clusterID}/${namespace}/${name}/Endpoints`, joined, dotted];
  const forMs = group.incompleteForMs.get(uidOf(half)) ?? 0;
  // A half that exists and cannot be read will not arrive any more. If a half lacks the label by
  // which its cluster sees it, that cluster restores the label.
  const isComing =
    kind === 'Service' &&
    group.exports.every((object) => !other.includes(exportIdentity(object)) || !isSeenByItsCluster(object));
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
  const stamps = new Map(
    imports.map((object) => [publishedID(object), object.metadata.annotations?.[Annotation.firstExported]]),
  );
  const stampOf = (part: ReadExport) => stamps.get(idOf(part));
  const createdOf = ({ object }: ReadExport) => object.metadata.creationTimestamp ?? '';
  const published = valid.flatMap((part) => {
    const stamped = part.kind === 'Service' ? stampOf(part) : undefined;
    // A substitute for a lost export is not a stored object.
    const isLost = part.object.metadata.uid === undefined;
    const { namespace, name } = part;
    return stamped === undefined ? [] : [{ namespace, name, stamped, created: isLost ? stamped : createdOf(part) }];
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
      notBefore: youngest(
        published
          .filter((one) => one.namespace === namespace && one.name === name && existsUnbroken(one, created))
          .map(({ stamped }) => stamped),
      ),
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

/** What {@link idOf} is for the export whose endpoints the import publishes. */
function publishedID(object: ResourceImport): string {
  return `${sourceCluster(object) ?? ''}/${object.spec?.namespace ?? ''}/${object.spec?.name ?? ''}`;
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
function refusalOf(clusterID: string, { imports }: Publication, refused: ExportGroup['refused']): string | undefined {
  const [why] = imports
    .filter((object) => [undefined, clusterID].includes(partSource(object)))
    .flatMap(({ metadata }) => refused.get(metadata.name) ?? []);
  return why;
}

function toMerge(
  { clusterID, firstExported, service, endpoints }: ClusterExport,
  granted: PublishedEndpoints | undefined,
): ExportedService {
  return {
    clusterID,
    firstExported,
    service: service.object.spec?.service?.serviceSpec ?? {},
    ...exportedMetadataOf(service.object),
    endpointIPType: endpointIPTypeOf(endpoints?.object),
    endpoints: granted && { subsets: granted.subsets, endpointSlices: granted.endpointSlices },
  };
}

/** The ports of the import, if it is published. */
function publishedPorts(published: readonly ResourceImport[]): readonly NumberedPort[] {
  const found = published.find(({ spec }) => spec?.kind === SourceKind.serviceImport);
  return readServicePorts(found?.spec?.serviceImport?.spec?.ports, mergeProblemsOf(''));
}

function serviceFirst(a: ResourceImport, b: ResourceImport): number {
  const rank = (object: ResourceImport) => (object.metadata.name.endsWith('-service') ? 0 : 1);
  return rank(a) - rank(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
}

interface Answers {
  /** Why the export is not published. */
  readonly problem: string | undefined;
  /** What is published of its Service. */
  readonly publication: Publication | undefined;
  readonly group: ExportGroup;
}

function conditionsFor(object: ResourceExport, { problem, publication, group }: Answers): readonly ExportCondition[] {
  const { clusterID = '', kind } = object.spec ?? {};
  const { now } = group;
  // The answer of the leader's API server to the imports.
  const rejection = publication === undefined ? undefined : refusalOf(clusterID, publication, group.refused);
  if (rejection !== undefined) return failed(object, `Not published: ${rejection}`, now, 'ImportRejected');
  if (problem !== undefined) return failed(object, problem, now);
  const { merged, note, service, notGranted } = publication ?? {};
  const leftOut = (merged?.problems ?? []).filter((one) => one.clusterID === clusterID).map((one) => one.message);
  const parts = [
    ...(leftOut.length === 0 ? [] : [`Merged without parts that are not valid: ${leftOut.slice(0, 10).join('; ')}`]),
    ...(note === undefined || kind !== 'Service' ? [] : [note]),
    ...(notGranted?.get(clusterID) ?? []),
    ...(isOfEachCluster({ namespace: object.spec?.namespace, name: object.spec?.name ?? '' })
      ? ['No cluster imports it: each has a Service of this name for itself']
      : []),
  ];
  const message = parts.length === 0 ? undefined : parts.join('. ');
  const Conflict = kind === 'Service' ? merged?.conflicts.get(clusterID) : undefined;
  const conflict = Conflict === undefined ? [] : answer(object, 'Conflict', { Conflict }, now);
  const notImported = service === undefined ? [] : (group.importProblemsOf?.(service) ?? []);
  const ImportFailed = kind === 'Service' ? importFailed(notImported) : undefined;
  const failure = ImportFailed === undefined ? [] : answer(object, 'ImportFailed', { ImportFailed }, now);
  return [...succeeded(object, message, now), ...conflict, ...failure];
}

function nameTaken(part: ReadExport, holder: Tuple | undefined): string {
  const wanted = resourceImportName(part.namespace, part.name, part.kind);
  return `ResourceImport ${wanted} already belongs to Service ${holder?.namespace ?? ''}/${holder?.name ?? ''}, which was exported first: both have the same name there. Use another name for one of the two Services or Namespaces.`;
}

function publishedDotted({ namespace, name }: Tuple): string {
  const joined = resourceImportName(namespace, name, 'Service');
  return `Published as ResourceImport ${dottedName(joined, namespace)}, because another Service had the name ${joined} when it was published. Isthmus members of earlier releases do not import it`;
}

function foreignImport(found: ResourceImport): string {
  return `ResourceImport ${found.metadata.name} exists and was not created by this leader. Delete it, or export the Service under another name.`;
}
