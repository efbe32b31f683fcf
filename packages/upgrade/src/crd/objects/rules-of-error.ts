import type { CrdRuleId } from '../crd-rule.ts';
import type { VerdictError } from './judge-write.ts';

/**
 * Changes that replace everything that is allowed at a place: they may cause any error there or
 * below.
 */
const ofAll: readonly CrdRuleId[] = ['F03', 'F21', 'F22', 'F23', 'F34'];

/** The rules about CRDs whose change makes that stored values are pruned. */
export const rulesOfLoss: readonly CrdRuleId[] = ['F01', 'F02', ...ofAll];

/**
 * The rules about CRDs whose change may cause this error (`docs/upgrade/crd-rules.md`), by the kind
 * of the error, not by its path. The list contains too many rules rather than too few: a rule that
 * is checked against no object is reported as unused.
 */
export function rulesOfError(found: VerdictError): readonly CrdRuleId[] {
  return [...ownRules(found), ...ofAll].toSorted();
}

function ownRules({ error: { type, detail, path }, by }: VerdictError): readonly CrdRuleId[] {
  if (by === 'embedded') return ['F25'];
  if (by === 'rules') return ['F30'];
  if (type === 'Duplicate') return ['F26', 'F27'];
  // A null that is dropped is missing.
  if (type === 'Required') return ['F05', 'F08', 'F17', 'F27'];
  if (type === 'NotSupported') return ['F09'];
  if (type === 'TooLong' || type === 'TooMany') return ['F12'];
  if (isOfRange(detail)) return ['F11', 'F12', 'F13', 'F16'];
  if (path === '<nil>') return ['F08'];
  if (type === 'TypeInvalid') return ['F16', 'F17', 'F24', 'F25'];
  const found = ofLimits.find(([pattern]) => pattern.test(detail));
  return found === undefined ? limits : found[1];
}

const limits: readonly CrdRuleId[] = ['F11', 'F12', 'F13', 'F14', 'F16'];

const ofLimits: readonly (readonly [pattern: RegExp, rules: readonly CrdRuleId[]])[] = [
  [/ in body should match '/, ['F14']],
  [/ in body should be a multiple of /, ['F13']],
  [/ in body should (?:be at least|have at least|be greater than or equal to) /, ['F11']],
  [/ in body should be greater than /, ['F11', 'F13']],
  [/ in body should be less than or equal to /, ['F12']],
  [/ in body should be less than /, ['F12', 'F13']],
];

/**
 * Matches errors about numbers that are too large for their type; the API server names the field at
 * the end of the text.
 */
const ofRange = /^(?:Checked|MultipleOf|Minimum boundary|Maximum boundary) value must be of type .* in ([^ ]+)$/s;

/** Whether an error is about a number that is too large for its type. */
export function isOfRange(detail: string): boolean {
  return ofRange.test(detail);
}

/**
 * The path of an error for which the API server names no field; empty if its text does not contain
 * it either.
 */
export function placeInDetail(detail: string): string {
  return /^"((?:[^"\\]|\\.)*)" must/.exec(detail)?.[1] ?? ofRange.exec(detail)?.[1] ?? '';
}
