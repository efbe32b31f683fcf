import { describe, expect, it } from 'vitest';
import { houseRuleFindings } from './house-rules.ts';

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
    expect(messages('packages/clusterset/src/leader/x.ts', text)).toHaveLength(1);
    expect(messages('packages/clusterset/src/conditions.ts', text)).toEqual([]);
    expect(messages('packages/sandbox/src/x.ts', text)).toEqual([]);
  });

  it('refuse a file named for nothing', () => {
    expect(messages('packages/kube/src/utils.ts', '')).toHaveLength(1);
  });
});
