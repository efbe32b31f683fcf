import type { AstNode } from './syntax.ts';
import { nodesOf } from './syntax.ts';

/**
 * Why an expression does not compile, in the form of cel-go: `ERROR: <input>:1:5: …`, with the line
 * and a mark. Limits: the library stops at the first error, where cel-go lists all errors. The only
 * syntax error with cel-go's text is an unexpected end.
 */
export function compileProblem(text: string, error: unknown): string {
  const { code = '', summary = '', node, range } = error as Partial<LibraryError>;
  if (code === 'unexpected_token' && summary.endsWith('EOF')) {
    return framed(text, text.length, `Syntax error: mismatched input '<EOF>' expecting ${operands}`);
  }
  if (code === 'expected_token' && summary.endsWith('EOF') && text.trimEnd().endsWith('.')) {
    return framed(text, text.length, "Syntax error: no viable alternative at input '.'");
  }
  if (node?.op === undefined) {
    const what = summary === '' && error instanceof Error ? error.message : summary;
    return framed(text, range?.start ?? 0, `Syntax error: ${what}`);
  }
  return framed(text, anchorOf(text, node), said(code, summary, node));
}

/**
 * The error for the first literal list or map whose members have different types, with cel-go's
 * text. The arguments of `format` may differ.
 */
export function homogeneityProblem(text: string, root: AstNode): string | undefined {
  const nodes = nodesOf(root);
  const free = new Set(nodes.flatMap(({ op, args }) => (op === 'rcall' && args[0] === 'format' ? args[2] : [])));
  for (const node of nodes) {
    if (free.has(node)) continue;
    const members: readonly AstNode[] = node.op === 'list' ? node.args : [];
    const entries: readonly (readonly AstNode[])[] = node.op === 'map' ? node.args : [];
    for (const row of [members, entries.map(([key]) => key), entries.map(([, value]) => value)]) {
      const expected = row[0]?.checkedType?.name;
      const [head] = row;
      const odd = row.find((one) => head !== undefined && one !== undefined && !mayBeSame(head, one));
      if (odd !== undefined) {
        return framed(text, anchorOf(text, odd), mismatch(expected ?? '', odd.checkedType?.name ?? ''));
      }
    }
  }
  return undefined;
}

/**
 * Whether two members of a literal have one type for cel-go: null and `dyn(…)` have types of their
 * own, and an empty literal that of its neighbours.
 */
function mayBeSame(a: AstNode, b: AstNode): boolean {
  const [one, other] = [a.checkedType?.name, b.checkedType?.name];
  if (one === other) return true;
  if (isOfUnknownType(a) || isOfUnknownType(b)) return true;
  if (one === undefined || other === undefined) return true;
  const family = (name: string) => /^(?:list|map|optional)</.exec(name)?.[0] ?? name;
  return family(one) === family(other) && /dyn|[<,] *[A-Z][,>]/.test(`${one} ${other}`);
}

/** A node without a type in the library may have one in cel-go; `dyn(…)` has none there either. */
function isOfUnknownType({ op, args, checkedType }: AstNode): boolean {
  return (checkedType?.name ?? 'dyn') === 'dyn' && !(op === 'call' && args[0] === 'dyn');
}

interface LibraryError {
  readonly code: string;
  readonly summary: string;
  readonly node: AstNode | undefined;
  readonly range: { readonly start: number } | undefined;
}

const operands =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

function said(code: string, summary: string, node: AstNode): string {
  const rest = /: (.*)$/s.exec(summary)?.[1] ?? '';
  switch (code) {
    case 'unknown_variable':
      return undeclared(rest);
    case 'no_such_key':
      return `undefined field '${rest}'`;
    case 'no_such_overload':
      return node.op.endsWith('_')
        ? noOverload(`${node.op.charAt(0)}_`, `(${typeName(rest.slice(1))})`)
        : noOverload(operatorName(node.op), `(${node.args.map(typeOf).join(', ')})`);
    case 'no_matching_overload':
      return noFunction(node);
    case 'invalid_logical_operand':
      return mismatch('bool', /got '(.*)'/.exec(summary)?.[1] ?? '');
    case 'incompatible_ternary_branches':
      return noOverload('_?_:_', `(${node.args.map(typeOf).join(', ')})`);
    case 'cannot_index_type':
    case 'invalid_index_type':
      return node.op === '.' || node.op === '.?'
        ? `type '${typeOf(node.args[0])}' does not support field selection`
        : noOverload('_[_]', `(${node.args.map(typeOf).join(', ')})`);
    case 'invalid_comprehension_range':
      return `expression of type '${/type '(.*)' cannot/.exec(summary)?.[1] ?? ''}' cannot be range of a comprehension (must be list, map, or dynamic)`;
    case 'invalid_macro_argument':
      return 'invalid argument to has() macro';
    default:
      return `${summary.charAt(0).toLowerCase()}${summary.slice(1)}`;
  }
}

/** An unknown function is undeclared; a known one does not accept these arguments. */
function noFunction({ op, args }: AstNode): string {
  const given: readonly AstNode[] = op === 'rcall' ? args[2] : args[1];
  const types = `(${given.map(typeOf).join(', ')})`;
  if (!knownFunctions.has(args[0])) return undeclared(args[0]);
  return noOverload(args[0], op === 'rcall' ? `${typeOf(args[1])}.${types}` : types);
}

const knownFunctions: ReadonlySet<string> = new Set([
  'size',
  'int',
  'uint',
  'double',
  'string',
  'bool',
  'bytes',
  'duration',
  'timestamp',
  'type',
  'dyn',
  'startsWith',
  'endsWith',
  'contains',
  'matches',
  'indexOf',
  'lastIndexOf',
  'substring',
  'charAt',
  'split',
  'join',
  'replace',
  'trim',
  'lowerAscii',
  'upperAscii',
  'format',
  'find',
  'findAll',
  'isSorted',
  'sum',
  'min',
  'max',
  'reverse',
  'sort',
  'slice',
  'distinct',
  'flatten',
  'first',
  'last',
  'range',
  'getHours',
  'getMinutes',
  'getSeconds',
  'getMilliseconds',
  'getFullYear',
  'getMonth',
  'getDate',
  'quantity',
  'isQuantity',
  'sign',
  'ip',
  'isIP',
  'cidr',
  'isCIDR',
  'url',
  'isURL',
  'hasValue',
  'value',
  'orValue',
  'or',
  'validate',
  'containsIP',
  'containsCIDR',
]);

export function undeclared(name: string): string {
  return `undeclared reference to '${name}' (in container '')`;
}

export function noOverload(name: string, types: string): string {
  return `found no matching overload for '${name}' applied to '${types}'`;
}

function mismatch(expected: string, found: string): string {
  return `expected type '${typeName(expected)}' but found '${typeName(found)}'`;
}

function operatorName(op: string): string {
  return op === 'in' ? '@in' : op === '[]' ? '_[_]' : `_${op}_`;
}

export function typeOf(node: AstNode): string {
  return typeName(node.checkedType?.name ?? 'dyn');
}

/** `list<int>` → `list(int)`. */
function typeName(name: string): string {
  return name.replaceAll('optional<', 'optional_type<').replaceAll('<', '(').replaceAll('>', ')');
}

function isOpen(...types: readonly (string | undefined)[]): boolean {
  return types.some((type) => type === undefined || /dyn|<[A-Z]>|null/.test(type));
}

/** The offset that cel-go reports for a node: at its dot, its parenthesis or its operator. */
export function anchorOf(text: string, { op, args, pos, start }: AstNode): number {
  switch (op) {
    case '.':
    case '.?':
      return text.lastIndexOf('.', pos);
    case 'call':
      return text.indexOf('(', start);
    case 'rcall':
      return text.indexOf('(', args[1].end);
    case '[]':
    case '[?]':
      return text.indexOf('[', args[0].end);
    case '?:':
      return text.indexOf('?', args[0].end);
    case '||':
    case '&&':
      return anchorOf(
        text,
        args.find((one: AstNode) => !isOpen(one.checkedType?.name) && one.checkedType?.name !== 'bool') ?? args[0],
      );
    case '!_':
    case '-_':
      return start;
    default:
      return Array.isArray(args) && args.length === 2 && op !== 'list' && op !== 'map'
        ? text.indexOf(op, args[0].end)
        : start;
  }
}

export function framed(text: string, at: number, what: string): string {
  const before = text.slice(0, Math.max(at, 0)).split('\n');
  const column = before.at(-1)?.length ?? 0;
  const line = text.split('\n')[before.length - 1] ?? '';
  return `ERROR: <input>:${before.length}:${column + 1}: ${what}\n | ${line}\n | ${'.'.repeat(column)}^`;
}
