import { describe, expect, it } from 'vitest';
import { goJson, goNumber, goQuote, maxPrintedDepth } from './go-text.ts';

describe('values in messages read as Go writes them', () => {
  it.each([
    ['plain', '"plain"'],
    ['a "b" \\', '"a \\"b\\" \\\\"'],
    ['tab\there\nline', '"tab\\there\\nline"'],
    ['\u0007\u0001\u007f', '"\\a\\x01\\x7f"'],
    ['é 😀', '"é 😀"'],
    ['\u00a0\u200b\u{e0001}', '"\\u00a0\\u200b\\U000e0001"'],
    ['\ud800', '"\ufffd"'],
    ['constructor', '"constructor"'],
  ])('the text %j', (text, quoted) => {
    expect(goQuote(text)).toBe(quoted);
  });

  it.each([
    [0, '0'],
    [-0, '0'],
    [70000, '70000'],
    [1.5, '1.5'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [2 ** 60, '1152921504606846976'],
    [1e20, '1e+20'],
    [1234567.5, '1.2345675e+06'],
    [999999.5, '999999.5'],
    [1e21, '1e+21'],
    [-2.5e-7, '-2.5e-07'],
  ])('the number %d', (number, text) => {
    expect(goNumber(number)).toBe(text);
  });

  it('JSON has its keys sorted, HTML escaped, and no undefined members', () => {
    expect(goJson({ b: [1, null, 'x<y'], a: { '&': true }, c: undefined })).toBe(
      '{"a":{"\\u0026":true},"b":[1,null,"x\\u003cy"]}',
    );
  });

  it('JSON deeper than the limit is cut instead of overflowing the stack', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(goJson(deep)).toBe(`${'['.repeat(maxPrintedDepth)}null${']'.repeat(maxPrintedDepth)}`);
  });
});
