/**
 * The lexer's own state, which decides where a scalar or a flow collection ends. The library does
 * not promise it: `unindented-lexer.test.ts` fails with a version of `yaml` that does it otherwise,
 * and a text is then read strictly.
 */
interface LexerState {
  /** The least indentation of the lines that go on with what has begun. */
  indentNext: number;
  readonly flowLevel: number;
  parseQuotedScalar(): Generator<string, unknown>;
}

/**
 * The lexer, which then wants no indentation within quotation marks and brackets; undefined where
 * its state is not as it was in `yaml` 2.9.1.
 */
export function unindentedLexer<T extends object>(lexer: T): T | undefined {
  const state = lexer as T & Partial<LexerState>;
  if (!hasState(state)) return undefined;
  let wanted = 0;
  let isQuoted = false;
  Object.defineProperty(state, 'indentNext', {
    get: () => (isQuoted || state.flowLevel > 0 ? 0 : wanted),
    set(next: number) {
      wanted = next;
    },
  });
  const quoted = state.parseQuotedScalar.bind(state);
  state.parseQuotedScalar = function* parseQuotedScalar() {
    isQuoted = true;
    try {
      return yield* quoted();
    } finally {
      isQuoted = false;
    }
  };
  return lexer;
}

function hasState<T extends Partial<LexerState>>(state: T): state is T & LexerState {
  return (
    Object.hasOwn(state, 'indentNext') &&
    typeof state.flowLevel === 'number' &&
    typeof state.parseQuotedScalar === 'function'
  );
}
