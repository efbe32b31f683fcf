import { parseFieldsV1 } from '@isthmus/machinery';
import type { FieldSet, KubernetesObject, ManagedFieldsEntry } from '@isthmus/machinery';

/**
 * Who wrote a field last, by `managedFields`: of those that own the field, or most of the way to it, the latest. Undefined where nobody says.
 * The field is as `fieldOf` writes it.
 */
export function lastWriter({ metadata }: KubernetesObject, field: string): string | undefined {
  const steps = field.split(/\.|(?=\[)/).filter((step) => step !== '');
  let best: { readonly depth: number; readonly time: string; readonly name: string } | undefined;
  for (const entry of (metadata.managedFields ?? []) as readonly Partial<ManagedFieldsEntry>[]) {
    const fields = fieldsOf(entry);
    const depth = fields === undefined ? 0 : depthIn(fields, steps);
    const { time = '', manager: name } = entry ?? {};
    if (depth === 0 || name === undefined) continue;
    if (best === undefined || depth > best.depth || (depth === best.depth && time > best.time))
      best = { depth, time, name };
  }
  return best?.name;
}

function fieldsOf(entry: Partial<ManagedFieldsEntry> | undefined): FieldSet | undefined {
  try {
    return parseFieldsV1(entry?.fieldsV1);
  } catch {
    // What cannot be read tells of nobody.
    return undefined;
  }
}

/** How many of the steps the set goes along. Steps into lists and maps go along with any item or key. */
function depthIn(set: FieldSet, [step, ...rest]: readonly string[]): number {
  if (step === undefined) return 0;
  const named = step.startsWith('[') ? undefined : set.entries.get(`f:${step}`);
  const entries = step.startsWith('[') ? [...set.entries.values()] : named === undefined ? [] : [named];
  return entries.reduce((deepest, { children }) => Math.max(deepest, 1 + depthIn(children, rest)), 0);
}
