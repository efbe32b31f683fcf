import type { FieldError } from '@isthmus/schema';
import { badRequest, invalid, invalidValue } from '../refusal/refusal.ts';

/** `DeleteOptions`, from the body or from the query. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly preconditions?: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined };
  readonly orphanDependents?: boolean | undefined;
  readonly propagationPolicy?: string | undefined;
  readonly dryRun?: readonly string[] | undefined;
}

const policies = ['Foreground', 'Background', 'Orphan'];

/** Reads the options of a DELETE. A body wins over the query as a whole. */
export function deleteOptionsOf(body: unknown, query: Readonly<Record<string, string>>): DeleteOptions {
  const options = body === undefined ? fromQuery(query) : fromBody(body);
  const errors: FieldError[] = [];
  if (options.propagationPolicy !== undefined && options.orphanDependents !== undefined) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set';
    errors.push(invalidValue('propagationPolicy', options.propagationPolicy, detail));
  } else if (options.propagationPolicy !== undefined && !policies.includes(options.propagationPolicy)) {
    const supported = [...policies, 'nil'].map((each) => JSON.stringify(each)).join(', ');
    errors.push({
      path: 'propagationPolicy',
      type: 'NotSupported',
      value: options.propagationPolicy,
      detail: `supported values: ${supported}`,
    });
  }
  errors.push(...dryRunErrors(options.dryRun ?? []));
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  return options;
}

/** The errors of the values of `dryRun`. */
export function dryRunErrors(values: readonly string[]): readonly FieldError[] {
  const wrong = values.find((value) => value !== 'All');
  if (wrong === undefined) return [];
  return [{ path: 'dryRun', type: 'NotSupported', value: values, detail: 'supported values: "All"' }];
}

function fromQuery(query: Readonly<Record<string, string>>): DeleteOptions {
  const grace = query['gracePeriodSeconds'];
  if (grace !== undefined && !/^-?\d+$/.test(grace)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`);
  }
  return {
    ...(grace !== undefined && { gracePeriodSeconds: Number(grace) }),
    ...(query['propagationPolicy'] !== undefined && { propagationPolicy: query['propagationPolicy'] }),
    ...(query['orphanDependents'] !== undefined && { orphanDependents: query['orphanDependents'] === 'true' }),
    ...(query['dryRun'] !== undefined && { dryRun: [query['dryRun']] }),
  };
}

function fromBody(body: unknown): DeleteOptions {
  return typeof body === 'object' && body !== null ? body : {};
}
