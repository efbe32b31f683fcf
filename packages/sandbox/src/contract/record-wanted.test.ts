import { describe, expect, it } from 'vitest';
import { recordWanted } from './record-wanted.ts';

const names = ['services', 'serviceimports-v1alpha1', 'serviceimports-v1beta1'];

describe('the names that RECORD asks for', () => {
  it.each([
    [undefined, []],
    ['', []],
    ['1', names],
    ['services', ['services']],
    ['serviceimports', ['serviceimports-v1alpha1', 'serviceimports-v1beta1']],
    ['services,serviceimports-v1beta1', ['services', 'serviceimports-v1beta1']],
  ])('are for %j: %j', (record, wanted) => {
    expect(names.filter(recordWanted(record, names))).toEqual(wanted);
  });

  it('are rejected where nothing has them, so that nothing stays as it is unnoticed', () => {
    expect(() => recordWanted('services,ServiceImport', names)).toThrow(
      'RECORD=services,ServiceImport: ServiceImport is none of the names here: services, serviceimports-v1alpha1',
    );
  });
});
