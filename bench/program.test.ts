import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { bundleProgram } from './program.ts';

/** Each library that a controller has no use for, by a name that only its code has. */
const strange = {
  'patterns of schemas (re2js)': 'class RE2JS',
  'writing YAML (js-yaml)': 'DEFAULT_SCALAR_STYLE_RULES',
  'metrics (@prometheus-io/client)': 'collectDefaultMetrics',
};

it('a controller in the bundle loads no library that it has no use for: each costs processor time at the start, and memory', async () => {
  await using program = await bundleProgram();
  const folder = dirname(program.path);
  const textOf = (name: string) => readFile(join(folder, name), 'utf8');
  const imports = (text: string) =>
    [...text.matchAll(/(?:from|import)\s?["']\.\/([^"']+)["']/g)].map(([, name = '']) => name);
  const later = (text: string) => [...text.matchAll(/import\(["'`]\.\/([^"'`]+)["'`]\)/g)].map(([, name = '']) => name);
  const isOfController = (name: string) =>
    /^(?:run-cli|node-process|role|run-controller|node-network|node-memory)-/.test(name);
  const loaded = new Map<string, string>();
  const waiting = ['isthmus.mjs'];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (loaded.has(name)) continue;
    const text = await textOf(name);
    loaded.set(name, text);
    waiting.push(...imports(text), ...later(text).filter(isOfController));
  }
  const all = [...loaded.values()].join('\n');
  expect(all).toContain('function runController');
  const found = Object.entries(strange).filter(([, code]) => all.includes(code));
  expect(found.map(([what]) => what)).toEqual([]);
});
