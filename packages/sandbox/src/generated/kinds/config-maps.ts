import fc from 'fast-check';
import { fields, objects, oneOf } from '../arbitraries.ts';
import type { GeneratedKind } from '../frame.ts';
import { mutated } from '../mutations.ts';

const key = oneOf(
  'a',
  'b.txt',
  'C_D',
  '.hidden',
  'k-1',
  'd',
  'e',
  'f',
  '..',
  '..a',
  'a b',
  'k'.repeat(253),
  'k'.repeat(254),
);
const data = fc.dictionary(key, oneOf('', 'text', 'Zeilen\nund ä'), { maxKeys: 3, noNullPrototype: true });
const binaryData = fc.dictionary(key, oneOf('', 'AAEC', 'YWJj', 'YQ==', 'YWI=', 'AAEC', 'YWJj\n', 'YWJj', 'YWJ', '!'), {
  maxKeys: 2,
  noNullPrototype: true,
});

export const configMaps: GeneratedKind = {
  name: 'configmaps',
  path: (namespace) => `/api/v1/namespaces/${namespace}/configmaps`,
  objects: mutated(objects('v1', 'ConfigMap', fields({}, { data, binaryData, immutable: oneOf(true, false) })), {
    borders: ['.', '..'],
  }),
  count: 200,
};
