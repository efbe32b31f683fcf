import { createVirtualClock } from '@isthmus/fleet-sim';
import { createMetricsRegistry, memoryLog, noMetrics } from '@isthmus/kube';
import { seededRandom } from '@isthmus/machinery';
import { describe, expect, test } from 'vitest';
import type { ImportedService } from '../desired/cluster-network.ts';
import type { Network } from '../network/network.ts';
import { createAuditSchedule } from './audit-schedule.ts';
import { forgetGone, lookAround, writeNetwork } from './act.ts';
import { agentMetrics } from './metrics.ts';
import type { OpenKernel } from './open-kernel.ts';
import { createMemory, firstState } from './state.ts';

const network = {} as Network;
const everyMs = 600_000;

/** An agent whose kernel takes a quarter of a second for a write. */
function start({ isWritten = true } = {}) {
  const clock = createVirtualClock({ startMs: 0 });
  const log = memoryLog();
  const registry = createMetricsRegistry();
  const kernel = {
    fails: false,
    cannotLook: false,
    drift: [] as string[],
    looked: 0,
    audits: 0,
    forgotten: 0,
    conntrack: [] as string[],
    cannotForget: false,
  };
  const opened = {
    auditSchedule: createAuditSchedule(clock),
    writer: {
      async write() {
        await new Promise<void>((resolve) => void clock.after(250, () => resolve()));
        if (kernel.fails) throw new Error('cannot run nft');
        return true;
      },
      async audit() {
        kernel.audits++;
        return kernel.drift;
      },
    },
    localRanges: { forget: () => void kernel.forgotten++ },
    surroundings: {
      async look() {
        kernel.looked++;
        if (kernel.cannotLook) throw new Error('cannot run ip');
      },
    },
    async run(_: string, args: readonly string[]) {
      if (kernel.cannotForget) throw new Error('cannot run conntrack');
      kernel.conntrack.push(args.join(' '));
      return { code: 0, stdout: '', stderr: '' };
    },
  } as unknown as OpenKernel;
  const world = { clock, random: seededRandom(1), log, metrics: noMetrics };
  const memory = createMemory({ ...firstState({ settings: { port: 8479 } }), isWritten });
  const acting = { kernel: opened, memory, options: { world, metrics: registry.declare(agentMetrics) } };
  const shown = async (text: RegExp) => (await registry.render()).split('\n').filter((line) => text.test(line));
  const logged = () => log.entries.map(({ message }) => message);
  return { clock, kernel, memory, acting, shown, logged };
}

describe('a write of the network', () => {
  test('is measured in seconds, by its outcome', async () => {
    const { clock, kernel, acting, shown } = start();
    const first = writeNetwork(acting, network);
    await clock.advance(250);
    await first;
    kernel.fails = true;
    const second = expect(writeNetwork(acting, network)).rejects.toThrow('cannot run nft');
    await clock.advance(250);
    await second;
    expect(await shown(/_write_duration_seconds_(?:sum|count)/)).toEqual([
      'isthmus_agent_write_duration_seconds_sum{outcome="written"} 0.25',
      'isthmus_agent_write_duration_seconds_count{outcome="written"} 1',
      'isthmus_agent_write_duration_seconds_sum{outcome="failed"} 0.25',
      'isthmus_agent_write_duration_seconds_count{outcome="failed"} 1',
    ]);
  });
});

describe('a look at the Node', () => {
  const cidrs = { podCIDRs: [], auditEveryMs: everyMs };

  test('is taken before the first write, and with each comparison', async () => {
    const { clock, kernel, memory, acting } = start({ isWritten: false });
    expect(await lookAround(acting, cidrs)).toEqual([]);
    expect([kernel.looked, kernel.audits]).toEqual([1, 0]);
    memory.remember({ isWritten: true });
    await lookAround(acting, cidrs);
    expect([kernel.looked, kernel.audits]).toEqual([1, 0]);
    await clock.advance(everyMs);
    await lookAround(acting, cidrs);
    expect([kernel.looked, kernel.audits, kernel.forgotten]).toEqual([2, 1, 1]);
  });

  test('that fails is reported, and does not keep from comparing, which stays due', async () => {
    const { clock, kernel, acting } = start();
    kernel.cannotLook = true;
    await clock.advance(everyMs);
    expect((await lookAround(acting, cidrs)).map(String)).toContain('Error: cannot run ip');
    expect(kernel.audits).toBe(1);
    kernel.cannotLook = false;
    expect(await lookAround(acting, cidrs)).toEqual([]);
    await lookAround(acting, cidrs);
    expect(kernel.audits).toBe(2);
  });

  test('counts and logs what others have changed, and suspects all flows then', async () => {
    const { clock, kernel, memory, acting, shown, logged } = start();
    const flowsOf = [{} as ImportedService];
    memory.remember({ flowsOf });
    await clock.advance(everyMs);
    await lookAround(acting, cidrs);
    expect([logged(), memory.state.flowsOf]).toEqual([[], flowsOf]);
    kernel.drift = ['a route is gone', 'a rule is gone'];
    await clock.advance(everyMs);
    await lookAround(acting, cidrs);
    expect(await shown(/^isthmus_agent_repaired_item_total/)).toEqual(['isthmus_agent_repaired_item_total 2']);
    expect(logged()).toEqual(['the network of the Node was changed by others, and is repaired']);
    expect(memory.state.flowsOf).toEqual([]);
  });
});

test('flows are compared with the Services that are imported now, and nothing is run where there is nothing to forget', async () => {
  const { kernel, memory, acting } = start();
  memory.remember({ notForgotten: 'it failed' });
  const services: readonly ImportedService[] = [];
  await forgetGone(acting, services);
  expect(kernel.conntrack).toEqual([]);
  expect([memory.state.flowsOf, memory.state.notForgotten]).toEqual([services, undefined]);
});
