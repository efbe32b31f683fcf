import { createVirtualClock } from '@isthmus/fleet-sim';
import type { VirtualClock } from '@isthmus/fleet-sim';
import { beforeEach, describe, expect, test } from 'vitest';
import { createKernelMonitor } from './kernel-monitor.ts';
import type { OwnChanges } from './own-changes.ts';
import { createOwnChanges } from './own-changes.ts';

describe('what nft monitor prints', () => {
  let clock: VirtualClock;
  let ownChanges: OwnChanges;
  let changes: number;
  let lost: number;
  let print: (...lines: readonly string[]) => number;

  beforeEach(() => {
    clock = createVirtualClock({ startMs: 0 });
    ownChanges = createOwnChanges(clock);
    changes = 0;
    lost = 0;
    let onNftLine: (line: string) => void = () => {};
    const monitor = createKernelMonitor({
      watch: (program, _, onLine) =>
        new Promise(() => {
          if (program === 'nft') onNftLine = onLine;
        }),
      clock,
      ownChanges,
      onChange: () => changes++,
      onLost: () => lost++,
      onUnderlay: () => {},
      onEnd: () => {},
    });
    void monitor.run(new AbortController().signal);
    print = (...lines) => {
      const before = changes;
      for (const line of lines) onNftLine(line);
      return changes - before;
    };
  });

  const ofRule = (chain: string) => [
    `delete rule inet isthmus ${chain} handle 2140`,
    'delete set inet isthmus __map2',
    `add rule inet isthmus ${chain} meta l4proto tcp dnat ip to numgen random mod 1 map { 0 : 10.32.1.2 . 8080 }`,
  ];
  const end = '# new generation 4 by process 2442 (nft)';

  test('is a change by others, unless it is what the agent has just written', () => {
    expect(print(...ofRule('import/a'), end)).toBeGreaterThan(0);
    ownChanges.expect(['import/a', 'hairpin4']);
    expect(print(...ofRule('import/a'), 'add element inet isthmus hairpin4 { 10.0.0.1 . 10.0.0.1 }', end)).toBe(0);
  });

  test('is a change by others where it comes once more', () => {
    ownChanges.expect(['import/a']);
    expect(print(...ofRule('import/a'), end)).toBe(0);
    expect(print(...ofRule('import/a'), end)).toBeGreaterThan(0);
  });

  test('is a change by others where the same transaction changes something else', () => {
    ownChanges.expect(['import/a']);
    expect(print(...ofRule('import/a'), 'add rule inet isthmus source accept', end)).toBeGreaterThan(0);
    expect(print('delete table inet isthmus', end)).toBeGreaterThan(0);
  });

  test('is a change by others where one transaction has what was written in two', () => {
    ownChanges.expect(['import/a']);
    ownChanges.expect(['import/b']);
    expect(print(...ofRule('import/a'), ...ofRule('import/b'), end)).toBe(1);
  });

  test('is known of several writes in a row, and of none that is ten seconds old', async () => {
    ownChanges.expect(['import/a']);
    ownChanges.expect(['import/a', 'import/b']);
    expect(print(...ofRule('import/a'), end, ...ofRule('import/b'), ...ofRule('import/a'), end)).toBe(0);
    ownChanges.expect(['import/a']);
    await clock.advance(10_000);
    expect(print(...ofRule('import/a'), end)).toBeGreaterThan(0);
  });

  test('may have lost changes, and what was to be ours is still known', () => {
    ownChanges.expect(['import/a']);
    expect(print('# ERROR: We lost some netlink events!', ...ofRule('import/a'), end)).toBe(0);
    expect(lost).toBe(1);
  });

  test('is ignored where it is about the tables of others', () => {
    expect(print('add rule ip nat prerouting accept', 'delete set ip nat __map2', end)).toBe(0);
  });
});

test('a default route that comes or goes is one of the underlay, as those of a Node with its address on the loopback device leave by it; routes of Pods are not', () => {
  let underlays = 0;
  let onIpLine: (line: string) => void = () => {};
  const clock = createVirtualClock({ startMs: 0 });
  const monitor = createKernelMonitor({
    watch: (program, _, onLine) =>
      new Promise(() => {
        if (program === 'ip') onIpLine = onLine;
      }),
    clock,
    ownChanges: createOwnChanges(clock),
    onChange: () => {},
    onLost: () => {},
    onUnderlay: () => underlays++,
    onEnd: () => {},
  });
  void monitor.run(new AbortController().signal);
  const print = (line: string) => {
    const before = underlays;
    onIpLine(line);
    return underlays - before;
  };
  expect(print('default via 10.0.0.2 dev eth1 proto bgp metric 20 ')).toBe(1);
  expect(print('Deleted default via fe80::2 dev eth0 proto ra metric 1024 pref medium')).toBe(1);
  expect(print('10.10.1.7 dev veth1 scope link ')).toBe(0);
});

test('entries of tunnels that others write or remove are changes, and those that the kernel learns by itself are not', () => {
  let changes = 0;
  const watched: string[] = [];
  let onIpLine: (line: string) => void = () => {};
  const clock = createVirtualClock({ startMs: 0 });
  const monitor = createKernelMonitor({
    watch: (program, args, onLine) =>
      new Promise(() => {
        if (program !== 'ip') return;
        onIpLine = onLine;
        watched.push(...args);
      }),
    clock,
    ownChanges: createOwnChanges(clock),
    onChange: () => changes++,
    onLost: () => {},
    onUnderlay: () => {},
    onEnd: () => {},
  });
  void monitor.run(new AbortController().signal);
  const print = (line: string) => {
    const before = changes;
    onIpLine(line);
    return changes - before;
  };
  expect(watched).toContain('neigh');
  expect(print('192.0.2.1 dev isthmus-gw lladdr 0a:58:ac:1e:01:0b NOARP PERMANENT ')).toBe(1);
  expect(print('Deleted 192.0.2.1 dev isthmus-gw lladdr 0a:58:ac:1e:01:0b NOARP PERMANENT ')).toBe(1);
  expect(print('Deleted fe80::7 dev isthmus-node FAILED ')).toBe(1);
  for (const state of ['FAILED', 'INCOMPLETE', 'STALE']) expect(print(`fe80::7 dev isthmus-node ${state} `)).toBe(0);
  expect(print('Deleted 10.10.1.7 dev cni0 lladdr 0a:58:ac:1e:01:0c STALE ')).toBe(0);
});
