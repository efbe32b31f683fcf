import { execFileSync } from 'node:child_process';
import { findBinaries } from '@isthmus/testkit';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { awkwardTexts } from './testing/awkward-texts.ts';
import { printYaml } from './print-yaml.ts';
import { parseYaml } from './yaml.ts';

/** What the real kubectl reads in a YAML text of one object, without asking any server. */
function readByKubectl(text: string): { readonly data: Readonly<Record<string, unknown>> } {
  const { kubectl } = findBinaries(process.env);
  const args = ['annotate', '--local', '--filename=-', 'a=b', '--output=json'];
  return JSON.parse(
    execFileSync(kubectl, args, { input: text, maxBuffer: 64 * 1024 * 1024, encoding: 'utf8', stdio: 'pipe' }),
  );
}

const sample = (characters: string, count: number) =>
  fc.sample(fc.string({ unit: fc.constantFrom(...characters.split('')), minLength: 1, maxLength: 7 }), {
    numRuns: count,
    seed: 7,
  });
const like = (data: Readonly<Record<string, unknown>>) => ({
  apiVersion: 'example.com/v1',
  kind: 'Free',
  metadata: { name: 'x' },
  data,
});
const numbered = (texts: readonly string[]) => Object.fromEntries(texts.map((text, index) => [`k${index}`, text]));

describe('our YAML and the real kubectl', () => {
  it('what we print is read back as it was', () => {
    const texts = [
      ...awkwardTexts,
      ...sample('0123456789._eExXoObB+-', 3000),
      ...sample('abyn :#-&*!|>%@\'"[]{},=~\n\t\\', 1000),
    ];
    const data = numbered([...new Set(texts)]);
    expect(readByKubectl(printYaml(like(data))).data).toEqual(data);
  });

  it('plain scalars are read as kubectl reads them', () => {
    const texts = sample('0123456789._eExXoObB+-yYnN', 4000).filter((text) => !/^[-.]+$/.test(text));
    const words = [
      'yes',
      'No',
      'on',
      'OFF',
      'true',
      'FALSE',
      'null',
      'Null',
      '~',
      '2026-01-01',
      '12:30:45',
      '08',
      '.5_0',
      '1e400',
    ];
    const text = printYaml(like({})).replace('data: {}', 'data:');
    const lines = [...new Set([...words, ...texts])].map((scalar, index) => `  k${index}: ${scalar}\n`).join('');
    const [ours] = parseYaml(text + lines, { source: 'plain' });
    expect(ours?.value).toMatchObject({ data: readByKubectl(text + lines).data });
  });

  it('texts in quotation marks and collections in brackets go on at any indentation, and nothing else does', () => {
    const head = printYaml(like({})).replace('data: {}\n', 'data:\n');
    const pad = fc.constantFrom('', ' ', '  ', '   ', '     ');
    const item = fc.constantFrom(
      '"x\n%y"',
      "'x\n%\n%y'",
      '[1,\n%2\n%]',
      '{\n%k: [\n%1]\n%}',
      '[{\n%k: 1\n%}, "x\n%y"]',
      'x\n%y',
    );
    const lines = fc
      .tuple(
        item,
        fc.array(pad, { minLength: 4, maxLength: 4 }),
        fc.constantFrom('  a: ', '  a:\n  - ', '  a:\n    - '),
      )
      .map(([text, pads, before]) => {
        let at = 0;
        return `${before}${text.replaceAll('%', () => pads[at++] ?? '')}\n`;
      });
    const outcome = (read: () => unknown) => {
      try {
        return read();
      } catch {
        return 'rejected';
      }
    };
    for (const text of new Set(fc.sample(lines, { numRuns: 30, seed: 5 }))) {
      const ours = outcome(() => {
        const [first] = parseYaml(head + text, { source: 'f' });
        return (first as { readonly value: { readonly data: unknown } }).value.data;
      });
      expect([text, ours]).toEqual([text, outcome(() => readByKubectl(head + text).data)]);
    }
  });
});
