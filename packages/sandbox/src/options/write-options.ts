import type { ApiRequest } from '@isthmus/kube';
import type { FieldError } from '@isthmus/schema';
import { invalid, invalidValue } from '../refusal/refusal.ts';
import { dryRunErrors } from './delete-options.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
}

const fieldValidations: readonly string[] = ['', 'Ignore', 'Warn', 'Strict'];
const maxFieldManagerLength = 128;

/**
 * Reads `dryRun`, `fieldValidation` and `fieldManager`. Errors: 422 in the words of the real
 * server.
 */
export function writeOptionsOf(
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  query: Readonly<Record<string, string>>,
): WriteOptions {
  const { dryRun, fieldManager = '', fieldValidation = '' } = query;
  const errors: FieldError[] = [];
  if (fieldManager.length > maxFieldManagerLength) {
    errors.push({
      path: 'fieldManager',
      type: 'TooLong',
      value: '',
      detail: `may not be more than ${maxFieldManagerLength} bytes`,
    });
  }
  const unprintable = Array.from(fieldManager).findIndex((character) => !printable.test(character));
  if (unprintable >= 0) {
    const code = (Array.from(fieldManager)[unprintable]?.codePointAt(0) ?? 0)
      .toString(16)
      .toUpperCase()
      .padStart(4, '0');
    const detail = `invalid character U+${code} (at position ${unprintable})`;
    errors.push(invalidValue('fieldManager', fieldManager, detail));
  }
  errors.push(...dryRunErrors(dryRun === undefined || dryRun === '' ? [] : [dryRun]));
  if (!fieldValidations.includes(fieldValidation)) {
    const detail = 'supported values: "", "Ignore", "Strict", "Warn"';
    errors.push({ path: 'fieldValidation', type: 'NotSupported', value: fieldValidation, detail });
  }
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', errors);
  return {
    dryRun: dryRun === 'All',
    fieldValidation: fieldValidation === '' ? 'Warn' : (fieldValidation as FieldValidation),
  };
}

/**
 * The field manager of a write: the query's `fieldManager`, or the first word of the user agent.
 */
export function fieldManagerOf({ query, headers }: ApiRequest): string {
  const named = query?.['fieldManager'] ?? '';
  if (named !== '') return named;
  const agent = headers?.['user-agent'] ?? '';
  return (agent.split('/')[0] ?? '').slice(0, maxFieldManagerLength);
}

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
