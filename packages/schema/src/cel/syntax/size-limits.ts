import type { AstNode } from './syntax.ts';
import { childrenOf } from './syntax.ts';

/**
 * The limits of cel-go's parser as API servers configure it: characters of an expression, and
 * operators and members in a row.
 */
const mostCharacters = 100_000;
const mostNested = 250;
/**
 * `&&` and `||` nest as far as they are written here; cel-go balances them. Beyond this the call
 * stack may not suffice.
 */
const mostWritten = 1_500;

/**
 * Operators that do not count: the content of brackets is limited only by the parser, and the
 * library has the same limit.
 */
const uncounted: ReadonlySet<string> = new Set(['&&', '||', 'list', 'map', 'call', '?:', '!_', '-_', 'comprehension']);

/** The API server's error for a text that is too long for an expression. */
export function lengthProblem(text: string): string | undefined {
  if (text.length <= mostCharacters) return undefined;
  const size = Array.from(text).length;
  if (size <= mostCharacters) return undefined;
  return `ERROR: <input>:-1:0: expression code point size exceeds limit: size: ${size}, limit ${mostCharacters}`;
}

/**
 * The error of an expression that is too deep: for every API server, or for this compiler alone
 * (`isNotJudged`).
 */
export function depthProblem(
  root: AstNode,
): { readonly problem: string; readonly isNotJudged?: true | undefined } | undefined {
  const found: { readonly node: AstNode; readonly written: number; readonly nested: number }[] = [
    { node: root, written: 1, nested: 0 },
  ];
  let deepest = 0;
  for (let index = 0; index < found.length; index++) {
    const { node, written, nested } = found[index] as (typeof found)[number];
    if (nested > mostNested) return { problem: 'ERROR: <input>:-1:0: max recursion depth exceeded' };
    deepest = Math.max(deepest, written);
    for (const child of childrenOf(node)) {
      found.push({ node: child, written: written + 1, nested: uncounted.has(node.op) ? nested : nested + 1 });
    }
  }
  return deepest <= mostWritten
    ? undefined
    : { problem: 'ERROR: <input>:-1:0: the expression is nested too deeply to be judged', isNotJudged: true };
}
