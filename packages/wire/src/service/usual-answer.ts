import type { ExportCondition } from '../conditions.ts';
import { noConflicts } from './merge/conflicts/conflicts.ts';

/**
 * Whether these conditions report the same as a published import: the export is merged unchanged,
 * and no other exporter contradicts it (docs/spec/wire.md §9).
 */
export function isUsualAnswer(conditions: readonly ExportCondition[]): boolean {
  return conditions.every(({ type, status, reason, message = '' }) => {
    if (type === 'Succeeded') return status === 'True' && message === '';
    return type === noConflicts.type && status === noConflicts.status && reason === noConflicts.reason;
  });
}
