import { describe, expect, it } from 'vitest';
import { parseManagedFields, printManagedFields } from './managers.ts';
import type { ManagedFieldsEntry } from './managers.ts';

const entry = (
  operation: 'Apply' | 'Update',
  manager: string,
  second: number,
  subresource = '',
): ManagedFieldsEntry => ({
  manager,
  operation,
  apiVersion: 'v1',
  time: `2026-01-01T00:00:0${second}Z`,
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': {} },
  ...(subresource === '' ? {} : { subresource }),
});

describe('managedFields', () => {
  it('are sorted by operation, then by the second of the write, then by manager and subresource, as the API server does', () => {
    const sorted = [
      entry('Apply', 'z', 9),
      entry('Update', 'b', 1),
      entry('Update', 'b', 1, 'status'),
      entry('Update', 'c', 1),
      entry('Update', 'a', 2),
    ];
    expect(printManagedFields(parseManagedFields(sorted.toReversed()))).toEqual(sorted);
  });
});
