import type { Environment } from '@marcbachmann/cel-js';
import { Optional } from '@marcbachmann/cel-js';
import type { AstNode, Context, Macro } from './syntax.ts';

/** `optMap(v, …)` and `optFlatMap(v, …)` of optional values (cel-go's optional types). */
export function addOptionalMacros(environment: Environment): void {
  for (const isFlat of [false, true]) {
    const handler = ({ ast, args, receiver }: { ast: AstNode; args: readonly AstNode[]; receiver: AstNode }) =>
      macroOf(ast, { receiver, name: String(args[0]?.args), step: args[1] ?? receiver, isFlat });
    environment.registerFunction(
      `optional.${isFlat ? 'optFlatMap' : 'optMap'}(ast, ast): optional<dyn>`,
      handler as never,
    );
  }
}

interface Step {
  readonly receiver: AstNode;
  readonly name: string;
  readonly step: AstNode;
  readonly isFlat: boolean;
}

function macroOf(call: AstNode, { receiver, name, step, isFlat }: Step): Macro {
  let inner: Context | undefined;
  return {
    typeCheck(checker, _macro, context) {
      const holder = checker.check(receiver, context);
      inner = context.forkWithVariable(
        name,
        (holder.kind === 'optional' ? holder.valueType : undefined) ?? checker.getType('dyn'),
      );
      const type = checker.check(step, inner);
      call.setMeta('async', false);
      return isFlat ? type : checker.getType(`optional<${type.name}>`);
    },
    evaluate(evaluator, _macro, context) {
      const given = evaluator.run(receiver, context);
      if (!(given instanceof Optional)) throw new Error('no such overload');
      if (!given.hasValue() || inner === undefined) return Optional.none();
      inner.reuse(context).setIterValue(given.value(), evaluator);
      const made = evaluator.run(step, inner);
      return isFlat ? made : Optional.of(made);
    },
  };
}
