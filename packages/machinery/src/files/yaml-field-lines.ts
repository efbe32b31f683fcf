import { isMap, isScalar, isSeq, LineCounter } from 'yaml';
import type { Node } from 'yaml';
import { yamlDocuments } from './yaml-documents.ts';

/**
 * The line (from 1) on which a field of a YAML text begins, by its path as errors name it:
 * `spec.ports[0].port`, `labels[a.b/c]`. For a field that is not there it is the line of the
 * nearest one around it. `document` counts those that are not empty, from 0.
 *
 * Assumes a text that {@link parseYaml} has read. Cost: nothing until a line is asked for; then the
 * text is parsed once, and a look-up follows the path.
 */
export function yamlFieldLines(text: string, document = 0): (path: string) => number {
  let known: Place | undefined;
  return (path) => {
    known ??= placeOf(text, document);
    return lineIn(known, path);
  };
}

/** A document, and how offsets in its text become lines. */
interface Place {
  readonly root: Node | null | undefined;
  readonly lines: LineCounter;
}

function placeOf(text: string, document: number): Place {
  const lines = new LineCounter();
  // The reader of the text has already rejected duplicate keys. Checking them here takes time
  // quadratic in their number.
  const options = { version: '1.1', uniqueKeys: false, prettyErrors: false, lineCounter: lines } as const;
  const roots = yamlDocuments(text, options).map(({ contents }) => contents);
  return { root: roots.filter((one) => one !== null && !(isScalar(one) && one.value === null))[document], lines };
}

function lineIn({ root, lines }: Place, path: string): number {
  let node: unknown = root;
  let offset = root?.range?.[0];
  let rest = path;
  while (rest !== '') {
    const found = childAt(node, rest);
    if (found === undefined) break;
    node = found.node;
    offset = found.offset ?? offset;
    rest = rest.slice(found.length).replace(/^\./, '');
  }
  return lines.linePos(offset ?? 0).line;
}

interface Child {
  readonly node: unknown;
  /** The offset of the field's key, or of the item. */
  readonly offset: number | undefined;
  /** How much of the path it takes. */
  readonly length: number;
}

function childAt(node: unknown, path: string): Child | undefined {
  if (isSeq(node)) {
    const [taken = '', index = ''] = /^\[(\d+)\]/.exec(path) ?? [];
    const item = taken === '' ? undefined : node.items[Number(index)];
    return item === undefined ? undefined : { node: item, offset: rangeOf(item), length: taken.length };
  }
  if (!isMap(node)) return undefined;
  let longest: Child | undefined;
  for (const pair of node.items) {
    if (!isScalar(pair.key)) continue;
    const key = pair.key.source ?? String(pair.key.value);
    const length = lengthOfKey(key, path);
    if (length > (longest?.length ?? 0)) longest = { node: pair.value, offset: rangeOf(pair.key), length };
  }
  return longest;
}

/**
 * How much of a path names this key, as a field (`key`) or as the key of a map (`[key]`); 0 where
 * it does not.
 */
function lengthOfKey(key: string, path: string): number {
  if (path.startsWith(`[${key}]`)) return key.length + 2;
  return path.startsWith(key) && /^(?:$|[.[])/.test(path.slice(key.length)) ? key.length : 0;
}

function rangeOf(node: unknown): number | undefined {
  return (node as { readonly range?: readonly number[] | null | undefined }).range?.[0];
}
