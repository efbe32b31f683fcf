import { Composer, Lexer, parseAllDocuments, Parser } from 'yaml';
import type { Document, DocumentOptions, ParseOptions, SchemaOptions } from 'yaml';

/** The lexer's own state, which decides where a scalar or a flow collection ends. */
interface LexerState {
  /** The least indentation of the lines that go on with what has begun. */
  indentNext: number;
  readonly flowLevel: number;
  parseQuotedScalar(): Generator<string, unknown>;
}

/**
 * The documents of a text. YAML wants the lines of a text in quotation marks, and of a collection in brackets, to be indented more than what they are in; kubectl's parser
 * (libyaml) ignores their indentation. A text with mistakes is read its way, and keeps its mistakes where it has them then as well.
 */
export function yamlDocuments(
  text: string,
  options: ParseOptions & DocumentOptions & SchemaOptions,
): readonly Document[] {
  const strict = [...parseAllDocuments(text, options)];
  if (!strict.some(({ errors }) => errors.some(({ code }) => code === 'MISSING_CHAR' || code === 'BAD_INDENT')))
    return strict;
  const lenient = [...new Composer(options).compose(tokensOf(text))];
  return lenient.every(({ errors }) => errors.length === 0) ? lenient : strict;
}

function* tokensOf(text: string): ReturnType<Parser['parse']> {
  const parser = new Parser();
  for (const lexeme of unindentedLexer().lex(text)) yield* parser.next(lexeme);
  yield* parser.end();
}

/** A lexer that wants no indentation within quotation marks and brackets. */
function unindentedLexer(): Lexer {
  const lexer = new Lexer();
  const state = lexer as unknown as LexerState;
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
