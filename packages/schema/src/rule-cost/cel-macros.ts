import type { CelCall, CelTree, CelType } from './cel-tree.ts';
import { accumulator } from './cel-tree.ts';

/** A macro as it is called: `range.macro(variables…, given…)`. */
export interface MacroCall {
  readonly macro: string;
  readonly range: CelTree;
  readonly variables: readonly [string] | readonly [string, string];
  readonly given: readonly CelTree[];
  readonly type: CelType;
}

const bool: CelType = { kind: 'bool' };
const int: CelType = { kind: 'int' };

/**
 * Expands the macros of loops as cel-go does; undefined for a call that is not such a macro.
 * Source: cel-go's parser and its comprehensions extension.
 */
export function expandedLoop(call: MacroCall): CelTree | undefined {
  const { macro, given, range, variables, type } = call;
  const [first, second] = given;
  if (first === undefined) return undefined;
  const loop = { kind: 'loop', range, variables, type } as const;
  const list = { ...loop, init: { kind: 'list', items: [], type }, goesOn: literal(bool), result: accu(type) } as const;
  switch (macro) {
    case 'all':
      return {
        ...loop,
        init: literal(bool),
        goesOn: called('@not_strictly_false', bool, [accu(bool)]),
        step: called('_&&_', bool, [accu(bool), first]),
        result: accu(bool),
      };
    case 'exists':
      return {
        ...loop,
        init: literal(bool),
        goesOn: called('@not_strictly_false', bool, [called('!_', bool, [accu(bool)])]),
        step: called('_||_', bool, [accu(bool), first]),
        result: accu(bool),
      };
    case 'exists_one':
    case 'existsOne':
      return {
        ...loop,
        init: literal(int),
        goesOn: literal(bool),
        step: choice(first, called('_+_', int, [accu(int), literal(int)]), accu(int)),
        result: called('_==_', bool, [accu(int), literal(int)]),
      };
    case 'filter': {
      const [name] = variables;
      return { ...list, step: choice(first, pushed({ kind: 'name', name, type: itemOf(type) }, type), accu(type)) };
    }
    case 'map':
    case 'transformList':
      return { ...list, step: filtered(pushed(second ?? first, type), second === undefined ? undefined : first) };
    case 'transformMap':
    case 'transformMapEntry': {
      const key: CelTree = { kind: 'name', name: variables[0], type: itemOf(type) };
      const made = second ?? first;
      const given = macro === 'transformMap' ? [accu(type), key, made] : [accu(type), made];
      const step = called('cel.@mapInsert', type, given);
      return {
        ...list,
        init: { kind: 'map', entries: [], type },
        step: filtered(step, second === undefined ? undefined : first),
      };
    }
    default:
      return undefined;
  }
}

/** `optional.optMap(name, made)`, and `optFlatMap`, whose `made` is an optional itself. */
export function expandedOptional({ macro, range: optional, variables, given, type }: MacroCall): CelTree | undefined {
  const [name] = variables;
  const [body] = given;
  if (body === undefined || (macro !== 'optMap' && macro !== 'optFlatMap')) return undefined;
  const held = optional.type.parameters?.[0] ?? { kind: 'dyn' };
  const value: CelTree = { kind: 'call', name: 'value', receiver: optional, given: [], type: held };
  const bound: CelTree = { kind: 'bind', name, value, body, type: body.type };
  const made = macro === 'optMap' ? called('optional.of', type, [bound]) : bound;
  const has: CelTree = { kind: 'call', name: 'hasValue', receiver: optional, given: [], type: bool };
  return choice(has, made, called('optional.none', type, []));
}

function accu(type: CelType): CelTree {
  return { kind: 'name', name: accumulator, type };
}

function literal(type: CelType): CelTree {
  return { kind: 'literal', size: 1, type };
}

function called(name: string, type: CelType, given: readonly CelTree[]): CelCall {
  return { kind: 'call', name, given, type };
}

function choice(condition: CelTree, yes: CelTree, no: CelTree): CelCall {
  return called('_?_:_', yes.type, [condition, yes, no]);
}

function pushed(item: CelTree, type: CelType): CelCall {
  return called('_+_', type, [accu(type), { kind: 'list', items: [item], type }]);
}

function filtered(step: CelCall, filter: CelTree | undefined): CelCall {
  return filter === undefined ? step : choice(filter, step, accu(step.type));
}

function itemOf({ parameters }: CelType): CelType {
  return parameters?.[0] ?? { kind: 'dyn' };
}
