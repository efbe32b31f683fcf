import type { ResourceImport } from '@isthmus/api';
import { Annotation, Label } from '@isthmus/api';
import { ApiError, isRejected } from '@isthmus/kube';
import { marksItsWithdrawals, soleSource, sourceClusterOf, withoutNetworkAnnotations } from '@isthmus/wire';
import type { ExportDecision, WriteAnswers } from '@isthmus/wire';
import type { CommonArea } from './common-area.ts';
import { markWithdrawn } from '../loss/withdraw-objects.ts';

/** Nothing has been written yet. */
export const noAnswers: WriteAnswers = { refused: new Map(), pruned: [] };

/** The decision before anything is written. */
export interface DecidedImports extends Pick<ExportDecision, 'wanted'> {
  /** Decides again, with the answers of the API server in the meantime. */
  readonly decide: (answers: WriteAnswers) => Pick<ExportDecision, 'wanted'>;
}

/**
 * Writes the wanted imports in their order, and returns the answers of the API server. If it drops
 * parts of a payload, the rest is what `decide` wants on that server.
 *
 * The exports of one cluster, however large, must not block those of others. A rejected import is
 * recorded, and the next one is written. After a failure that may pass, the other imports of single
 * clusters are still written. The imports that all exporters share are not: merged endpoints that
 * have more than those replace them in every importer (docs/spec/wire.md §9). Errors: the first
 * failure that may pass.
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
  /** All imports that should exist. */
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
  // The only label of ours that an import may lose: members of 0.1.0 ignore imports that carry it.
  const { [Label.sourceKind]: _, ...labels } = current.metadata.labels ?? {};
  const {
    [Annotation.sourceWithdrawals]: __,
    [Annotation.firstExported]: ___,
    [Annotation.withdrawn]: ____,
    [Annotation.exportedMetadata]: _____,
    [Annotation.networkConflict]: ______,
    [Annotation.judgedRanges]: _______,
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
 * The unchanged import with a mark. Its replacement withdraws the endpoints of its only exporter.
 * Nothing is deleted, but members that miss these endpoints have to know that they were not lost.
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

/** Limits the length: a rejection may quote the rejected object. */
function bounded(message: string): string {
  return message.length > 1_000 ? `${message.slice(0, 999)}…` : message;
}

/** An object that is too large for etcd causes an internal error. */
function isRefusal(error: ApiError): boolean {
  const { code, message } = error;
  return isRejected(error) || (code === 500 && message.includes('request is too large'));
}

/** The parts of the payload that the API server dropped, because its CRDs do not know them. */
function prunedFields(written: ResourceImport, wanted: ResourceImport): readonly string[] {
  const kept: Readonly<Record<string, unknown>> = { ...written.spec };
  return Object.entries(wanted.spec ?? {}).flatMap(([field, value]) =>
    value !== undefined && kept[field] === undefined ? [field] : [],
  );
}
