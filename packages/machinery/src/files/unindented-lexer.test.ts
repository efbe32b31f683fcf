import { Lexer } from 'yaml';
import { describe, expect, it } from 'vitest';
import { unindentedLexer } from './unindented-lexer.ts';

describe('the lexer of the library', () => {
  it('has the state that the reading of less indented texts is built on: correct unindented-lexer.ts for another version', () => {
    expect(unindentedLexer(new Lexer())).toBeInstanceOf(Lexer);
  });

  it.each([
    ['indentNext', { flowLevel: 0, parseQuotedScalar() {} }],
    ['flowLevel', { indentNext: 0, parseQuotedScalar() {} }],
    ['parseQuotedScalar', { indentNext: 0, flowLevel: 0 }],
  ])('is left as it is without %s', (_, lexer) => {
    const before = { ...lexer };
    expect(unindentedLexer(lexer)).toBeUndefined();
    expect(lexer).toEqual(before);
  });
});
