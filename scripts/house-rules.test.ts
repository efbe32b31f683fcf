import { describe, expect, it } from 'vitest';
import { houseRuleFindings, wideComments } from './house-rules.ts';

const messages = (path: string, text: string) => houseRuleFindings(path, text).map((finding) => finding.message);

describe('the house rules', () => {
  it.each([
    ['const t = new Date();'],
    ['const text = Date();'],
    ['const fs = await import(name);'],
    ['names.sort((a, b) => a.localeCompare(b));'],
    ['let counter = 0;'],
    ['export const seen = new Map<string, number>();'],
    ["import { type Clock, sleep } from '@isthmus/machinery';"],
  ])('refuse %s', (text) => {
    expect(messages('packages/kube/src/x.ts', text)).toHaveLength(1);
  });

  it.each([
    ['const t = new Date(ms);'],
    ["const lazy = await import('reflect-metadata');"],
    ['  let counter = 0;'],
    ["export const words = new Set(['a']);"],
    ['// new Date() is forbidden'],
  ])('allow %s', (text) => {
    expect(messages('packages/kube/src/x.ts', text)).toEqual([]);
  });

  it.each([
    ["import { setCondition } from '@isthmus/machinery';"],
    ["events.event(object, { type: 'Warning', reason: 'Odd', message });"],
  ])('refuse %s in a controller, where no definition lists the reason', (text) => {
    expect(messages('packages/controlplane/src/leader/x.ts', text)).toHaveLength(1);
    expect(messages('packages/wire/src/conditions.ts', text)).toEqual([]);
    expect(messages('packages/sandbox/src/x.ts', text)).toEqual([]);
  });

  it('refuse to count a cached object as present that is being deleted', () => {
    const path = 'packages/controlplane/src/exchanges/x.ts';
    expect(messages(path, 'const is = local.tiers.cache.get({ name }) !== undefined;')).toHaveLength(1);
    expect(messages(path, 'if (services.cache.getByKey(keyOf(object)) === undefined) return;')).toHaveLength(1);
    expect(messages(path, 'const is = liveOf(local.tiers.cache.get({ name })) !== undefined;')).toEqual([]);
    expect(messages(path, "if (presenceOf(cache.getByKey(key)).state !== 'absent') return;")).toEqual([]);
  });

  it('refuse a file named for nothing', () => {
    expect(messages('packages/kube/src/utils.ts', '')).toHaveLength(1);
  });
});

describe('the width of comments', () => {
  const words = 'word '.repeat(24).trim();

  it.each([
    [`// ${words}`, 1],
    [`/** ${words} */`, 1],
    [`/**\n * Short.\n * ${words}\n */`, 3],
    [`// short\n// ${words}`, 2],
    [`const a = 1; // ${words}`, 1],
    [`const a = 'a name that is long enough to leave little room'; // ${words.slice(0, 60)}`, 1],
  ])('is at most 100 columns, which %j exceeds', (text, line) => {
    expect(wideComments('packages/kube/src/x.ts', text).map((finding) => finding.line)).toEqual([line]);
  });

  it.each([
    [`// ${words.slice(0, 97)}`],
    [`/** ${words.slice(0, 93)} */`],
    [`// ${'word'.repeat(30)}`],
    [`/** ${'word'.repeat(30)} */`],
    [`// see https://kubernetes.io/docs ${words}`],
    [`// oxlint-disable-next-line ${words}`],
    [`// @ts-expect-error ${words}`],
    [`/**\n * | ${words} |\n */`],
    [`f(/* name */ '${words}');`],
    [`const a = '// ${words}';`],
    [`const a = \`\n// ${words}\n\`;`],
  ])('is not exceeded by %j', (text) => {
    expect(wideComments('packages/kube/src/x.ts', text)).toEqual([]);
  });
});
