/**
 * The bytes of all names and values of an object, an expression: about the size of its JSON without
 * punctuation. `format` prints maps and lists; the library has no other function for whole objects.
 */
export function bytesOf(object: 'object' | 'oldObject'): string {
  return `bytes('%s'.format([${object}])).size()`;
}
