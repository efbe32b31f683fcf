import type { KubernetesObject } from '@isthmus/machinery';

/**
 * The fields that are read from an entry of `managedFields`: other clients wrote it, so any part
 * may be missing.
 */
interface WriterEntry {
  readonly manager?: string | undefined;
  readonly time?: string | undefined;
  readonly fieldsV1?: unknown;
}

/**
 * The field manager that wrote a field last, by `managedFields`: of those that own the field, or
 * most of the way to it, the latest. Undefined where no entry names one. The field is as `fieldOf`
 * writes it.
 */
export function lastWriter({ metadata }: KubernetesObject, field: string): string | undefined {
  const steps = field.split(/\.|(?=\[)/).filter((step) => step !== '');
  let best: { readonly depth: number; readonly time: string; readonly name: string } | undefined;
  for (const entry of (metadata.managedFields ?? []) as readonly (WriterEntry | null)[]) {
    const { time = '', manager: name, fieldsV1 } = entry ?? {};
    const depth = depthIn(fieldsV1, steps);
    if (depth === 0 || name === undefined) continue;
    if (best === undefined || depth > best.depth || (depth === best.depth && time > best.time))
      best = { depth, time, name };
  }
  return best?.name;
}

/**
 * How many of the steps `fieldsV1` goes along. Steps into lists and maps go along with any item or
 * key.
 */
function depthIn(fields: unknown, [step, ...rest]: readonly string[]): number {
  if (step === undefined || typeof fields !== 'object' || fields === null) return 0;
  const below = Object.entries(fields)
    .filter(([element]) => (step.startsWith('[') ? element !== '.' : element === `f:${step}`))
    .map(([, inner]) => 1 + depthIn(inner, rest));
  return Math.max(0, ...below);
}
