import { describe, expect, it } from 'vitest';
import { conflictCure } from './conflict-cure.ts';

const service = { metadata: { namespace: 'shop', name: 'cart' } };
const edit = 'To resolve it, make them the same in every exporting cluster: kubectl -n shop edit';
const replace =
  'To resolve the type, make the Service headless in every exporting cluster or in none. Its ClusterIP cannot be edited: delete the Service where it differs, and create it again: kubectl -n shop delete service cart';

describe('the way to resolve a conflict', () => {
  it.each([
    ['of the Service is to edit it', 'PortConflict', `${edit} service cart`],
    ['of what the export adds is to edit the export', 'LabelsConflict', `${edit} serviceexport cart`],
    [
      'of both is to edit both',
      'PortConflict,AnnotationsConflict',
      `${edit} service cart; kubectl -n shop edit serviceexport cart`,
    ],
    ['of types is to create the Service again', 'TypeConflict', replace],
    ['of types and other fields is both', 'PortConflict,TypeConflict', `${edit} service cart. ${replace}`],
    ['of types and labels is both', 'LabelsConflict,TypeConflict', `${edit} serviceexport cart. ${replace}`],
    ['that a later version reports is not known', 'MoodConflict', ''],
  ])('%s', (_, reasons, cure) => {
    expect(conflictCure(reasons, service)).toBe(cure);
  });
});
