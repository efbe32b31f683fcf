import { flowServer, missingForNodes, openFlows } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importedService } from './testing/imported-service.ts';
import type { LabState, ProgrammedLab } from './testing/programmed-lab.ts';
import { startProgrammedLab } from './testing/programmed-lab.ts';

const clusterIP = '10.99.0.1';
const east = ['east-1', 'east-2'];
const west = ['west-1', 'west-2'];
const all = [...east, ...west];

describe.skipIf(missingForNodes(process.env).length > 0)('connections through two gateways of each cluster', () => {
  let lab: ProgrammedLab;
  let state: LabState;

  beforeAll(async () => {
    lab = await startProgrammedLab({ clusters: { east: { nodes: 3 }, west: { nodes: 3 } } });
    const services = (['TCP', 'UDP'] as const).map((protocol) =>
      importedService(clusterIP, { protocol, endpoints: [lab.pod('west-3').address] }),
    );
    state = { gateways: all, services };
    await lab.program(state);
    await lab.pod('west-3').start(...flowServer());
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());

  const without = (name: string): LabState => ({ ...state, gateways: all.filter((one) => one !== name) });
  const others = (name: string) => [...all, 'east-3', 'west-3'].filter((one) => one !== name);

  test('survive that a gateway on either side is cut off, comes back, and is demoted, those in which the server speaks first too', async ({
    annotate,
  }) => {
    const flows = await openFlows(lab.pod('east-3'), { address: clusterIP, port: 80, tcp: 200, udp: 50 });
    for (const name of ['east-1', 'west-1', 'east-2', 'west-2']) {
      await lab.node(name).place.setLink('down');
      await lab.program(without(name), others(name));
      await lab.node(name).place.setLink('up');
      await lab.program(state);
    }
    for (const name of ['east-1', 'west-2']) {
      await lab.program(without(name));
      await lab.program(state);
    }
    const report = await flows.stop();
    expect(report.lost).toEqual([]);
    expect(report.flows).toBe(250);
    await annotate(`worst pause of a flow: ${report.worstPauseMs} ms`);
  });
});
