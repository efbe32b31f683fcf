import { describe, expect, test } from 'vitest';
import type { RestartPolicy } from './decide-containers.ts';
import { decideContainers } from './decide-containers.ts';
import type { ContainerRun } from './pod-runtime.ts';

const nowMs = 1_000_000;
const run = (more: Partial<ContainerRun> = {}): ContainerRun => ({
  name: 'app',
  id: 'process://1',
  restarts: 0,
  startedAtMs: nowMs - 1_000,
  isReady: true,
  ...more,
});
const ended = (code: number, more: Partial<ContainerRun> = {}) => run({ exit: { code, atMs: nowMs }, ...more });
const decide = (runs: readonly ContainerRun[], restartPolicy: RestartPolicy = 'Always', names = ['app']) =>
  decideContainers(names, runs, { restartPolicy, nowMs });

describe('containers of a Pod', () => {
  test('are started where they have never run', () => {
    expect(decide([])).toMatchObject({ phase: 'Running', againMs: undefined });
    expect(decide([]).containers.get('app')).toEqual({ kind: 'start', run: undefined });
  });

  test('are left alone while they run', () => {
    expect(decide([run()]).containers.get('app')?.kind).toBe('running');
  });

  test.each([
    ['Always', 0, 'start', 'Running'],
    ['Always', 1, 'start', 'Running'],
    ['OnFailure', 0, 'ended', 'Succeeded'],
    ['OnFailure', 1, 'start', 'Running'],
    ['Never', 0, 'ended', 'Succeeded'],
    ['Never', 1, 'ended', 'Failed'],
  ] as const)('with restartPolicy %s that end with %i: %s, the Pod is %s', (policy, code, kind, phase) => {
    const verdict = decide([ended(code)], policy);
    expect(verdict.containers.get('app')?.kind).toBe(kind);
    expect(verdict.phase).toBe(phase);
  });

  test.each([
    [1, 10_000],
    [2, 20_000],
    [5, 160_000],
    [6, 300_000],
    [40, 300_000],
  ])('that were started again %i times wait %i ms for the next start', (restarts, waitMs) => {
    const verdict = decide([ended(1, { restarts })]);
    expect(verdict.containers.get('app')).toMatchObject({ kind: 'wait', forMs: waitMs });
    expect(verdict.againMs).toBe(waitMs);
  });

  test('that ran for ten minutes are started again at once', () => {
    const verdict = decide([ended(1, { restarts: 9, startedAtMs: nowMs - 600_000 })]);
    expect(verdict.containers.get('app')?.kind).toBe('start');
  });

  test('make a Pod that goes on while one of them runs', () => {
    const both = decide([ended(1), run({ name: 'side' })], 'Never', ['app', 'side']);
    expect(both.phase).toBe('Running');
    expect(decide([ended(0), ended(3, { name: 'side' })], 'Never', ['app', 'side']).phase).toBe('Failed');
  });
});
