import type { AstNode } from './syntax.ts';
import { nodesOf } from './syntax.ts';

/**
 * Whether an API server may accept an expression that does not compile here. The CEL library lacks
 * parts of the syntax and of Kubernetes' functions, and it is stricter where null, optional values
 * or dynamic values meet others: what fails by one of these is no proof.
 */
export function mayCompileElsewhere(text: string, error: unknown, root: AstNode | undefined): boolean {
  const { code = '', node, range } = error as Partial<LibraryError>;
  if (root === undefined) return isUnknownSyntax(text, code, range?.start ?? 0);
  const nodes = nodesOf(root);
  if (nodes.some(isMissingCall)) return true;
  if (code === 'unknown_variable' && node?.op === 'id' && node.args === 'optional_type') return true;
  if (node === undefined || certain.has(code)) return false;
  // Here the operand itself is named, and nowhere else.
  if (code === 'optional_expected') return isLoose(node);
  // The variable of a macro has no type; its range has one.
  if (code === 'invalid_comprehension_range') return isLoose(node.op === 'rcall' ? node.args[1] : node);
  return operandsOf(node).some(isLoose);
}

interface LibraryError {
  readonly code: string;
  readonly node: AstNode | undefined;
  readonly range: { readonly start: number } | undefined;
}

/** A name or a field that the types do not have is missing on every API server. */
const certain: ReadonlySet<string> = new Set(['unknown_variable', 'no_such_key']);

/**
 * Syntax of CEL that the library does not read: `[?a]`, `{?'a': b}`, `br''`, `Type{field: 1}`,
 * `.5`; and its limits of size.
 */
function isUnknownSyntax(text: string, code: string, at: number): boolean {
  if (code === 'limit_exceeded' || code === 'unsupported_type') return true;
  const [before, rest] = [text.slice(0, at).trimEnd(), text.slice(at)];
  if (rest.startsWith('?')) return /[[{,]$/.test(before);
  if (rest.startsWith('{')) return /[\w.]$/.test(before);
  if (/^['"]/.test(rest)) return /(?:^|\W)(?:[bB][rR]|[rR][bB])$/.test(before);
  return /^\.\d/.test(rest);
}

/** Functions that API servers have and `library.ts` does not. */
const missing: ReadonlySet<string> = new Set([
  'semver',
  'isSemver',
  'transformMapEntry',
  'sortBy',
  'unwrap',
  'unwrapOpt',
]);

function isMissingCall({ op, args }: AstNode): boolean {
  return (op === 'call' || op === 'rcall') && missing.has(args[0] as string);
}

function operandsOf({ op, args }: AstNode): readonly AstNode[] {
  if (op === 'call') return args[1];
  if (op === 'rcall') return [args[1], ...args[2]];
  const all: readonly unknown[] = Array.isArray(args) ? args.flat() : [args];
  return all.filter((one): one is AstNode => typeof one === 'object' && one !== null && 'op' in one);
}

/**
 * Numbers, texts, booleans, bytes, and lists and maps of them: what operators and functions take of
 * these is the same everywhere.
 */
const plain = /^(?:int|uint|double|string|bool|bytes|list|map|<|>|,| )+$/;

function isLoose({ checkedType }: AstNode): boolean {
  return !plain.test(checkedType?.name ?? 'dyn');
}
