import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { madeUpIo } from '../../testing/made-up-io.ts';
import { jsonPieces } from './split-json.ts';
import { storedObjects } from './stored-objects.ts';
import { yamlPieces } from './split-yaml.ts';

const pond = (name: string, more: object = {}) => ({ apiVersion: 'a.b/v1', kind: 'Pond', metadata: { name }, ...more });
const odd = pond('odd', { spec: { text: '}]{[",\\"\n---\n', items: [{ items: [1] }, []], '"items":[': {} } });

async function read(text: string, limit?: number): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for await (const object of storedObjects(madeUpIo({ files: { f: text } }), ['f'], { aside: [], limit }))
    found.push(object);
  return found;
}

/** Cut at random places, so that every state of the reader meets the end of a chunk. */
async function* cut(text: string, lengths: readonly number[]): AsyncGenerator<string> {
  let at = 0;
  for (let turn = 0; at < text.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    yield text.slice(at, at + length);
    at += length;
  }
}

async function textsOf(pieces: AsyncIterable<{ readonly text: string }>): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const { text } of pieces) texts.push(text);
  return texts;
}

const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

describe('stored objects', () => {
  const all = [pond('a'), odd, pond('b')];
  const list = (more: object) => ({ apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '' }, ...more });
  const sorted = { apiVersion: 'v1', items: all, kind: 'List', metadata: { items: [] } };

  it.each([
    ['objects on a line each', all.map((one) => JSON.stringify(one)).join('\n')],
    ['objects that follow each other', all.map((one) => JSON.stringify(one, null, 2)).join('\n\n')],
    ['a List', JSON.stringify(list({ items: all }), null, 4)],
    ['a List as kubectl sorts it', JSON.stringify(sorted, null, 4)],
    ['Lists and objects', [JSON.stringify(sorted), JSON.stringify(list({ items: [] }))].join('\n')],
    [
      'a list of one kind, whose items do not name it',
      JSON.stringify({
        kind: 'PondList',
        apiVersion: 'a.b/v1',
        metadata: {},
        items: all.map((one) => ({ ...one, apiVersion: undefined, kind: undefined })),
      }),
    ],
    ['documents of YAML', `# first\n${all.map((one) => `---\n${JSON.stringify(one, null, 1)}\n`).join('')}---\n`],
  ])('are the same whether a file is held whole or taken apart: %s', async (_what, text) => {
    expect(await read(text)).toEqual(all);
    expect(await read(text, 300)).toEqual(all);
  });

  it('with a field `items` of their own are not lists', async () => {
    const own = pond('c', { items: [{ x: 1 }], spec: 'x'.repeat(200) });
    const { kind, metadata, ...first } = own;
    for (const text of [JSON.stringify(own), JSON.stringify({ ...first, kind, metadata })])
      expect(await read(`${text}\n${text}`, 300)).toEqual([own, own]);
  });

  it.each([
    ['of JSON that ends within an object', '{"a":\n{', 'f:1: not valid JSON: the text ends within an object'],
    ['with something between objects', `${JSON.stringify(pond('a'))}\n]`, 'f:2: not valid JSON: expected an object'],
    [
      'with an item that is no object',
      JSON.stringify(list({ items: [pond('a'), 3] }), null, 1),
      'f:15: not valid JSON',
    ],
    ['with an object that is none', `${JSON.stringify(pond('a'))}\n{"a" 1}`, 'f:2: not valid JSON: '],
    [
      'with an object that is too long',
      JSON.stringify(pond('a')) + JSON.stringify(pond('a'.repeat(9000))),
      'f:1: an object has more than 300 char',
    ],
    ['with a document that is too long', `#\n---\na: ${'x'.repeat(400)}`, 'f:2: a document has more than 300'],
    ['of YAML with bad syntax', `${'#'.repeat(300)}\n---\na: 1\nb: [`, 'f:4:5: '],
    ['of YAML with no object', `${'#'.repeat(300)}\n---\na: 1`, 'f:3: expected an object with apiVersion'],
    [
      'with an item without a name',
      `${' '.repeat(300)}${JSON.stringify(list({ items: [{ ...pond('a'), metadata: {} }] }))}`,
      'f:1: Pond without metadata.name',
    ],
  ])('of a file %s are refused with the line', async (_what, text, message) => {
    await expect(read(text, 300)).rejects.toThrow(message);
  });

  it('are taken apart in the same way wherever chunks end', async () => {
    const text = JSON.stringify(sorted, null, 1) + JSON.stringify(odd);
    const whole = await textsOf(jsonPieces(cut(text, [text.length]), 1e6));
    expect(whole.map((one) => JSON.parse(one) as unknown)).toEqual([...all, odd]);
    await fc.assert(
      fc.asyncProperty(lengths, async (some) => {
        expect(await textsOf(jsonPieces(cut(text, some), 1e6))).toEqual(whole);
      }),
      { numRuns: 30 },
    );
    const yaml = 'a: 1\n---\nb: |\n ---\n--- # c\nc: "---"\n---d: 1\n---';
    const documents = ['a: 1\n', '---\nb: |\n ---\n', '--- # c\nc: "---"\n---d: 1\n', '---'];
    await fc.assert(
      fc.asyncProperty(lengths, async (some) => {
        expect(await textsOf(yamlPieces(cut(yaml, some), 1e6))).toEqual(documents);
      }),
      { numRuns: 30 },
    );
  });

  it('never fail but for what a person can change', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', ':', 'items', ',', '\\', '\n', '1') }),
        (text) =>
          read(`{"apiVersion":"v1",${text}`, 3).then(
            () => true,
            (error: unknown) => error instanceof Error && error.name === 'UsageError',
          ),
      ),
      { numRuns: 300 },
    );
  });
});
