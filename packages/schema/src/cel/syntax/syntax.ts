/**
 * The nodes of an expression as the CEL library holds them, limited to the fields that are used
 * here: to locate an error, to limit the cost of an evaluation, and to change the meaning of a
 * macro. Pinned to the version of the library: the tests of expressions fail if the nodes change.
 */
export interface AstNode {
  readonly op: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- the library's arguments differ by operator
  readonly args: any;
  readonly pos: number;
  readonly start: number;
  readonly end: number;
  /** The text of the whole expression. */
  readonly input: string;
  readonly checkedType?: TypeOf | undefined;
  handle?: ((...given: unknown[]) => unknown) | undefined;
  readonly meta: {
    readonly alternate?: AstNode | undefined;
    macro?: Macro | undefined;
    readonly evaluate?: ((evaluator: Evaluator, node: AstNode, context: Context) => unknown) | undefined;
  };
  setMeta(key: string, value: unknown): AstNode;
}

/** The behaviour of a macro in place of a call. */
export interface Macro {
  typeCheck(checker: Checker, macro: Macro, context: Context): unknown;
  evaluate(evaluator: Evaluator, macro: Macro, context: Context): unknown;
  /** Whether the evaluation may take another step. */
  goOn?: (() => boolean) | undefined;
}

export interface Checker {
  check(node: AstNode, context: Context): TypeOf;
  getType(name: string): TypeOf;
  createError(code: string, message: string, node: AstNode): Error;
}

export interface TypeOf {
  readonly kind: string;
  readonly name: string;
  readonly keyType?: TypeOf | undefined;
  readonly valueType?: TypeOf | undefined;
  fieldLazy(value: unknown, key: string, node: AstNode, evaluator: Evaluator): unknown;
}

export interface Context {
  forkWithVariable(name: string, type: TypeOf): Context;
  reuse(parent: Context): Context;
  setIterValue(value: unknown, evaluator: Evaluator): Context;
}

export interface Evaluator {
  run(node: AstNode, context: Context): unknown;
  debugType(value: unknown): TypeOf;
}

/** A node with everything below it, as it is evaluated. */
export function nodesOf(root: AstNode): readonly AstNode[] {
  const nodes = [root];
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index];
    if (node !== undefined) nodes.push(...childrenOf(node));
  }
  return nodes;
}

/** The nodes directly below a node, as they are evaluated. */
export function childrenOf({ op, args, meta }: AstNode): readonly AstNode[] {
  if (meta.alternate !== undefined) return [meta.alternate];
  switch (op) {
    case 'value':
    case 'id':
    case 'accuValue':
    case 'accuInc':
      return [];
    case 'call':
      return args[1];
    case 'rcall':
      return [args[1], ...args[2]];
    case 'map':
      return args.flat();
    case '.':
    case '.?':
      return [args[0]];
    case 'comprehension':
      return [args.iterable, args.init, args.step];
    default:
      return Array.isArray(args) ? args : [args];
  }
}
