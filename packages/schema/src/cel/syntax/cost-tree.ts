import { expandedLoop, expandedOptional } from '../../rule-cost/cel-macros.ts';
import type { CelLiteral, CelTree, CelType } from '../../rule-cost/cel-tree.ts';
import type { AstNode, TypeOf } from './syntax.ts';

/** A checked expression of the library in cel-go's form, for an estimate of its cost. */
export function costTree(node: AstNode): CelTree {
  const { op, args } = node;
  const type = typeOf(node);
  const call = (name: string, given: readonly AstNode[]): CelTree => ({
    kind: 'call',
    name,
    given: given.map(costTree),
    type,
  });
  switch (op) {
    case 'value':
      return literal(args, type);
    case 'id':
      return { kind: 'name', name: args, type };
    case '.': {
      const name = typeNameOf(node);
      if (name !== undefined) return { kind: 'name', name, type };
      return { kind: 'field', of: costTree(args[0]), field: args[1], type };
    }
    case '.?':
      return { kind: 'call', name: '_?._', given: [costTree(args[0]), literal(args[1], { kind: 'string' })], type };
    case '[]':
      return call('_[_]', args);
    case '[?]':
      return call('_[?_]', args);
    case 'list':
      return { kind: 'list', items: args.map(costTree), type };
    case 'map':
      return {
        kind: 'map',
        entries: args.map(([key, value]: [AstNode, AstNode]) => [costTree(key), costTree(value)]),
        type,
      };
    case '!_':
    case '-_':
      return unary(node, type);
    case 'call':
      return globalCall(node, type);
    case 'rcall':
      return memberCall(node, type);
    case 'in':
      return call('@in', args);
    case '?:':
      return call('_?_:_', args);
    default:
      return call(`_${op}_`, args);
  }
}

/** The name of a type with dots, as `google.protobuf.Timestamp`, which is one name for cel-go. */
function typeNameOf({ op, args }: AstNode): string | undefined {
  if (op !== '.') return undefined;
  const [protobuf, name] = args as [AstNode, string];
  if (protobuf.op !== '.' || protobuf.args[1] !== 'protobuf') return undefined;
  const google = protobuf.args[0] as AstNode;
  return google.op === 'id' && google.args === 'google' ? `google.protobuf.${name}` : undefined;
}

/**
 * A double negation costs nothing, and a number with its sign is one literal, unless a parenthesis
 * is in between.
 */
function unary(node: AstNode, type: CelType): CelTree {
  const operand: AstNode = node.args;
  const isBare = node.input.slice(node.start + 1, operand.start).trim() === '';
  if (isBare && operand.op === node.op) return costTree(operand.args);
  if (isBare && node.op === '-_' && operand.op === 'value') {
    const value: unknown = operand.args;
    return literal(typeof value === 'bigint' ? -value : value, type);
  }
  return { kind: 'call', name: node.op, given: [costTree(operand)], type };
}

function globalCall({ args }: AstNode, type: CelType): CelTree {
  const [name, given] = args as [string, readonly AstNode[]];
  const [first] = given;
  if (name === 'has' && first !== undefined) return { kind: 'presence', of: costTree(first.args[0]), type };
  return { kind: 'call', name, given: given.map(costTree), type };
}

const namespaces: readonly string[] = ['sets', 'lists', 'strings', 'ip', 'format', 'optional'];

function memberCall({ args, meta }: AstNode, type: CelType): CelTree {
  const [name, receiver, given] = args as [string, AstNode, readonly AstNode[]];
  if (receiver.op === 'id' && namespaces.includes(receiver.args) && receiver.meta.alternate !== undefined) {
    return { kind: 'call', name: `${receiver.args}.${name}`, given: given.map(costTree), type };
  }
  if (meta.alternate !== undefined || meta.macro !== undefined) {
    const made = macroCall(name, receiver, given, type);
    if (made !== undefined) return made;
  }
  return { kind: 'call', name, receiver: costTree(receiver), given: given.map(costTree), type };
}

const twoVariables: readonly string[] = ['transformList', 'transformMap', 'transformMapEntry'];

function macroCall(macro: string, receiver: AstNode, given: readonly AstNode[], type: CelType): CelTree | undefined {
  const names = given.map(({ op, args }) => (op === 'id' ? String(args) : ''));
  const isQuantifier = ['all', 'exists', 'exists_one', 'existsOne'].includes(macro);
  const isOptional = macro === 'optMap' || macro === 'optFlatMap';
  if (!isQuantifier && !isOptional && !twoVariables.includes(macro) && macro !== 'map' && macro !== 'filter') {
    return undefined;
  }
  const [first = '', second = ''] = names;
  const hasTwo = twoVariables.includes(macro) || (isQuantifier && given.length === 3);
  const variables = hasTwo ? ([first, second] as const) : ([first] as const);
  const call = {
    macro,
    range: costTree(receiver),
    variables,
    given: given.slice(variables.length).map(costTree),
    type,
  };
  return isOptional ? expandedOptional(call) : expandedLoop(call);
}

function literal(value: unknown, type: CelType): CelLiteral {
  if (typeof value === 'bigint') return { kind: 'literal', size: 1, int: value, type };
  const isLong = typeof value === 'string' || value instanceof Uint8Array;
  return { kind: 'literal', size: isLong ? Array.from<unknown>(value).length : 1, type };
}

const kinds: Readonly<Record<string, CelType['kind']>> = {
  bool: 'bool',
  int: 'int',
  uint: 'uint',
  double: 'double',
  string: 'string',
  bytes: 'bytes',
  null: 'null',
  type: 'type',
  'google.protobuf.Duration': 'duration',
  'google.protobuf.Timestamp': 'timestamp',
};

function typeOf({ checkedType }: AstNode): CelType {
  return checkedType === undefined ? { kind: 'dyn' } : celType(checkedType);
}

function celType({ kind, name, keyType, valueType }: TypeOf): CelType {
  const value = valueType === undefined ? { kind: 'dyn' as const } : celType(valueType);
  switch (kind) {
    case 'list':
    case 'optional':
      return { kind, parameters: [value] };
    case 'map':
      return { kind, parameters: [keyType === undefined ? { kind: 'dyn' } : celType(keyType), value] };
    case 'dyn':
    case 'param':
      return { kind: 'dyn' };
    default:
      return { kind: kinds[name] ?? 'object', name };
  }
}
