import { wordFor } from './decode-scalar.ts';
import type { ParsedJson } from './parsed-json.ts';
import { entriesOf } from './strict-errors.ts';

export type TypeMetaResult =
  | { readonly kind: 'read'; readonly typeMeta: { readonly apiVersion: string; readonly kind: string } }
  /** `couldn't get version/kind; json parse error: …`. */
  | { readonly kind: 'refused'; readonly message: string };

const struct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/**
 * The apiVersion and kind of a body, which the API server reads before everything else; empty if
 * they are missing. It ignores case: `Kind` counts here, and is an unknown field later on.
 */
export function typeMetaOf({ value, oddities }: ParsedJson): TypeMetaResult {
  const found = { apiVersion: '', kind: '' };
  if (value === null) return { kind: 'read', typeMeta: found };
  if (typeof value !== 'object' || Array.isArray(value)) {
    return refused(`json: cannot unmarshal ${wordFor(value)} into Go value of type ${struct}`);
  }
  let problem: string | undefined;
  for (const { key, value: one } of entriesOf(value, oddities)) {
    const field = key.toLowerCase() === 'kind' ? 'kind' : key.toLowerCase() === 'apiversion' ? 'apiVersion' : undefined;
    if (field === undefined || one === null) continue;
    if (typeof one === 'string') found[field] = one;
    else problem ??= `json: cannot unmarshal ${wordFor(one)} into Go struct field .${field} of type string`;
  }
  return problem === undefined ? { kind: 'read', typeMeta: found } : refused(problem);
}

/** The API server's error for a body that is not JSON. */
export function malformedMessage(message: string): string {
  return `couldn't get version/kind; json parse error: ${message}`;
}

function refused(message: string): TypeMetaResult {
  return { kind: 'refused', message: malformedMessage(message) };
}
