import { describe, expect, it } from 'vitest';
import { yamlFieldLines } from './yaml-field-lines.ts';

const text = `# a comment
metadata:
  name: web
spec:
  ports:
    - port: 80
    - {port: 81,
       name: b}
  labels:
    a.b/c: x
    a: {b: 1}
---
# nothing here
---
spec:
  mode: x
`;

describe('the line of a field', () => {
  it.each([
    ['the whole', '', 2],
    ['a field', 'metadata.name', 3],
    ['an item of a list', 'spec.ports[1]', 7],
    ['a field of an item in braces over several lines', 'spec.ports[1].name', 8],
    ['a key of a map with dots', 'spec.labels[a.b/c]', 10],
    ['a field below a key that begins as another', 'spec.labels.a.b', 11],
    ['the field around one that is not there', 'spec.ports[0].protocol', 6],
    ['the list around an item that is not there', 'spec.ports[7].protocol', 5],
  ])('%s', (_what, path, line) => {
    expect(yamlFieldLines(text)(path)).toBe(line);
  });

  it('counts the documents that are not empty', () => {
    expect(yamlFieldLines(text, 1)('spec.mode')).toBe(16);
  });

  it('is 1 for a text without any document', () => {
    expect(yamlFieldLines('', 0)('spec')).toBe(1);
  });

  it('finds each line of a long text at once', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => `  k${at}: ${at}`).join('\n');
    const lineOf = yamlFieldLines(`spec:\n${many}\n`);
    expect([lineOf('spec.k0'), lineOf('spec.k19999')]).toEqual([2, 20_001]);
  });
});
