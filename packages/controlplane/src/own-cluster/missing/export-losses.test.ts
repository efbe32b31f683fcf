import type { ResourceExport } from '@isthmus/api';
import { createVirtualClock } from '@isthmus/fleet-sim';
import type { Change, ReadCache } from '@isthmus/kube';
import { withdrawnMark } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import { createExportLosses } from './export-losses.ts';

const exported = (name: string): ResourceExport => ({ metadata: { name, namespace: 'area' } });
const ending = (name: string): ResourceExport => ({
  metadata: { name, namespace: 'area', deletionTimestamp: '2026-01-01T00:00:00Z' },
});
const marked = (one: ResourceExport): ResourceExport => ({
  metadata: { ...one.metadata, annotations: withdrawnMark(0) },
});

/** A member that exports these, and how often it was told that something has to be made again. */
function member(...names: readonly string[]) {
  const clock = createVirtualClock({ startMs: 0 });
  const objects = new Map(names.map((name) => [name, exported(name)]));
  const listeners = new Set<(change: Change<ResourceExport>) => void>();
  const cache = {
    list: () => [...objects.values()],
    subscribe(listener: (change: Change<ResourceExport>) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  } as unknown as ReadCache<ResourceExport>;
  let pending = 0;
  const losses = createExportLosses(cache, clock, () => pending++);
  const stop = losses.follow();
  const change = (name: string, after: ResourceExport | undefined, more: { byList?: true } = {}) => {
    const before = objects.get(name);
    if (after === undefined) objects.delete(name);
    else objects.set(name, after);
    listeners.forEach((tell) => tell({ key: name, before, after, ...more }));
  };
  return { clock, losses, change, stop, listeners, pending: () => pending };
}

const many = Array.from({ length: 30 }, (_, at) => `e${at}`);

describe('an export that the leader lost', () => {
  it('is made again after a second without another loss', async () => {
    const { clock, losses, change } = member('a', 'b', 'c');
    expect(losses.waitMs('a')).toBe(0);
    change('a', undefined);
    expect(losses.waitMs('a')).toBe(1_000);
    await clock.advance(600);
    change('b', undefined);
    expect(losses.waitMs('a')).toBe(1_000);
    await clock.advance(999);
    expect(losses.waitMs('a')).toBe(1);
    await clock.advance(1);
    expect([losses.waitMs('a'), losses.waitMs('b')]).toEqual([0, 0]);
    expect([losses.waitMs('c'), losses.isLost('c')]).toEqual([0, false]);
  });

  it('waits for a minute after the last loss where nothing is left', async () => {
    const { clock, losses, change } = member('a', 'b');
    change('a', undefined);
    await clock.advance(500);
    change('b', undefined);
    await clock.advance(1_000);
    expect([losses.waitMs('a'), losses.waitMs('b'), losses.waitMs('another')]).toEqual([59_000, 59_000, 0]);
    await clock.advance(59_000);
    expect([losses.waitMs('a'), losses.waitMs('b')]).toEqual([0, 0]);
    await clock.advance(5_000);
    expect(losses.waitMs('a')).toBe(0);
  });

  it('waits for what follows for a minute at most', async () => {
    const { clock, losses, change } = member(...many, ...many.map((name) => `${name}-kept`), 'a', 'z');
    change('a', undefined);
    for (let at = 0; at < 100; at++) {
      await clock.advance(600);
      change('z', undefined);
      change('z', exported('z'));
      change('z', undefined);
    }
    expect(losses.waitMs('a')).toBe(0);
    expect(losses.waitMs('z')).toBe(1_000);
  });

  it.each([
    ['ten of twelve', 10, 12, false],
    ['eleven of 22', 11, 22, false],
    ['eleven of 21', 11, 21, true],
    ['twelve of 30', 12, 30, false],
  ])('waits for a minute where most are lost, and more than ten: %s', async (_, lost, total, waits) => {
    const { clock, losses, change } = member(...many.slice(0, total));
    for (const name of many.slice(0, lost)) change(name, undefined);
    await clock.advance(1_000);
    expect(losses.waitMs('e0')).toBe(waits ? 59_000 : 0);
  });

  it('does not count those that are being deleted among those that are left', async () => {
    const { clock, losses, change } = member('a', 'b');
    change('a', undefined);
    change('b', ending('b'));
    await clock.advance(1_000);
    expect(losses.waitMs('a')).toBe(59_000);
  });

  it('is made again at once where a list of the server lacks it, or where the whole Common Area was lost', () => {
    const { losses, change } = member('a', 'b', 'c');
    change('a', undefined, { byList: true });
    expect([losses.isLost('a'), losses.waitMs('a')]).toEqual([true, 0]);
    change('b', undefined);
    expect(losses.waitMs('b')).toBe(1_000);
    losses.hurry();
    expect([losses.isLost('b'), losses.waitMs('b')]).toEqual([true, 0]);
  });

  it('is lost no more once it is back, or not wanted', () => {
    const { losses, change } = member('a', 'b');
    change('a', undefined);
    change('b', ending('b'));
    expect([losses.isLost('a'), losses.isLost('b'), losses.isPending]).toEqual([true, true, true]);
    change('a', exported('a'));
    losses.forget('b');
    expect([losses.isLost('a'), losses.isLost('b'), losses.isPending]).toEqual([false, false, false]);
  });
});

describe('the end of an export is not a loss', () => {
  it('where it is marked as withdrawn', () => {
    const { losses, change } = member('a', 'b');
    change('a', marked(exported('a')));
    change('a', undefined);
    change('b', marked(ending('b')));
    expect(losses.isPending).toBe(false);
  });

  it('where this cluster deletes it without a mark, unless it is wanted again', () => {
    const { losses, change } = member('a', 'b');
    losses.withdraw('a');
    change('a', ending('a'));
    change('a', undefined);
    expect(losses.isLost('a')).toBe(false);
    change('a', exported('a'));
    change('a', undefined);
    expect(losses.isLost('a')).toBe(true);
    losses.withdraw('b');
    losses.want('b');
    change('b', undefined);
    expect(losses.isLost('b')).toBe(true);
    losses.withdraw('b');
    expect(losses.isLost('b')).toBe(false);
  });

  it('a second time where it was being deleted before', () => {
    const { losses, change } = member('a');
    change('a', ending('a'));
    losses.forget('a');
    change('a', undefined);
    expect(losses.isLost('a')).toBe(false);
  });

  it('where it was never there', () => {
    const { losses, change } = member();
    change('a', undefined);
    expect(losses.isLost('a')).toBe(false);
  });
});

it('importers are notified of the first loss after a time without any', () => {
  const { losses, change, pending } = member('a', 'b', 'c');
  change('a', undefined);
  change('b', undefined);
  expect(pending()).toBe(1);
  losses.forget('a');
  losses.forget('b');
  change('c', undefined);
  expect(pending()).toBe(2);
});

it('who follows no more hears of no loss', () => {
  const { losses, change, stop, listeners } = member('a');
  stop();
  expect(listeners.size).toBe(0);
  change('a', undefined);
  expect(losses.isLost('a')).toBe(false);
});
