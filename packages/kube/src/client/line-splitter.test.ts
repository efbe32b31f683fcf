import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLineSplitter } from './line-splitter.ts';

it('finds the same lines wherever the chunks were cut', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replaceAll('\n', ''));
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 8 }),
      fc.boolean(),
      fc.array(fc.nat(60), { maxLength: 10 }),
      (lines, ended, cuts) => {
        const bytes = Buffer.from(lines.join('\n') + (ended ? '\n' : ''));
        const points = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length].toSorted((a, b) => a - b);
        const splitter = createLineSplitter(1000);
        const found: string[] = [];
        for (let i = 1; i < points.length; i++) found.push(...splitter.push(bytes.subarray(points[i - 1], points[i])));
        const rest = splitter.rest();
        if (rest !== '') found.push(rest);
        expect(found.map((text) => text.trim())).toEqual(
          lines.map((text) => text.trim()).filter((text) => text !== ''),
        );
      },
    ),
  );
});

it('refuses a line beyond its bound, whole or in pieces, and takes one that just fits', () => {
  expect(createLineSplitter(4).push(Buffer.from('1234\n5'))).toEqual(['1234']);
  expect(() => createLineSplitter(4).push(Buffer.from('12345\n'))).toThrow('a line is larger than 4 bytes');
  const splitter = createLineSplitter(4);
  splitter.push(Buffer.from('123'));
  expect(() => splitter.push(Buffer.from('45'))).toThrow('a line is larger than 4 bytes');
});
