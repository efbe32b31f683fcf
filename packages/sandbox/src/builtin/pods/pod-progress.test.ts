import { describe, expect, it } from 'vitest';
import { podProgress } from './pod-progress.ts';
import type { PodShape } from './pod-progress.ts';

type Status = NonNullable<PodShape['status']>;
const now = Date.parse('2026-11-21T00:05:00Z');
const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString();

interface Case {
  readonly containers?: number;
  /** The names of containers that begin first; those with a star go on beside the others. */
  readonly init?: readonly string[];
  readonly status?: Status;
  readonly isDeleted?: boolean;
}
function progress({ containers = 1, init = [], status = {}, isDeleted = false }: Case) {
  const initContainers = init.map((text) => {
    const name = text.replace('*', '');
    return text === name ? { name } : { name, restartPolicy: 'Always' };
  });
  const pod: PodShape = {
    metadata: { name: 'web', ...(isDeleted && { deletionTimestamp: ago(1) }) },
    spec: { containers: Array.from({ length: containers }, () => ({})), initContainers },
    status,
  };
  const { ready, total, status: text, restarts } = podProgress(pod, now);
  return `${ready}/${total} ${text} ${restarts}`;
}
const running = { ready: true, state: { running: {} } };
const waiting = (reason: string) => ({ state: { waiting: { reason } } });
const ended = (exitCode: number, more: object = {}) => ({ state: { terminated: { exitCode, ...more } } });
const main = (...containerStatuses: NonNullable<Status['containerStatuses']>): Status => ({
  phase: 'Running',
  containerStatuses,
});
const isTrue = (type: string) => ({ type, status: 'True' });

describe('a Pod', () => {
  it.each<readonly [string, Case, string]>([
    ['without a status', {}, '0/1  0'],
    ['that waits for a Node', { status: { phase: 'Pending' } }, '0/1 Pending 0'],
    ['whose phase has a reason', { status: { phase: 'Failed', reason: 'Evicted' } }, '0/1 Evicted 0'],
    [
      'that waits for its gates',
      {
        status: {
          phase: 'Pending',
          conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
        },
      },
      '0/1 SchedulingGated 0',
    ],
    [
      'for which there is no Node',
      {
        status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
      },
      '0/1 Pending 0',
    ],
    ['that runs', { status: main(running) }, '1/1 Running 0'],
    ['that runs and is not ready', { status: main({ state: { running: {} } }) }, '0/1 Running 0'],
    ['that is ready and does not run', { status: main({ ready: true }) }, '0/1 Running 0'],
    [
      'of which one container waits',
      { containers: 2, status: main(running, waiting('ImagePullBackOff')) },
      '1/2 ImagePullBackOff 0',
    ],
    ['of which two wait: the first counts', { containers: 2, status: main(waiting('A'), waiting('B')) }, '0/2 A 0'],
    [
      'that has ended',
      { status: { ...main(ended(0, { reason: 'Completed' })), phase: 'Succeeded' } },
      '0/1 Completed 0',
    ],
    ['that has ended for a reason', { status: main(ended(137, { reason: 'OOMKilled' })) }, '0/1 OOMKilled 0'],
    ['that has ended with a code', { status: main(ended(3)) }, '0/1 ExitCode:3 0'],
    ['that has ended by a signal', { status: main(ended(137, { signal: 9 })) }, '0/1 Signal:9 0'],
  ])('%s', (_, one, expected) => {
    expect(progress(one)).toBe(expected);
  });

  const completed = ended(0, { reason: 'Completed' });
  it.each<readonly [string, Status, string]>([
    ['the rest runs, and it is ready', { ...main(completed, running), conditions: [isTrue('Ready')] }, '1/2 Running 0'],
    ['the rest runs, and it is not ready', main(completed, running), '1/2 NotReady 0'],
    [
      'the rest runs, and it is not ready for sure',
      { ...main(completed, running), conditions: [{ type: 'Ready', status: 'False' }] },
      '1/2 NotReady 0',
    ],
    ['another failed', main(completed, ended(1, { reason: 'Error' })), '0/2 Error 0'],
    ['another has ended as well', main(completed, completed), '0/2 Completed 0'],
  ])('of which one container has ended well: %s', (_, status, expected) => {
    expect(progress({ containers: 2, status })).toBe(expected);
  });

  it.each<readonly [string, Status, string]>([
    ['is ending', main(running), '1/1 Terminating 0'],
    ['is on a Node that is lost', { ...main(running), reason: 'NodeLost' }, '1/1 Unknown 0'],
    ['has ended well', { phase: 'Succeeded' }, '0/1 Succeeded 0'],
    ['has failed', { phase: 'Failed' }, '0/1 Failed 0'],
  ])('that is deleted %s', (_, status, expected) => {
    expect(progress({ status, isDeleted: true })).toBe(expected);
  });
});

describe('a Pod with containers that begin first', () => {
  const init = (...initContainerStatuses: NonNullable<Status['initContainerStatuses']>): Status => ({
    phase: 'Pending',
    initContainerStatuses,
  });

  it.each<readonly [string, readonly string[], Status, string]>([
    ['the first has not begun', ['a', 'b'], init({ name: 'a' }, { name: 'b' }), '0/1 Init:0/2 0'],
    ['the first has ended', ['a', 'b'], init({ name: 'a', ...ended(0) }, { name: 'b' }), '0/1 Init:1/2 0'],
    ['the first waits', ['a'], init({ name: 'a', ...waiting('CrashLoopBackOff') }), '0/1 Init:CrashLoopBackOff 0'],
    ['the Pod is being prepared', ['a'], init({ name: 'a', ...waiting('PodInitializing') }), '0/1 Init:0/1 0'],
    ['the first failed', ['a'], init({ name: 'a', ...ended(2) }), '0/1 Init:ExitCode:2 0'],
    ['the first failed for a reason', ['a'], init({ name: 'a', ...ended(2, { reason: 'Error' }) }), '0/1 Init:Error 0'],
    ['all have ended', ['a'], { ...init({ name: 'a', ...ended(0) }), ...main(running) }, '1/1 Running 0'],
    ['one beside the others has not started', ['a*'], init({ name: 'a', ready: true }), '0/2 Init:0/1 0'],
    [
      'one beside the others has started',
      ['a*', 'b'],
      init({ name: 'a', started: true, ready: true }, { name: 'b' }),
      '1/2 Init:1/2 0',
    ],
    [
      'one beside the others has started, and is not ready',
      ['a*', 'b'],
      init({ name: 'a', started: true }, { name: 'b' }),
      '0/2 Init:1/2 0',
    ],
    [
      'one that is not beside the others has started',
      ['a', 'b'],
      init({ name: 'a', started: true, ready: true }, { name: 'b' }),
      '0/1 Init:0/2 0',
    ],
    [
      'one beside the others has ended: it is not ready',
      ['a*'],
      { ...init({ name: 'a', ready: true, ...ended(0) }), ...main(running) },
      '1/2 Running 0',
    ],
    [
      'one begins again while the Pod is initialized: the others count',
      ['a*'],
      { ...init({ name: 'a' }), ...main(running), conditions: [isTrue('Initialized')] },
      '1/2 Init:0/1 0',
    ],
    [
      'one begins again while the Pod is not initialized',
      ['a*'],
      { ...init({ name: 'a' }), ...main(running), conditions: [{ type: 'Initialized', status: 'False' }] },
      '0/2 Init:0/1 0',
    ],
  ])('%s', (_, names, status, expected) => {
    expect(progress({ init: names, status })).toBe(expected);
  });

  it('is ending where it is deleted meanwhile', () => {
    expect(progress({ init: ['a'], status: init({ name: 'a' }), isDeleted: true })).toBe('0/1 Terminating 0');
  });
});

describe('the restarts of a Pod', () => {
  const restarted = (restartCount: number, minutes?: number) => ({
    ...running,
    restartCount,
    ...(minutes !== undefined && { lastState: { terminated: { finishedAt: ago(minutes) } } }),
  });

  it.each<readonly [string, Case, string]>([
    ['none', { status: main(restarted(0, 1)) }, '1/1 Running 0'],
    ['at no known time', { status: main(restarted(3)) }, '1/1 Running 3'],
    [
      'at a time that is none',
      { status: main({ ...running, restartCount: 3, lastState: { terminated: { finishedAt: null } } }) },
      '1/1 Running 3',
    ],
    ['of one container', { status: main(restarted(3, 5)) }, '1/1 Running 3 (5m ago)'],
    [
      'of two: all count, and the last time',
      { containers: 2, status: main(restarted(1, 3), restarted(2, 5)) },
      '2/2 Running 3 (3m ago)',
    ],
    [
      'of those that begin first, until they have ended',
      {
        init: ['a', 'b'],
        status: {
          initContainerStatuses: [
            { name: 'a', ...ended(0), restartCount: 2 },
            { name: 'b', restartCount: 3 },
          ],
        },
      },
      '0/1 Init:1/2 5',
    ],
    [
      'of those beside the others, and not of those that have ended',
      {
        init: ['a', 'b*'],
        status: {
          ...main(restarted(1)),
          initContainerStatuses: [
            { name: 'a', ...ended(0), restartCount: 2 },
            { name: 'b', started: true, restartCount: 4 },
          ],
        },
      },
      '1/2 Running 5',
    ],
  ])('%s', (_, one, expected) => {
    expect(progress(one)).toBe(expected);
  });
});
