import { Composer, Lexer, parseAllDocuments, Parser } from 'yaml';
import type { Document, DocumentOptions, ParseOptions, SchemaOptions } from 'yaml';
import { unindentedLexer } from './unindented-lexer.ts';

/**
 * The documents of a text. YAML requires the lines of a quoted text, and of a collection in
 * brackets, to be indented more than their parent; kubectl's parser (libyaml) ignores their
 * indentation. A text with such errors is read as libyaml reads it. If that fails too, the errors
 * of the strict reading are returned.
 */
export function yamlDocuments(
  text: string,
  options: ParseOptions & DocumentOptions & SchemaOptions,
): readonly Document[] {
  const strict = [...parseAllDocuments(text, options)];
  if (!strict.some(({ errors }) => errors.some(({ code }) => code === 'MISSING_CHAR' || code === 'BAD_INDENT')))
    return strict;
  const lexer = unindentedLexer(new Lexer());
  if (lexer === undefined) return strict;
  const lenient = [...new Composer(options).compose(tokensOf(text, lexer))];
  return lenient.every(({ errors }) => errors.length === 0) ? lenient : strict;
}

function* tokensOf(text: string, lexer: Lexer): ReturnType<Parser['parse']> {
  const parser = new Parser();
  for (const lexeme of lexer.lex(text)) yield* parser.next(lexeme);
  yield* parser.end();
}
