/** What stands for a node of the syntax instead of it, and which nodes stay as they are. Pure. */
import type { SyntaxNode } from '../syntax.ts';
import { childrenOf, field, nameOf } from '../syntax.ts';

/** A piece of source, as its text or by its places. */
export interface Source {
  readonly text: string;
  readonly textOf: (node: SyntaxNode) => string;
}

type Alternatives = readonly string[];
type ByOperator = Readonly<Record<string, Alternatives>>;

const comparisons: ByOperator = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
};
/** The operators that a condition gets, beside true and false. */
const boundaries: ByOperator = { '<': ['<='], '<=': ['<'], '>': ['>='], '>=': ['>'] };
const arithmetic: ByOperator = { '+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'], '%': ['*'] };
const logical: ByOperator = { '&&': ['||'], '||': ['&&'], '??': ['&&'] };
const assigned: ByOperator = { '+=': ['-='], '-=': ['+='], '??=': ['&&='] };
const swapped: ReadonlyMap<string, string> = new Map([
  ['min', 'max'],
  ['max', 'min'],
  ['every', 'some'],
  ['some', 'every'],
]);

/** Methods without which their object is still a list. */
const optionalSteps: ReadonlySet<string> = new Set(['filter', 'toSorted', 'toReversed']);
const answersYesOrNo = /^(?:is|has|can|are|does|should)(?=[A-Z])|^(?:has|includes|startsWith|endsWith|test|equal)$/;
const logs = /\b(?:log|console)\??\.(?:trace|debug|info|warn|error|log)$/;

/** Other methods that change nothing. */
const asks: ReadonlySet<string> = new Set(['get', 'some', 'every', 'find', 'filter', 'monotonic', 'now', 'min', 'max']);
const pureKinds: ReadonlySet<string> = new Set([
  'Identifier',
  'Literal',
  'MemberExpression',
  'ChainExpression',
  'CallExpression',
  'ThisExpression',
  'BinaryExpression',
  'LogicalExpression',
  'UnaryExpression',
  'ConditionalExpression',
  'ParenthesizedExpression',
  'ArrowFunctionExpression',
  'ObjectPattern',
  'Property',
  'TemplateLiteral',
  'TemplateElement',
  'TSAsExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
]);

/** Numbers from here are times and sizes: one more of them is no other behaviour. */
const large = 100;

export const start = (node: SyntaxNode): number => Number(node['start']);
export const end = (node: SyntaxNode): number => Number(node['end']);

/** The texts that a node is replaced with. */
export function alternativesOf(node: SyntaxNode, source: Source, isCondition: boolean): Alternatives {
  switch (node.type) {
    case 'BinaryExpression':
    case 'AssignmentExpression':
    case 'LogicalExpression':
      return withOtherOperator(node, source, isCondition);
    case 'UnaryExpression': {
      const argument = field(node, 'argument');
      const isSign = ['!', '-'].includes(String(node['operator']));
      return argument === undefined || isCondition || !isSign ? [] : [source.textOf(argument)];
    }
    case 'UpdateExpression': {
      const operator = String(node['operator']);
      return [source.textOf(node).replace(operator, operator === '++' ? '--' : '++')];
    }
    case 'Literal':
      return literals(node['value'], isCondition);
    case 'ChainExpression':
      return optionalLinks(node, source).map(({ from, to, by }) => replaced(source, node, { from, to }, by));
    case 'CallExpression':
      return calls(node, source, isCondition);
    default:
      return [];
  }
}

function withOtherOperator(node: SyntaxNode, source: Source, isCondition: boolean): Alternatives {
  const [left, right] = [field(node, 'left'), field(node, 'right')];
  const operator = String(node['operator']);
  if (left === undefined || right === undefined) return [];
  if (node.type === 'LogicalExpression') {
    // Operands in parentheses, because `??` may not be beside `&&`.
    return (logical[operator] ?? []).map((by) => `(${source.textOf(left)}) ${by} (${source.textOf(right)})`);
  }
  const compared = (isCondition ? boundaries : comparisons)[operator];
  const calculated = isText(left) || isText(right) ? [] : (arithmetic[operator] ?? []);
  const others = node.type === 'AssignmentExpression' ? (assigned[operator] ?? []) : (compared ?? calculated);
  const from = end(left) + source.text.slice(end(left), start(right)).indexOf(operator);
  return others.map((by) => replaced(source, node, { from, to: from + operator.length }, by));
}

function calls(node: SyntaxNode, source: Source, isCondition: boolean): Alternatives {
  const callee = field(node, 'callee');
  const [object, property] = [field(callee, 'object'), field(callee, 'property')];
  const name = callName(node);
  const found: string[] = [];
  if (object !== undefined && property !== undefined) {
    if (optionalSteps.has(name)) found.push(source.textOf(object));
    const other = swapped.get(name);
    if (other !== undefined) {
      found.push(replaced(source, node, { from: start(property), to: end(property) }, other));
    }
  }
  return !isCondition && answersYesOrNo.test(name) ? [...found, `!${source.textOf(node)}`] : found;
}

/** The places of `?.` in a chain. */
function optionalLinks(node: SyntaxNode, source: Source): readonly { from: number; to: number; by: string }[] {
  const object = field(node, 'object') ?? field(node, 'callee') ?? field(node, 'expression');
  if (object === undefined) return [];
  const before = object.type === 'ParenthesizedExpression' ? [] : optionalLinks(object, source);
  if (node['optional'] !== true) return before;
  const from = end(object) + source.text.slice(end(object)).indexOf('?.');
  const isNamed = node.type === 'MemberExpression' && node['computed'] !== true;
  return [...before, { from, to: from + 2, by: isNamed ? '.' : '' }];
}

function replaced(
  { text }: Source,
  within: SyntaxNode,
  { from, to }: { readonly from: number; readonly to: number },
  by: string,
): string {
  return text.slice(start(within), from) + by + text.slice(to, end(within));
}

/** What stands for a value that is written as it is. */
export function literals(value: unknown, isCondition = false): Alternatives {
  if (typeof value === 'boolean') return isCondition ? [] : [String(!value)];
  if (typeof value !== 'number') return [];
  if (value >= large) return [String(value * 2), String(value / 2)];
  return value === 0 ? ['1'] : [String(value + 1), String(value - 1)];
}

export const isText = ({ type, value }: SyntaxNode): boolean =>
  type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string');

/** Types, imports, texts, what is logged, and errors. */
export function isLeftOut(node: SyntaxNode, { textOf }: Source): boolean {
  const { type } = node;
  if (type.startsWith('TS')) return !['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'].includes(type);
  const callee = field(node, 'callee');
  if (type === 'CallExpression' && callee !== undefined && logs.test(textOf(callee))) return true;
  if (type === 'NewExpression') return (nameOf(callee) ?? '').endsWith('Error');
  return type === 'ImportDeclaration' || type === 'ExportAllDeclaration' || type === 'TemplateLiteral';
}

/** A statement that calls or assigns, and is not about logs. */
export function isRemovable(node: SyntaxNode, source: Source): boolean {
  if (node.type !== 'ExpressionStatement') return false;
  const expression = field(node, 'expression');
  const call = expression?.type === 'AwaitExpression' ? field(expression, 'argument') : expression;
  if (call === undefined || isLeftOut(call, source)) return false;
  return ['CallExpression', 'AssignmentExpression', 'ChainExpression', 'UpdateExpression'].includes(call.type);
}

/**
 * Whether the value of a node can be computed once more without another effect, and compared with
 * that of a mutant. Lists are other ones each time.
 */
export function isComparable(node: SyntaxNode): boolean {
  const isQuestion = node.type !== 'CallExpression' || answersYesOrNo.test(callName(node));
  return isQuestion && node.type !== 'Literal' && isPure(node);
}

/** Names, operators, and calls that only ask. */
function isPure(node: SyntaxNode): boolean {
  if (!pureKinds.has(node.type) || node['operator'] === 'delete') return false;
  if (node.type === 'CallExpression' && !answersYesOrNo.test(callName(node)) && !asks.has(callName(node))) return false;
  return childrenOf(node).every((child) => child.type.startsWith('TS') || isPure(child));
}

function callName(node: SyntaxNode): string {
  const callee = field(node, 'callee');
  return nameOf(field(callee, 'property') ?? callee) ?? '';
}
