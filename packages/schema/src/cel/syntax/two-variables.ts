import type { Environment } from '@marcbachmann/cel-js';
import type { AstNode, Checker, Context, Evaluator, Macro, TypeOf } from './syntax.ts';

/** How a loop over keys and values combines its steps. */
interface Loop {
  readonly filtered: boolean;
  typeOf(checker: Checker, step: TypeOf, range: TypeOf): TypeOf;
  /** Combines the steps, one by one: `key` and the result of the step. */
  collect(steps: Iterable<readonly [key: unknown, value: unknown]>): unknown;
}

/**
 * `all(i, v, …)`, `exists`, `existsOne`, `transformList`, `transformMap` (cel-go's two-variable
 * comprehensions).
 */
export function addTwoVariableMacros(environment: Environment): void {
  for (const [signature, loop] of Object.entries(loops)) {
    const handler = ({ ast, args, receiver }: { ast: AstNode; args: readonly AstNode[]; receiver: AstNode }) =>
      macroOf(loop, ast, args, receiver);
    environment.registerFunction(signature, handler as never);
  }
}

const bool = (checker: Checker) => checker.getType('bool');
const quantifier = (collect: Loop['collect']): Loop => ({ filtered: false, typeOf: bool, collect });
const count = (steps: Iterable<readonly [unknown, unknown]>) => [...steps].filter(([, value]) => value === true).length;
const listOf = (filtered: boolean): Loop => ({
  filtered,
  typeOf: (checker, { name }) => checker.getType(`list<${name}>`),
  collect: (steps) => Array.from(steps, ([, value]) => value),
});
const mapOf = (filtered: boolean): Loop => ({
  filtered,
  typeOf: (checker, { name }, range) => checker.getType(`map<${keyTypeOf(checker, range).name}, ${name}>`),
  collect: (steps) => new Map(steps),
});

const loops: Readonly<Record<string, Loop>> = {
  'list.all(ast, ast, ast): bool': quantifier((steps) => {
    for (const [, value] of steps) if (value === false) return false;
    return true;
  }),
  'list.exists(ast, ast, ast): bool': quantifier((steps) => {
    for (const [, value] of steps) if (value === true) return true;
    return false;
  }),
  'list.existsOne(ast, ast, ast): bool': quantifier((steps) => count(steps) === 1),
  'list.exists_one(ast, ast, ast): bool': quantifier((steps) => count(steps) === 1),
  'list.transformList(ast, ast, ast): list<dyn>': listOf(false),
  'list.transformList(ast, ast, ast, ast): list<dyn>': listOf(true),
  'list.transformMap(ast, ast, ast): map<dyn, dyn>': mapOf(false),
  'list.transformMap(ast, ast, ast, ast): map<dyn, dyn>': mapOf(true),
};

function macroOf(loop: Loop, call: AstNode, args: readonly AstNode[], receiver: AstNode): Macro {
  const [first, second] = args;
  const step = args.at(-1) ?? receiver;
  const filter = loop.filtered ? args[2] : undefined;
  let outer: Context | undefined;
  let inner: Context | undefined;

  function* stepsOf(evaluator: Evaluator, macro: Macro, context: Context): Generator<readonly [unknown, unknown]> {
    for (const [key, value] of entriesOf(evaluator.run(receiver, context))) {
      if (macro.goOn?.() === false || outer === undefined || inner === undefined) return;
      outer.reuse(context).setIterValue(key, evaluator);
      inner.reuse(outer).setIterValue(value, evaluator);
      if (filter === undefined || evaluator.run(filter, inner) === true) yield [key, evaluator.run(step, inner)];
    }
  }

  return {
    typeCheck(checker, _macro, context) {
      const range = checker.check(receiver, context);
      if (!['list', 'map', 'dyn'].includes(range.kind)) {
        const what = `Expression of type '${range.name}' cannot be range of a comprehension (must be list, map, or dynamic).`;
        throw checker.createError('invalid_comprehension_range', what, receiver);
      }
      outer = context.forkWithVariable(String(first?.args), keyTypeOf(checker, range));
      inner = outer.forkWithVariable(String(second?.args), range.valueType ?? checker.getType('dyn'));
      if (filter !== undefined) checker.check(filter, inner);
      call.setMeta('async', false);
      return loop.typeOf(checker, checker.check(step, inner), range);
    },
    evaluate: (evaluator, macro, context) => loop.collect(stepsOf(evaluator, macro, context)),
  };
}

function keyTypeOf(checker: Checker, range: TypeOf): TypeOf {
  return range.kind === 'list' ? checker.getType('int') : (range.keyType ?? checker.getType('dyn'));
}

function* entriesOf(value: unknown): Generator<readonly [unknown, unknown]> {
  if (Array.isArray(value)) for (const [index, item] of value.entries()) yield [BigInt(index), item];
  else if (value instanceof Map) yield* value;
  else if (typeof value === 'object' && value !== null) yield* Object.entries(value);
}
