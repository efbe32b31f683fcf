import type { MemberClusterAnnounce, ResourceExport } from '@isthmus/api';
import { memberAnnounceName } from '@isthmus/api';
import type { Source } from '@isthmus/kube';
import type { Clock, ObjectRef } from '@isthmus/machinery';
import type { ImportProblem, ReportedProblem } from '@isthmus/wire';
import { decodeImportProblems, importProblemsText, isClusterID } from '@isthmus/wire';
import type { CommonArea } from './common-area.ts';
import { createPacedTexts } from '../reporting/paced-texts.ts';

/** What members report as not imported, as a leader reads it. */
export interface ReportedImportProblems {
  /** Wakes the exports that a changed report of a member concerns. */
  readonly source: Source;
  /**
   * Which clusters do not import the Service, and why, sorted by cluster ID. Without a Namespace,
   * the name is that of a policy.
   */
  of(service: ObjectRef): readonly ReportedProblem[];
}

/** `exportKeys`: the keys under which an export is merged. */
export function createReportedImportProblems(
  area: CommonArea,
  exportKeys: (object: ResourceExport) => readonly string[],
  clock: Clock,
): ReportedImportProblems {
  const { cache } = area.announces;
  let enqueue: (key: string) => void = () => {};
  // One report of a member about a Namespace changes the answer to every export in it, of any
  // cluster.
  const texts = createPacedTexts(clock, (was, is) => {
    const problems = [was, is].flatMap(problemsOf);
    if (problems.length === 0) return;
    for (const object of area.exports.cache.list()) {
      const { namespace = '', name = '' } = object.spec ?? {};
      if (problems.some((problem) => isAbout(problem, { namespace, name })))
        for (const key of exportKeys(object)) enqueue(key);
    }
  });
  /** By the text of the annotation, which each heartbeat repeats. */
  let read: ReadonlyMap<string, readonly ImportProblem[]> = new Map();
  const problemsOf = (text: string) => {
    const known = read.get(text);
    if (known !== undefined) return known;
    const problems = decodeImportProblems(text);
    const current = new Set(cache.list().map(countedOf));
    read = new Map([...[...read].filter(([kept]) => current.has(kept)), [text, problems]]);
    return problems;
  };
  /** The report in the announcement, or that of the last time that a change of it was accepted. */
  const countedOf = (announce: MemberClusterAnnounce) => texts.counted(announce.metadata.name) ?? textOf(announce);
  return {
    source: {
      get synced() {
        return cache.synced;
      },
      whenSynced: (signal) => cache.whenSynced(signal),
      start(wake) {
        enqueue = wake;
        return cache.subscribe(({ before, after }) => {
          const name = (after ?? before)?.metadata.name ?? '';
          texts.note(name, after === undefined ? '' : textOf(after));
        });
      },
    },
    of: (service) =>
      cache
        .list()
        .flatMap((announce): readonly ReportedProblem[] => {
          const text = countedOf(announce);
          const found = text === '' ? undefined : problemsOf(text).find((problem) => isAbout(problem, service));
          const { clusterID = '' } = announce;
          return found === undefined ? [] : [{ clusterID, reason: found.reason, message: found.message }];
        })
        .toSorted((a, b) => (a.clusterID < b.clusterID ? -1 : 1)),
  };
}

/** The report of an announcement that is valid for its cluster (docs/spec/wire.md §10). */
function textOf(announce: MemberClusterAnnounce): string {
  const { metadata, clusterID } = announce;
  const speaks = isClusterID(clusterID) && metadata.name === memberAnnounceName(clusterID);
  return speaks && metadata.deletionTimestamp === undefined ? importProblemsText(announce) : '';
}

function isAbout({ namespace, name }: ImportProblem, service: ObjectRef): boolean {
  return (namespace ?? '') === (service.namespace ?? '') && (name === undefined || name === service.name);
}
