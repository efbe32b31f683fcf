import { compilePattern } from '../../pattern/pattern.ts';
import { anchorOf, framed, noOverload, typeOf, undeclared } from './compile-problem.ts';
import type { AstNode } from './syntax.ts';
import { nodesOf } from './syntax.ts';

/**
 * Checks an expression by itself: undefined if it is well-typed and can be evaluated, else the code
 * of the error.
 */
export type Try = (text: string) => { readonly code: string | undefined } | undefined;

/**
 * The first error that API servers report when they compile an expression and the library does not,
 * with cel-go's text. Such errors are literals that no function can read, fields and indexes of
 * values that have none, and functions that Kubernetes does not have. `attempt` checks and
 * evaluates a part without variables.
 */
export function stricterProblem(text: string, root: AstNode, attempt: Try): string | undefined {
  for (const node of nodesOf(root)) {
    for (const problemOf of [literalProblem, indexProblem, fieldProblem, callProblem]) {
      const problem = problemOf(node, text, attempt);
      if (problem !== undefined) return framed(text, anchorOf(text, node), problem);
    }
  }
  return undefined;
}

const conversions: ReadonlySet<string> = new Set(['duration', 'timestamp', 'int', 'uint', 'double', 'bool']);
const searches: ReadonlySet<string> = new Set(['matches', 'find', 'findAll']);
const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];

/** Conversions and patterns of literals are read when the expression is compiled. */
function literalProblem(node: AstNode, text: string, attempt: Try): string | undefined {
  const { op, args } = node;
  if (op === '-_' && typeof args.args === 'bigint') return -args.args < least ? 'invalid int literal' : undefined;
  if (op === 'value' && typeof args === 'bigint' && args > most)
    return args === -least && text.slice(0, node.start).endsWith('-') ? undefined : 'invalid int literal';
  if (op !== 'call' && op !== 'rcall') return undefined;
  const name = args[0] as string;
  const given: readonly AstNode[] = op === 'rcall' ? args[2] : args[1];
  if (op === 'call' && conversions.has(name) && typeof literalOf(given[0]) === 'string')
    return attempt(text.slice(node.start, node.end)) === undefined && isInRange(literalOf(given[0]) as string)
      ? undefined
      : `invalid ${name} argument`;
  if (op === 'rcall' && name === 'format') return formatProblem(literalOf(args[1]), given[0]);
  if (!searches.has(name)) return undefined;
  const pattern = literalOf(op === 'rcall' ? given[0] : given[1]);
  return typeof pattern !== 'string' || isPattern(pattern) ? undefined : `invalid ${name} argument`;
}

/**
 * Whether a day exists, and a duration fits in 64 bits of nanoseconds. The rest the library sees.
 */
function isInRange(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)T/.exec(text) ?? [];
  if (day !== undefined)
    return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  const hours = /^[-+]?(\d+)(?:\.\d*)?h/.exec(text)?.[1];
  return hours === undefined || Number(hours) <= 2_562_047;
}

/**
 * The error for a literal format with an unknown clause, or with a clause whose value is missing or
 * not a number.
 */
function formatProblem(format: unknown, given: AstNode | undefined): string | undefined {
  if (typeof format !== 'string' || given?.op !== 'list') return undefined;
  const values = given.args as readonly AstNode[];
  let used = 0;
  for (const [clause, letter] of format.matchAll(/%(?:\.\d+)?(.|$)/gs)) {
    if (clause === '%%') continue;
    if (letter === '') return 'unexpected end of string';
    if (!'sdfeboxX'.includes(letter ?? ''))
      return `could not parse formatting clause: unrecognized formatting clause "${letter}"`;
    const value = values[used];
    if (value === undefined) return `index ${used} out of range`;
    const type = value.checkedType?.name ?? 'dyn';
    if (letter === 'd' && /^(?:string|bool|bytes|list|map|null)/.test(type))
      return `error during formatting: decimal clause can only be used on integers, was given ${type}`;
    used += 1;
  }
  return undefined;
}

function literalOf(node: AstNode | undefined): unknown {
  return node?.op === 'value' ? node.args : undefined;
}

function isPattern(text: string): boolean {
  try {
    compilePattern(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Objects have fields, and only lists and maps have an index, maps one of the type of their keys.
 */
function indexProblem({ op, args }: AstNode): string | undefined {
  if (op !== '[]' && op !== '[?]') return undefined;
  const [holder, index] = args as readonly [AstNode, AstNode];
  const { kind, name = 'dyn', keyType } = holder.checkedType ?? {};
  const key = index.checkedType?.name ?? 'dyn';
  if (op === '[]' && (name === 'dyn' || name.startsWith('map<')) && isNoQualifier(index))
    return 'invalid qualifier type';
  const isOtherKey = keyType !== undefined && scalars.has(keyType.name) && key !== 'dyn' && key !== keyType.name;
  if (kind !== 'message' && !(op === '[]' && (withoutMembers.has(name) || isOtherKey))) return undefined;
  return noOverload(`_${op === '[]' ? '[_]' : '[?_]'}`, `(${args.map(typeOf).join(', ')})`);
}

/** Literals that are neither texts nor numbers nor booleans. */
function isNoQualifier({ op, args }: AstNode): boolean {
  if (op === 'value') return args === null || args instanceof Uint8Array;
  if (op === 'call') return (args[0] === 'duration' || args[0] === 'timestamp') && literalOf(args[1][0]) !== undefined;
  return (
    (op === 'list' && (args as readonly AstNode[]).every(isLiteral)) || (op === 'map' && args.flat().every(isLiteral))
  );
}

function isLiteral({ op, args }: AstNode): boolean {
  return op === 'value' || (op === 'list' && (args as readonly AstNode[]).every(isLiteral));
}

const scalars: ReadonlySet<string> = new Set(['int', 'uint', 'double', 'string', 'bool']);
const withoutMembers: ReadonlySet<string> = new Set([
  'uint',
  'bytes',
  'google.protobuf.Duration',
  'google.protobuf.Timestamp',
  'kubernetes.Quantity',
  'kubernetes.URL',
  'kubernetes.NamedFormat',
  'net.IP',
  'net.CIDR',
]);

/** Also a field that may be absent must be one that the type has. */
function fieldProblem({ op, args }: AstNode, text: string, attempt: Try): string | undefined {
  if (op !== '.' && op !== '.?') return undefined;
  const [holder, field] = args as readonly [AstNode, string];
  if (withoutMembers.has(holder.checkedType?.name ?? 'dyn'))
    return `type '${typeOf(holder)}' does not support field selection`;
  if (op === '.' || holder.checkedType?.kind !== 'message' || typeof field !== 'string') return undefined;
  const without = attempt(`${text.slice(holder.start, holder.end)}.${field}`);
  return without?.code === 'no_such_key' ? `undefined field '${field}'` : undefined;
}

/** Functions that the library has and API servers do not, or not for these types. */
function callProblem({ op, args }: AstNode): string | undefined {
  if (op !== 'rcall') return undefined;
  const [name, holder, given] = args as readonly [string, AstNode, readonly AstNode[]];
  const type = holder.checkedType?.name ?? 'dyn';
  if (name === 'bind' && holder.op === 'id' && (holder.args as string) === 'cel') return undeclared('cel.bind');
  if (name === 'flatten' && given.length === 0 && /^list<(?!list<|dyn|[A-Z]>)/.test(type))
    return noOverload(name, `${typeOf(holder)}.()`);
  if ((name === 'optMap' || name === 'optFlatMap') && !/^(?:optional|dyn|null)/.test(type))
    return noOverload('value', `${typeOf(holder)}.()`);
  const argument = given.length === 1 ? given[0]?.checkedType?.name : undefined;
  const taken = ofOneArgument.get(name);
  if (
    type === 'dyn' &&
    taken !== undefined &&
    argument !== undefined &&
    known.test(argument) &&
    !taken.includes(argument)
  )
    return noOverload(name, `${typeOf(holder)}.(${given.map(typeOf).join(', ')})`);
  return undefined;
}

/**
 * Functions of Kubernetes' types by the types of their argument. If the value has no type, the
 * library accepts any argument.
 */
const ofOneArgument: ReadonlyMap<string, readonly string[]> = new Map([
  ['add', ['kubernetes.Quantity', 'int']],
  ['sub', ['kubernetes.Quantity', 'int']],
  ['isGreaterThan', ['kubernetes.Quantity']],
  ['isLessThan', ['kubernetes.Quantity']],
  ['compareTo', ['kubernetes.Quantity']],
  ['containsIP', ['net.IP', 'string']],
  ['containsCIDR', ['net.CIDR', 'string']],
  ['findAll', ['string']],
  ['validate', ['string']],
]);
const known = /^(?:int|uint|double|string|bool|bytes|kubernetes\.\w+|net\.\w+)$/;
