import { parseYaml } from '@isthmus/machinery';
import { expect, it } from 'vitest';
import { documentText } from './document-text.ts';

it('a document is the same as JSON and as YAML, without what is undefined, in its own order', () => {
  const document = { b: 'yes', a: [{ n: null, at: '2026-11-22' }], none: undefined };
  const [json, yaml] = [documentText(document, 'json'), documentText(document, 'yaml')];
  expect(JSON.parse(json)).toEqual({ b: 'yes', a: [{ n: null, at: '2026-11-22' }] });
  expect(parseYaml(yaml, { source: 'yaml' })).toEqual([{ value: JSON.parse(json), line: 1 }]);
  expect([json, yaml].map((text) => [text.indexOf('b') < text.indexOf('at'), text.endsWith('\n')])).toEqual([
    [true, true],
    [true, true],
  ]);
});
