import { parseYaml } from '@isthmus/machinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { putSignature } from './put-signature.ts';
import { digest } from './testing/bundle-of.ts';

const signature = { algorithm: 'ecdsa-p256-sha256', keyID: digest(3), value: 'MEUCIQ==' } as const;
const block = `signature:
  algorithm: ecdsa-p256-sha256
  keyID: ${digest(3)}
  value: MEUCIQ==
`;

describe('a signature in the text of a bundle', () => {
  it.each([
    ['none', '# why\nkind: x\nspec: {a: 1} # b\n', `# why\nkind: x\nspec: {a: 1} # b\n${block}`],
    ['no line end', 'kind: x', `kind: x\n${block}`],
    ['an older one at the end', 'kind: x\nsignature:\n  value: old\n\n  keyID: b\n', `kind: x\n${block}`],
    ['one in the middle', 'kind: x\nsignature:\n  value: old\n# spec\nspec: 1\n', `kind: x\n# spec\nspec: 1\n${block}`],
    ['one in braces', 'kind: x\nsignature: {value: old,\n  keyID: b}\nspec: 1\n', `kind: x\nspec: 1\n${block}`],
    ['line ends of Windows', 'kind: x\r\nspec: 1\r\n', `kind: x\r\nspec: 1\r\n${block}`],
  ])('is put into one that has %s, and all else stays', (_what, text, expected) => {
    expect(putSignature(text, signature)).toEqual({ text: expected, kept: true });
  });

  it('is put into JSON, and into YAML in braces, by printing it again', () => {
    expect(putSignature('{"kind": "x"}', signature)).toEqual({
      text: `${JSON.stringify({ kind: 'x', signature }, null, 2)}\n`,
      kept: false,
    });
    expect(putSignature('--- {kind: x}\n', signature)).toEqual({ text: `kind: x\n${block}`, kept: false });
    expect(putSignature('kind: x\n...\n', signature)).toEqual({ text: `kind: x\n${block}`, kept: false });
  });

  it('is written as given, whatever the text of the bundle', () => {
    const key = fc.constantFrom('kind', 'spec', 'signature', 'signatures');
    const value = fc.oneof(fc.string(), fc.integer(), fc.dictionary(key, fc.string()));
    const text = fc
      .dictionary(key, value, { minKeys: 1 })
      .chain((object) => fc.constantFrom(JSON.stringify(object), JSON.stringify(object, null, 2)));
    fc.assert(
      fc.property(text, (json) => {
        const [before] = parseYaml(json, { source: 'x' });
        const [after] = parseYaml(putSignature(json, signature).text, { source: 'x' });
        expect(after?.value).toEqual({ ...(before?.value as object), signature });
      }),
    );
  });
});
