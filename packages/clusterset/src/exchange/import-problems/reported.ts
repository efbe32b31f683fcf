import type { MemberClusterAnnounce, ResourceExport } from '@isthmus/api';
import { memberAnnounceName } from '@isthmus/api';
import type { Source } from '@isthmus/kube';
import type { ObjectRef } from '@isthmus/machinery';
import type { CommonArea } from '../common-area.ts';
import type { ImportProblem } from './wire.ts';
import { decodeImportProblems, importProblemsText } from './wire.ts';
import { isClusterID } from '../untrusted.ts';

/** A cluster that does not import a Service, and why. */
export interface ReportedProblem {
  readonly clusterID: string;
  readonly reason: string;
  readonly message: string;
}

/** What members say that they cannot import, as a leader reads it. */
export interface ReportedImportProblems {
  /** Wakes the exports that a changed word of a member is about. */
  readonly source: Source;
  /** Why which clusters do not import the Service, in the order of their IDs. */
  of(service: ObjectRef): readonly ReportedProblem[];
}

/** `exportKeys`: the keys under which an export is merged. */
export function createReportedImportProblems(
  area: CommonArea,
  exportKeys: (object: ResourceExport) => readonly string[],
): ReportedImportProblems {
  const { cache } = area.announces;
  /** By the text of the annotation: it comes again with each heartbeat. */
  let read: ReadonlyMap<string, readonly ImportProblem[]> = new Map();
  const problemsOf = (text: string) => {
    const known = read.get(text);
    if (known !== undefined) return known;
    const problems = decodeImportProblems(text);
    const current = new Set(cache.list().map(textOf));
    read = new Map([...[...read].filter(([kept]) => current.has(kept)), [text, problems]]);
    return problems;
  };
  return {
    source: {
      get synced() {
        return cache.synced;
      },
      whenSynced: (signal) => cache.whenSynced(signal),
      start: (enqueue) =>
        cache.subscribe(({ before, after }) => {
          const [was, is] = [before, after].map((announce) => (announce === undefined ? '' : textOf(announce)));
          if (was === is) return;
          const problems = [was, is].flatMap((text) => problemsOf(text ?? ''));
          for (const object of area.exports.cache.list()) {
            const { namespace = '', name = '' } = object.spec ?? {};
            if (problems.some((problem) => isAbout(problem, { namespace, name })))
              for (const key of exportKeys(object)) enqueue(key);
          }
        }),
    },
    of: (service) =>
      cache
        .list()
        .flatMap((announce): readonly ReportedProblem[] => {
          const text = textOf(announce);
          const found = text === '' ? undefined : problemsOf(text).find((problem) => isAbout(problem, service));
          const { clusterID = '' } = announce;
          return found === undefined ? [] : [{ clusterID, reason: found.reason, message: found.message }];
        })
        .toSorted((a, b) => (a.clusterID < b.clusterID ? -1 : 1)),
  };
}

/** Of an announcement that speaks for a cluster (docs/spec/wire.md §10). */
function textOf(announce: MemberClusterAnnounce): string {
  const { metadata, clusterID } = announce;
  const speaks = isClusterID(clusterID) && metadata.name === memberAnnounceName(clusterID);
  return speaks && metadata.deletionTimestamp === undefined ? importProblemsText(announce) : '';
}

function isAbout({ namespace, name }: ImportProblem, service: ObjectRef): boolean {
  return namespace === service.namespace && (name === undefined || name === service.name);
}
