import type { Environment } from '@marcbachmann/cel-js';
import type { CelTree } from '../rule-cost/cel-tree.ts';
import { compileProblem, homogeneityProblem } from './syntax/compile-problem.ts';
import { costTree } from './syntax/cost-tree.ts';
import { failureText } from './syntax/failure-text.ts';
import { mayCompileElsewhere } from './syntax/not-judged.ts';
import { callCost } from './syntax/call-cost.ts';
import { searchOf } from './library/library-patterns.ts';
import { stringOverrides } from './library/library-strings.ts';
import { depthProblem, lengthProblem } from './syntax/size-limits.ts';
import { stricterProblem } from './syntax/stricter-than-library.ts';
import type { Try } from './syntax/stricter-than-library.ts';
import type { AstNode, Context, Evaluator } from './syntax/syntax.ts';
import { nodesOf } from './syntax/syntax.ts';

/**
 * The cost that evaluations may still spend: about one per step of a loop and call, and one per ten
 * characters or one item that a call reads.
 */
export interface Budget {
  left: number;
}

/** An expression that was found well-typed. */
export interface Expression {
  /** The CEL type of its value. */
  readonly type: string;
  /** The names it asks for, of variables. */
  readonly names: ReadonlySet<string>;
  /** The structure of the expression, for an estimate of its cost. */
  tree(): CelTree;
  /**
   * Returns the value. Errors: throws an Error with cel-go's message, and {@link CostExceeded} if
   * the expression costs more than the budget. So the budget limits the running time of every
   * expression.
   */
  evaluate(variables: Readonly<Record<string, unknown>>, budget: Budget): unknown;
}

/** An expression cost more than it may. */
export class CostExceeded extends Error {
  override readonly name = 'CostExceeded';
}

/**
 * An expression that was compiled, or why it was not; `isNotJudged` where an API server may compile
 * it.
 */
export type Compilation =
  | { readonly ok: true; readonly expression: Expression }
  | { readonly ok: false; readonly problem: string; readonly isNotJudged?: true | undefined };

/** Compiles an expression. The problem has the text of cel-go's compiler. */
export function compileExpression(environment: Environment, text: string): Compilation {
  const spent: Meter = { budget: { left: 0 }, exceeded: false };
  let root: AstNode | undefined;
  const refused = (error: unknown): Compilation => ({
    ok: false,
    problem: compileProblem(text, error),
    ...(mayCompileElsewhere(text, error, root) && { isNotJudged: true }),
  });
  const tooLong = lengthProblem(text);
  if (tooLong !== undefined) return { ok: false, problem: tooLong };
  try {
    const parsed = environment.parse(text);
    root = parsed.ast as unknown as AstNode;
    const top = root;
    const tooDeep = depthProblem(root);
    if (tooDeep !== undefined) return { ok: false, ...tooDeep };
    for (const node of nodesOf(root)) if (node.op === 'call' && node.args[0] === 'has') askForMembers(node);
    const { valid, type, error } = parsed.check();
    if (!valid) return refused(error);
    const problem = homogeneityProblem(text, root) ?? stricterProblem(text, root, attemptIn(environment));
    if (problem !== undefined) return { ok: false, problem };
    const nodes = nodesOf(root);
    for (const node of nodes) meter(node, spent);
    return {
      ok: true,
      expression: {
        type: type ?? 'dyn',
        names: new Set(nodes.filter(({ op }) => op === 'id').map(({ args }) => args as string)),
        tree: () => costTree(top),
        evaluate(variables, budget) {
          Object.assign(spent, { budget, exceeded: false });
          try {
            const value: unknown = parsed(variables);
            if (!spent.exceeded) return value;
          } catch (cause) {
            if (!spent.exceeded) throw new Error(failureText(cause), { cause });
          }
          throw new CostExceeded('operation cancelled: actual cost limit exceeded');
        },
      },
    };
  } catch (error) {
    return refused(error);
  }
}

/** Whether a part of an expression compiles and has a value alone. */
function attemptIn(environment: Environment): Try {
  return (text) => {
    try {
      const parsed = environment.parse(text);
      const { valid, error } = parsed.check();
      if (!valid) return { code: (error as { readonly code?: string } | undefined)?.code };
      parsed({});
      return undefined;
    } catch {
      return { code: undefined };
    }
  };
}

/** The cost of the present evaluation: evaluations of one expression do not overlap. */
interface Meter {
  budget: Budget;
  exceeded: boolean;
}

function pay(spent: Meter, cost: number): boolean {
  spent.budget.left -= cost;
  if (spent.budget.left < 0) spent.exceeded = true;
  return !spent.exceeded;
}

/**
 * Makes a node pay for its evaluation. A loop ends at once if the budget is spent, because its
 * condition becomes false: a failing step would not end it.
 */
function meter(node: AstNode, spent: Meter): void {
  if (node.meta.macro !== undefined) node.meta.macro.goOn = () => pay(spent, 1);
  if (node.op === 'comprehension') {
    const goesOn = node.args.condition;
    node.args.condition = (so: unknown) => pay(spent, 1) && (goesOn === undefined || goesOn(so));
    payForFailures(node.args.step as AstNode, spent);
  }
  if (node.op === '&&' || node.op === '||') node.setMeta('evaluate', decideBoth);
  const { handle } = node;
  if (handle === undefined || node.op === '?:') return;
  const name = node.op === 'call' || node.op === 'rcall' ? (node.args[0] as string) : undefined;
  const own = node.op === 'rcall' ? stringOverrides.get(node.args[0] as string) : undefined;
  const mustPay = (cost: number): void => {
    if (!pay(spent, cost)) throw new Error('the budget is spent');
  };
  const search = searchOf(node, mustPay);
  node.handle = (...given) => {
    const [first, second] = given;
    mustPay(
      1 + sizeOf(first) + (name === undefined ? sizeOf(second) : callCost(name, Array.isArray(first) ? first : [])),
    );
    const found = search !== undefined && Array.isArray(first) ? search(first) : undefined;
    if (found !== undefined) return found.value;
    if (own !== undefined && Array.isArray(first) && typeof first[0] === 'string') return own(...(first as never[]));
    return handle(...given);
  };
}

/** Making an error takes about twenty times as long as a step that has none. */
function payForFailures(step: AstNode, spent: Meter): void {
  const { evaluate } = step.meta;
  if (evaluate === undefined) return;
  step.setMeta('evaluate', (evaluator: Evaluator, node: AstNode, context: Context) => {
    try {
      return evaluate(evaluator, node, context);
    } catch (error) {
      pay(spent, 20);
      throw error;
    }
  });
}

/**
 * `&&` and `||`: either side may decide, whatever the other is; of two failures the left one
 * counts, where the library takes the right one.
 */
function decideBoth(evaluator: Evaluator, { op, args }: AstNode, context: Context): boolean {
  const decisive = op === '||';
  const failures: unknown[] = [];
  for (const side of args as readonly AstNode[]) {
    try {
      const value = evaluator.run(side, context);
      if (value === decisive) return decisive;
      if (typeof value !== 'boolean') failures.push(new Error('no such overload'));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return !decisive;
}

/** The cost of reading a value. The arguments of a call are a list: their own sizes count. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length / 10;
  if (!Array.isArray(value)) return 0;
  let size = value.length;
  if (size <= 4)
    for (const item of value) if (typeof item === 'string' || Array.isArray(item)) size += item.length / 10;
  return size;
}

/**
 * `has(a.b)`: the library asks names only; here whatever can have members is asked, and a field
 * that the type has not is an error.
 */
function askForMembers(call: AstNode): void {
  const [member] = call.args[1] as readonly AstNode[];
  if (member === undefined || (member.op !== '.' && member.op !== '.?')) return;
  const [holder, field] = member.args as readonly [AstNode, string];
  call.meta.macro = {
    typeCheck(checker, _macro, context) {
      checker.check(holder, context);
      try {
        checker.check(member, context);
      } catch {
        // cel-go reports this error at the call.
        throw checker.createError('no_such_key', `No such key: ${field}`, call);
      }
      return checker.getType('bool');
    },
    evaluate(evaluator, _macro, context) {
      const found = evaluator.run(holder, context);
      const value = evaluator.debugType(found).fieldLazy(found, field, member, evaluator);
      return typeof value === 'object' && value !== null && 'hasValue' in value
        ? (value as { hasValue(): boolean }).hasValue()
        : value !== undefined;
    },
  };
  call.setMeta('async', false);
}
