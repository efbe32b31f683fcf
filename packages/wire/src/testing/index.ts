// For tests of packages that use the wire: the rows of its tables.
export { ports } from '../service/merge/testing/exports.ts';
export { wholeFieldRows } from '../service/merge/testing/whole-field-examples.ts';
