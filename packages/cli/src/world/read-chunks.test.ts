import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readChunks } from './read-chunks.ts';

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'isthmus-chunks-'));
});
afterAll(() => rm(root, { recursive: true }));

it('reads a file piece by piece, with characters whole where a piece ends within one', async () => {
  const text = 'a' + 'ü'.repeat(700_000);
  await writeFile(join(root, 'large'), text);
  const chunks: string[] = [];
  for await (const chunk of readChunks(join(root, 'large'))) chunks.push(chunk);
  expect(chunks.length).toBeGreaterThan(1);
  expect(chunks.join('') === text).toBe(true);
});

it('names a file that is not there', async () => {
  const all = readChunks(join(root, 'gone'))[Symbol.asyncIterator]();
  await expect(all.next()).rejects.toThrow(/^cannot read .*gone: no such file$/);
});
