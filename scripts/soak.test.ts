import { existsSync, globSync, readFileSync } from 'node:fs';
import { oldestKubernetes } from '@isthmus/install';
import { describe, expect, it } from 'vitest';
import { kubernetesVersionIn } from '../packages/testkit/src/apiserver/binaries.ts';
import { parts, readSoakArguments, verdictOnPart } from './soak.ts';

describe('the arguments of a soak run', () => {
  it('name parts, and seeds for those that have some', () => {
    expect(readSoakArguments(['chaos', 'chaos', '--seeds', '3', '--from', '100'])).toEqual({
      names: ['chaos'],
      seeds: 3,
      from: 100,
    });
  });

  it('run every part where none is named', () => {
    expect(readSoakArguments([])).toEqual({ names: Object.keys(parts), seeds: 20, from: 1 });
  });

  it('are rejected where a part is unknown or a number is not one', () => {
    expect(() => readSoakArguments(['feature'])).toThrow('unknown part "feature"; the parts are:\n  features: ');
    expect(() => readSoakArguments(['--seeds', '0'])).toThrow('--seeds must be a positive number, not "0"');
    expect(() => readSoakArguments(['--seed', '1'])).toThrow("Unknown option '--seed'");
  });
});

describe('the verdict on a part', () => {
  it.each([
    [[{ ok: true }, { ok: true }], 0, 'ok   chaos: 2 checks, 0 failed'],
    [[{ ok: true }, { ok: false }], 0, 'FAIL chaos: 2 checks, 1 failed'],
    [[{ ok: true }], 1, 'FAIL chaos: 1 checks, 0 failed, its program ended with 1'],
    [[{ ok: true }], null, 'FAIL chaos: 1 checks, 0 failed, its program ended with a signal'],
    [[], 0, 'FAIL chaos: 0 checks, 0 failed'],
  ])('of %j with exit code %s is: %s', (checks, code, line) => {
    expect(verdictOnPart('chaos', checks, code)).toEqual({ ok: line.startsWith('ok'), line });
  });

  it.each(Object.values(parts).map(({ program }) => program))('is asked of a program that exists: %s', (program) => {
    expect(existsSync(new URL(`../${program}`, import.meta.url))).toBe(true);
  });
});

describe('the part of the oldest Kubernetes', () => {
  it('builds the oldest minor that the chart, the bundle and the documentation name as supported', () => {
    const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
    expect(kubernetesVersionIn(read('envtest/oldest/go.mod'))).toMatch(new RegExp(`^v${oldestKubernetes}\\.`));
    expect(read('docs/versioning.md')).toContain(`| Kubernetes | ${oldestKubernetes} and later`);
    expect(read('deploy/charts/isthmus/Chart.yaml')).toContain(`kubeVersion: '>=${oldestKubernetes}.0-0'`);
  });

  it.each(['oldest', 'servers', 'nodes'])('runs tests that exist: %s', (name) => {
    for (const path of parts[name]?.args({ seeds: 1, from: 1 }) ?? [])
      expect({
        path,
        found: globSync(`${path}{.envtest.test.ts,*.envtest.test.ts,/**/*.envtest.test.ts}`).length,
      }).not.toEqual({ path, found: 0 });
  });
});
