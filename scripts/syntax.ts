/**
 * The syntax tree of a TypeScript file, as far as `test-titles.ts` reads it: its names, the values
 * that can be computed without running it, and its comments. Pure: text in, nodes out.
 */
import { parseSync } from 'rolldown/utils';

/**
 * A node of the tree (ESTree with TypeScript's nodes). Fields are read with `field` and `list`,
 * which check what they find.
 */
export interface SyntaxNode {
  readonly type: string;
  readonly [name: string]: unknown;
}

/** The place to look up names: the statements of a block or file, and their file. */
export interface Scope {
  readonly body: readonly SyntaxNode[];
  readonly file: SourceFile;
}

export interface SourceFile {
  readonly body: readonly SyntaxNode[];
  /** The file behind the specifier of an import, where there is one. */
  readonly imported: (specifier: string) => SourceFile | undefined;
}

/** Something together with the scopes in which its names mean something, the innermost last. */
export interface Placed {
  readonly node: SyntaxNode;
  readonly scopes: readonly Scope[];
}

/** Parses a file. Errors: text that is no TypeScript, with the parser's words. */
export function parseSource(text: string, imported: SourceFile['imported'] = () => undefined): SourceFile {
  const { program, errors } = parseSync('source.ts', text);
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('; '));
  return { body: list(program as unknown as SyntaxNode, 'body'), imported };
}

/** A comment without its markers: one block, or `//` lines directly below one another. */
interface Comment {
  /** The line of the file on which it begins, from 1. */
  readonly line: number;
  /** Its lines, without the `//` or `*` before each. */
  readonly lines: readonly string[];
}

/** The comments of a file, in the order of the source. Errors: as of `parseSource`. */
export function commentsOf(text: string): readonly Comment[] {
  const { comments, errors } = parseSync('source.ts', text);
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('; '));
  const groups: { start: number; end: number; isLine: boolean; lines: string[] }[] = [];
  for (const { type, value, start, end } of comments) {
    const last = groups.at(-1);
    const isLine = type === 'Line';
    if (last?.isLine === true && isLine && /^\n[ \t]*$/.test(text.slice(last.end, start))) {
      last.lines.push(value);
      last.end = end;
    } else {
      const lines = isLine ? [value] : value.split('\n').map((line) => line.replace(/^\s*\*/, ''));
      groups.push({ start, end, isLine, lines });
    }
  }
  return groups.map(({ start, lines }) => ({ line: text.slice(0, start).split('\n').length, lines }));
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** The node in a field, where there is one. */
export function field(node: SyntaxNode | undefined, name: string): SyntaxNode | undefined {
  const value = node?.[name];
  return isNode(value) ? value : undefined;
}

/** The nodes of a field that holds several; holes of arrays are left out. */
export function list(node: SyntaxNode | undefined, name: string): readonly SyntaxNode[] {
  const value = node?.[name];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** All nodes directly below, in the order of the source. */
export function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );
}

/** The name that an identifier, or a property that is not computed, stands for. */
export function nameOf(node: SyntaxNode | undefined): string | undefined {
  if (node?.type === 'Identifier' && typeof node['name'] === 'string') return node['name'];
  return node?.type === 'Literal' ? String(node['value']) : undefined;
}

const wrappers = ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'ParenthesizedExpression'];

/** An expression without what only the type checker reads. */
export function bare(node: SyntaxNode): SyntaxNode {
  const inner = wrappers.includes(node.type) ? field(node, 'expression') : undefined;
  return inner === undefined ? node : bare(inner);
}

/** The value of a declared name: of a `const` of this file, or of a file that it imports. */
export function declared(name: string, scopes: readonly Scope[]): Placed | undefined {
  for (const [index, { body, file }] of [...scopes.entries()].toReversed()) {
    for (const statement of body) {
      if (statement.type === 'ImportDeclaration') {
        const found = importedAs(name, statement, file);
        if (found !== undefined) return found;
      }
      const declaration = statement.type === 'ExportNamedDeclaration' ? field(statement, 'declaration') : statement;
      if (declaration?.['kind'] !== 'const') continue;
      const one = list(declaration, 'declarations').find((candidate) => nameOf(field(candidate, 'id')) === name);
      const node = field(one, 'init');
      if (node !== undefined) return { node: bare(node), scopes: scopes.slice(0, index + 1) };
    }
  }
  return undefined;
}

function importedAs(name: string, statement: SyntaxNode, file: SourceFile): Placed | undefined {
  const specifier = list(statement, 'specifiers').find((candidate) => nameOf(field(candidate, 'local')) === name);
  const original = nameOf(field(specifier, 'imported'));
  const source = nameOf(field(statement, 'source'));
  const other = original === undefined || source === undefined ? undefined : file.imported(source);
  return other === undefined || original === undefined
    ? undefined
    : declared(original, [{ body: other.body, file: other }]);
}

/**
 * The value of an expression of literals and names of literals; `undefined` if it cannot be
 * computed.
 */
export function constantOf(expression: SyntaxNode, scopes: readonly Scope[]): { readonly value: unknown } | undefined {
  const node = bare(expression);
  const all = (nodes: readonly SyntaxNode[]): readonly unknown[] | undefined => {
    const values = nodes.map((one) => constantOf(one, scopes));
    return values.includes(undefined) ? undefined : values.map((one) => one?.value);
  };
  switch (node.type) {
    case 'Literal':
      return 'regex' in node ? undefined : { value: node['value'] };
    case 'TemplateLiteral': {
      if (list(node, 'expressions').length > 0) return undefined;
      const cooked = list(node, 'quasis')[0]?.['value'];
      return typeof cooked === 'object' && cooked !== null && 'cooked' in cooked ? { value: cooked.cooked } : undefined;
    }
    case 'Identifier': {
      if (node['name'] === 'undefined') return { value: undefined };
      const found = declared(nameOf(node) ?? '', scopes);
      return found === undefined ? undefined : constantOf(found.node, found.scopes);
    }
    case 'UnaryExpression': {
      const inner = constantOf(field(node, 'argument') ?? node, scopes);
      if (inner === undefined) return undefined;
      if (node['operator'] === '!') return { value: !inner.value };
      return node['operator'] === '-' && typeof inner.value === 'number' ? { value: -inner.value } : undefined;
    }
    case 'BinaryExpression': {
      const sides = all([field(node, 'left') ?? node, field(node, 'right') ?? node]);
      const isText = node['operator'] === '+' && sides?.some((side) => typeof side === 'string');
      return sides !== undefined && isText === true ? { value: sides.map(String).join('') } : undefined;
    }
    case 'ArrayExpression': {
      const values = all(list(node, 'elements'));
      return values === undefined ? undefined : { value: values };
    }
    case 'ObjectExpression': {
      const properties = list(node, 'properties');
      const values = all(properties.map((property) => field(property, 'value') ?? property));
      const keys = properties.map((property) => nameOf(field(property, 'key')) ?? '');
      return values === undefined ? undefined : { value: Object.fromEntries(keys.map((key, at) => [key, values[at]])) };
    }
    default:
      return undefined;
  }
}
