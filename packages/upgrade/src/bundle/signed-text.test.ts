import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { canonicalText } from './canonical-text.ts';
import { bundleDigest, signedText } from './signed-text.ts';
import { digest, readBundle, written } from './testing/bundle-of.ts';

describe('canonical JSON (RFC 8785)', () => {
  it('is that of the example of RFC 8785', () => {
    const example: unknown = JSON.parse(
      '{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001], ' +
        '"string": "\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/", "literals": [null, true, false]}',
    );
    expect(canonicalText(example)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('sorts keys by UTF-16 units, so that a surrogate pair comes before U+FB33 (RFC 8785 §3.2.3)', () => {
    const unsorted = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    expect(Object.values(JSON.parse(canonicalText(unsorted)) as object)).toEqual([
      // In an object in JavaScript the key 1 comes first; the text has it second.
      'One',
      'Carriage Return',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
    expect(canonicalText(unsorted)).toMatch(/^\{"\\r":"Carriage Return","1":"One","\u0080"/);
  });

  // The samples of RFC 8785, appendix B: the bits of an IEEE 754 double, and its text.
  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('writes the double %s as %s', (bits, text) => {
    expect(canonicalText(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text);
  });

  it.each([
    [{ a: [Number.NaN] }, 'a[0]: NaN is not a JSON number'],
    [{ a: -Infinity }, 'a: -Infinity is not a JSON number'],
    [{ a: { b: 'x\ud800' } }, 'a.b: half of a surrogate pair'],
    [{ a: { '\udead': 1 } }, 'half of a surrogate pair'],
  ])('refuses %j', (value, message) => {
    expect(() => canonicalText(value)).toThrow(message);
  });
});

describe('what a signature of a bundle covers', () => {
  const spec = { components: [written({ id: 'flux' })] };
  const signed = signedText(readBundle(spec).written);

  it('is the content as it was written, without defaults', () => {
    expect(signed).toBe(
      `{"apiVersion":"upgrade.isthmus.dev/v1alpha1","kind":"ComponentBundle","metadata":{"name":"bundle-7"},"spec":{"channel":"stable",` +
        `"components":[{"artifacts":[{"digest":"${digest(1)}","kind":"image","name":"image","uri":"registry.example/flux"}],"id":"flux",` +
        `"version":{"upstream":"v1.0.0"}}],"createdAt":"2026-11-01T00:00:00Z","number":7}}`,
    );
  });

  it('leaves out annotations, status and fields that an API server adds', () => {
    const more = { annotations: { a: 'b' }, uid: '0c5b', resourceVersion: '7', labels: { x: 'y' } };
    const other = readBundle(spec, more).written;
    const stored = { ...(other.json as object), status: { seen: true }, signature: { algorithm: 'x' } };
    expect(signedText({ json: stored })).toBe(signed);
  });

  it('contains every byte of every component', () => {
    const image = { name: 'image', kind: 'image', uri: 'registry.example/flux', digest: digest(1).replace(/1$/, '2') };
    expect(signedText(readBundle({ components: [written({ id: 'flux', artifacts: [image] })] }).written)).not.toBe(
      signed,
    );
  });

  it('gives the bundle its identity', () => {
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(bundleDigest({ json: JSON.parse(signed) as unknown }, sha256)).toBe(`sha256:${sha256(signed)}`);
  });
});
