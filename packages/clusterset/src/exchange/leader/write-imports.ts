import type { ResourceImport } from '@isthmus/api';
import { Annotation, Label } from '@isthmus/api';
import { ApiError } from '@isthmus/kube';
import type { CommonArea } from '../common-area.ts';
import { marksItsWithdrawals } from '../loss/withdrawal.ts';
import type { ExportDecision, WriteAnswers } from './leader-exchange.ts';

/** Nothing has been written yet. */
export const noAnswers: WriteAnswers = { refused: new Map(), pruned: [] };

/**
 * Writes the imports that `decide` wants, in their order, and returns what the API server answered. Where it drops parts of a payload, the rest
 * is what `decide` wants on such a server.
 *
 * What one cluster exports, however large, must not hold up the others: a refused import is noted, and the next one written. After a failure that
 * may pass the other imports of single clusters are written, and not what all exporters share: merged endpoints that have more than those take
 * their place in every importer (docs/spec/wire.md §9). Errors: the first such failure.
 */
export async function writeImports(
  area: CommonArea,
  decide: (answers: WriteAnswers) => Pick<ExportDecision, 'wanted'>,
  signal: AbortSignal,
): Promise<WriteAnswers> {
  const refused = new Map<string, string>();
  let answers: WriteAnswers = { ...noAnswers, refused };
  let failure: ApiError | undefined;
  let { wanted } = decide(noAnswers);
  for (let next = 0; next < wanted.length; next++) {
    const object = wanted[next];
    if (object === undefined) break;
    if (failure !== undefined && object.metadata.labels?.[Label.sourceClusterID] === undefined) break;
    try {
      const written = await writeImport(area, object, signal);
      const pruned = [...new Set([...answers.pruned, ...prunedFields(written, object)])].toSorted();
      if (pruned.length > answers.pruned.length) {
        answers = { refused, pruned };
        ({ wanted } = decide({ ...noAnswers, pruned }));
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

async function writeImport(area: CommonArea, object: ResourceImport, signal: AbortSignal): Promise<ResourceImport> {
  const { name } = object.metadata;
  const current = area.imports.cache.get({ namespace: area.namespace, name });
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
    [Annotation.withdrawn]: ___,
    [Annotation.exportedMetadata]: ____,
    ...annotations
  } = current.metadata.annotations ?? {};
  const metadata = {
    ...current.metadata,
    labels: { ...labels, ...object.metadata.labels },
    annotations: { ...annotations, ...object.metadata.annotations, ...marksItsWithdrawals },
  };
  return area.imports.change(current, { ...current, metadata, spec: object.spec }, signal);
}

/** A refusal may quote what it refuses, of any length. */
function bounded(message: string): string {
  return message.length > 1_000 ? `${message.slice(0, 999)}…` : message;
}

/** The API server understood and refused: the object is malformed, forbidden, too large or invalid. What etcd finds too large is an internal error. */
function isRefusal({ code, message }: ApiError): boolean {
  return [400, 403, 413, 422].includes(code) || (code === 500 && message.includes('request is too large'));
}

/** The parts of the payload that the API server dropped, because its resource definitions do not know them. */
function prunedFields(written: ResourceImport, wanted: ResourceImport): readonly string[] {
  const kept: Readonly<Record<string, unknown>> = { ...written.spec };
  return Object.entries(wanted.spec ?? {}).flatMap(([field, value]) =>
    value !== undefined && kept[field] === undefined ? [field] : [],
  );
}
