/**
 * Reads the imports of TypeScript files: declarations of values and of types, re-exports, imports
 * while the program runs, and types written as `import('…')`. Pure: texts in, ties out.
 */
import { posix } from 'node:path';
import type { SyntaxNode } from './syntax.ts';
import { childrenOf, field, parseSource } from './syntax.ts';

/** One import of a file by another one. */
export interface Tie {
  readonly from: string;
  readonly to: string;
  /** Counted from 1. */
  readonly line: number;
  /** The import on one line, without its semicolon. */
  readonly text: string;
}

const exempt = /\.test\.ts$|\/testing\//;

/**
 * The imports between these files (path → text). Imports by or of tests and files of `testing/`
 * folders do not count, because these look at the others from outside. Paths use `/`, and are
 * relative to the same place. Errors: throws if a text is not TypeScript.
 */
export function tiesBetween(files: ReadonlyMap<string, string>): readonly Tie[] {
  return [...files].flatMap(([from, text]) => {
    if (exempt.test(from)) return [];
    return importsOf(text).flatMap(({ node, specifier }): readonly Tie[] => {
      const to = targetOf(from, specifier);
      if (to === undefined || !files.has(to) || exempt.test(to)) return [];
      const { start, end } = node;
      if (typeof start !== 'number' || typeof end !== 'number') return [];
      const line = text.slice(0, start).split('\n').length;
      return [{ from, to, line, text: text.slice(start, end).replace(/;$/, '').replaceAll(/\s+/g, ' ') }];
    });
  });
}

/** The file that an import leads to: one beside it, or the index of its own package. */
function targetOf(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier);
  const [folder, name] = /^packages\/([^/]+)\/src\//.exec(from) ?? [];
  return name !== undefined && specifier === `@isthmus/${name}` ? `${folder}index.ts` : undefined;
}

interface Import {
  readonly node: SyntaxNode;
  readonly specifier: string;
}

function importsOf(text: string): readonly Import[] {
  const found: Import[] = [];
  const look = (node: SyntaxNode) => {
    const specifier = field(node, 'source')?.['value'];
    if (typeof specifier === 'string') found.push({ node, specifier });
    childrenOf(node).forEach(look);
  };
  parseSource(text).body.forEach(look);
  return found;
}
