import type { ResourceImport } from '@isthmus/api';
import { Annotation, Label } from '@isthmus/api';
import { ApiError, isRejected } from '@isthmus/kube';
import { marksItsWithdrawals, soleSource, sourceClusterOf, withoutNetworkAnnotations } from '@isthmus/wire';
import type { ExportDecision, WriteAnswers } from '@isthmus/wire';
import type { CommonArea } from './common-area.ts';
import { markWithdrawn } from '../loss/withdraw-objects.ts';

/** Nothing has been written yet. */
export const noAnswers: WriteAnswers = { refused: new Map(), pruned: [] };

/** What was decided before anything is written. */
export interface DecidedImports extends Pick<ExportDecision, 'wanted'> {
  /** Decides again, with what the API server answered meanwhile. */
  readonly decide: (answers: WriteAnswers) => Pick<ExportDecision, 'wanted'>;
}

/**
 * Writes the imports that are wanted, in their order, and returns what the API server answered. Where it drops parts of a payload, the rest
 * is what `decide` wants on such a server.
 *
 * What one cluster exports, however large, must not hold up the others: a refused import is noted, and the next one written. After a failure that
 * may pass the other imports of single clusters are written, and not what all exporters share: merged endpoints that have more than those take
 * their place in every importer (docs/spec/wire.md §9). Errors: the first such failure.
 */
export async function writeImports(
  area: CommonArea,
  { wanted: first, decide }: DecidedImports,
  { nowMs, signal }: { readonly nowMs: number; readonly signal: AbortSignal },
): Promise<WriteAnswers> {
  const refused = new Map<string, string>();
  let answers: WriteAnswers = { ...noAnswers, refused };
  let failure: ApiError | undefined;
  let wanted = first;
  for (let next = 0; next < wanted.length; next++) {
    const object = wanted[next];
    if (object === undefined) break;
    if (failure !== undefined && object.metadata.labels?.[Label.sourceClusterID] === undefined) break;
    try {
      const written = await writeImport(area, { object, wanted, nowMs }, signal);
      const pruned = [...new Set([...answers.pruned, ...prunedFields(written, object)])].toSorted();
      if (pruned.length > answers.pruned.length) {
        answers = { refused, pruned };
        ({ wanted } = decide({ ...noAnswers, pruned }));
        if (wanted[next]?.metadata.name !== object.metadata.name) next = -1;
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (isRefusal(error)) refused.set(object.metadata.name, bounded(error.message));
      else failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return answers;
}

interface ImportToWrite {
  readonly object: ResourceImport;
  /** All imports that there are to be. */
  readonly wanted: readonly ResourceImport[];
  /** Wall clock, epoch milliseconds. */
  readonly nowMs: number;
}

async function writeImport(
  area: CommonArea,
  { object, wanted, nowMs }: ImportToWrite,
  signal: AbortSignal,
): Promise<ResourceImport> {
  const current = await markReplaced(area, { object, wanted, nowMs }, signal);
  if (current === undefined) {
    const annotations = { ...object.metadata.annotations, ...marksItsWithdrawals };
    return area.imports.create(
      { ...object, metadata: { ...object.metadata, namespace: area.namespace, annotations } },
      signal,
    );
  }
  // The only label of ours that an import may lose: members of 0.1.0 pass over imports that carry it.
  const { [Label.sourceKind]: _, ...labels } = current.metadata.labels ?? {};
  const {
    [Annotation.sourceWithdrawals]: __,
    [Annotation.firstExported]: ___,
    [Annotation.withdrawn]: ____,
    [Annotation.exportedMetadata]: _____,
    [Annotation.networkConflict]: ______,
    ...annotations
  } = withoutNetworkAnnotations(current.metadata.annotations);
  const metadata = {
    ...current.metadata,
    labels: { ...labels, ...object.metadata.labels },
    annotations: { ...annotations, ...object.metadata.annotations, ...marksItsWithdrawals },
  };
  return area.imports.change(current, { ...current, metadata, spec: object.spec }, signal);
}

/**
 * The import as it is, marked where what it has of its only exporter is withdrawn by what takes its place: there is nothing to delete, but members that
 * find these endpoints missing have to know that nobody lost them.
 */
async function markReplaced(
  area: CommonArea,
  { object, wanted, nowMs }: ImportToWrite,
  signal: AbortSignal,
): Promise<ResourceImport | undefined> {
  const { name } = object.metadata;
  const current = area.imports.cache.get({ namespace: area.namespace, name });
  const replaced = current === undefined ? undefined : soleSource(current);
  const isLeft = replaced === undefined || wanted.some((other) => sourceClusterOf(other) === replaced);
  return current === undefined || isLeft ? current : markWithdrawn(area.imports, current, { nowMs, signal });
}

/** A refusal may quote what it refuses, of any length. */
function bounded(message: string): string {
  return message.length > 1_000 ? `${message.slice(0, 999)}…` : message;
}

/** What etcd finds too large is an internal error. */
function isRefusal(error: ApiError): boolean {
  const { code, message } = error;
  return isRejected(error) || (code === 500 && message.includes('request is too large'));
}

/** The parts of the payload that the API server dropped, because its resource definitions do not know them. */
function prunedFields(written: ResourceImport, wanted: ResourceImport): readonly string[] {
  const kept: Readonly<Record<string, unknown>> = { ...written.spec };
  return Object.entries(wanted.spec ?? {}).flatMap(([field, value]) =>
    value !== undefined && kept[field] === undefined ? [field] : [],
  );
}
