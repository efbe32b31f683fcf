import { printYaml } from '@isthmus/machinery';

/**
 * A document for programs, with a line end; both formats hold the same fields in the same order.
 * What is undefined is left out.
 */
export function documentText(document: object, format: 'json' | 'yaml'): string {
  const json = JSON.stringify(document, null, 2);
  return format === 'json' ? `${json}\n` : printYaml(JSON.parse(json) as object);
}
