import { defaultControllerConfig } from '@isthmus/controlplane';
import type { ControllerConfig } from '@isthmus/controlplane';
import { memoryLog } from '@isthmus/kube';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { followConfig } from './follow-config.ts';

const first = defaultControllerConfig();

/** Follows a file that is what `file` returns. */
function follow(file: () => Partial<ControllerConfig>) {
  const clock = createVirtualClock({ startMs: 0 });
  const log = memoryLog();
  const read = () => Promise.resolve({ config: { ...first, ...file() }, warnings: [] });
  const followed = followConfig({ config: first, read, clock, log });
  return { clock, log, followed, said: () => log.entries.map(({ level, message }) => `${level} ${message}`) };
}

describe('a configuration file', () => {
  it('that has not changed is not reported', async () => {
    const { followed, said } = follow(() => ({}));
    expect(await followed.look()).toBe(false);
    expect(said()).toEqual([]);
  });

  it.each<[string, Partial<ControllerConfig>]>([
    ['podCIDRs', { podCIDRs: ['10.10.0.0/16'] }],
    ['gatewayIPPrecedence', { gatewayIPPrecedence: 'public' }],
    ['endpointIPType', { endpointIPType: 'PodIP' }],
    ['serviceCIDR', { serviceCIDR: '10.96.0.0/12' }],
    ['allowedCIDRs', { allowedCIDRs: ['10.0.0.0/8'] }],
    ['virtualPodCIDRs', { virtualPodCIDRs: ['100.64.0.0/10'] }],
    ['importExcludedNamespaces', { importExcludedNamespaces: ['bank'] }],
  ])('with another %s is in force at once', async (field, changed) => {
    const { followed, log } = follow(() => changed);
    expect(await followed.look()).toBe(true);
    expect(followed.config).toEqual({ ...first, ...changed });
    expect(log.entries[0]?.fields).toMatchObject({ settings: [field] });
    expect(await followed.look()).toBe(false);
  });

  it('with another address of metrics changes nothing until the process restarts, which is logged once', async () => {
    const metrics = { host: '127.0.0.1', port: 9_999 } as unknown as ControllerConfig['metrics'];
    const { followed, said } = follow(() => ({ metrics }));
    expect([await followed.look(), await followed.look()]).toEqual([false, false]);
    expect(followed.config.metrics).toEqual(first.metrics);
    expect(said()).toEqual(['warn changed settings take effect when the process restarts']);
  });

  it('that is not valid changes nothing, is logged once, and counts again when it is corrected', async () => {
    let file = (): Partial<ControllerConfig> => {
      throw new Error('config.yaml:3: podCIDRs[0]: Invalid value');
    };
    const { followed, said } = follow(() => file());
    expect([await followed.look(), await followed.look()]).toEqual([false, false]);
    expect(said()).toEqual([
      'warn the changed configuration file is not used; the previous configuration stays in effect',
    ]);
    file = () => ({ podCIDRs: ['10.10.0.0/16'] });
    expect(await followed.look()).toBe(true);
  });

  it('is read again every ten seconds', async () => {
    let changed: Partial<ControllerConfig> = {};
    const { followed, clock } = follow(() => changed);
    let isChanged = false;
    const end = new AbortController();
    void followed.whenChanged(end.signal).then(() => (isChanged = true));
    await clock.advance(35_000);
    changed = { podCIDRs: ['10.10.0.0/16'] };
    await clock.advance(4_000);
    expect(isChanged).toBe(false);
    await clock.advance(2_000);
    expect(isChanged).toBe(true);
  });

  it('that there is not never changes', async () => {
    const clock = createVirtualClock({ startMs: 0 });
    const followed = followConfig({ config: first, read: undefined, clock, log: memoryLog() });
    expect(await followed.look()).toBe(false);
    const end = new AbortController();
    const waiting = followed.whenChanged(end.signal);
    end.abort(new Error('over'));
    await expect(waiting).rejects.toThrow('over');
    expect(clock.pending).toBe(0);
  });
});
