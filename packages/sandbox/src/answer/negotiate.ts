import { failureStatus } from '@isthmus/machinery';
import { Refusal } from '../refusal/refusal.ts';

/** How an answer about objects is to look. */
export interface Negotiated {
  readonly format: 'json' | 'yaml';
  readonly as: 'object' | 'table' | 'metadata' | 'metadata-list';
}

/** The media types of answers, in the words of the server's errors. */
const acceptable = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** The media types of streams. */
export const streams: readonly string[] = [
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
];

/**
 * The first form in an `Accept` header that the server has. Table and PartialObjectMetadata exist
 * only in `meta.k8s.io/v1`; protobuf is not supported and ignored. `hasTables`: whether the request
 * can be answered with a Table. Errors: 406 if the server has none of the forms.
 */
export function negotiate(accept: string | undefined, hasTables = true): Negotiated {
  const clauses = (accept ?? '').split(',').filter((clause) => clause.trim() !== '');
  if (clauses.length === 0) return { format: 'json', as: 'object' };
  for (const clause of byQuality(clauses)) {
    const found = formOf(clause);
    if (found !== undefined && (hasTables || found.as !== 'table')) return found;
  }
  const message = `only the following media types are accepted: ${acceptable.join(', ')}`;
  throw new Refusal(failureStatus({ reason: 'NotAcceptable', message }));
}

/**
 * The first check of a route: a clause must name one of its media types, with any parameters.
 * Errors: 406 if none does.
 */
export function checkAcceptable(accept: string | undefined, more: readonly string[] = [], types = acceptable): void {
  if (accept === undefined || accept === '') return;
  const asked = accept.split(',').map((clause) => (clause.split(';')[0] ?? '').trim());
  if (asked.some((type) => type === '*/*' || types.includes(type))) return;
  const message = `406: Not Acceptable\n\nAvailable representations: ${[...types, ...more].join(', ')}`;
  throw new Refusal(failureStatus({ reason: 'NotAcceptable', message, details: {} }));
}

function formOf(clause: string): Negotiated | undefined {
  const [type = '', ...rest] = clause.split(';').map((part) => part.trim());
  const parameters = new Map(rest.map((part) => [part.split('=')[0] ?? '', part.slice(part.indexOf('=') + 1)]));
  const format = formats.get(type);
  if (format === undefined) return undefined;
  const as = parameters.get('as');
  if (as === undefined) return { format, as: 'object' };
  const form = forms.get(as);
  if (form === undefined || parameters.get('g') !== 'meta.k8s.io' || parameters.get('v') !== 'v1') return undefined;
  return { format, as: form };
}

const forms: ReadonlyMap<string, Negotiated['as']> = new Map([
  ['Table', 'table'],
  ['PartialObjectMetadata', 'metadata'],
  ['PartialObjectMetadataList', 'metadata-list'],
]);

const formats: ReadonlyMap<string, 'json' | 'yaml'> = new Map([
  ['application/json', 'json'],
  ['application/*', 'json'],
  ['*/*', 'json'],
  ['application/yaml', 'yaml'],
]);

/** Sorts by `q`, highest first; clauses of equal `q` keep their order. */
function byQuality(clauses: readonly string[]): readonly string[] {
  const quality = (clause: string) => Number(/;\s*q=([\d.]+)/.exec(clause)?.[1] ?? 1);
  return clauses.toSorted((a, b) => quality(b) - quality(a));
}
