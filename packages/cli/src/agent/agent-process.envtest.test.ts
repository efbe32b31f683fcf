import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  askFrom,
  echoServer,
  importedCart,
  importedCartEndpoints,
  missingForNodes,
  startPacketLab,
  waitLimitMs,
} from '@isthmus/testkit';
import type { NodeView } from '@isthmus/dataplane';
import type { LabNode, PacketLab } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clusterIP, launcher, networkObjects, serveOn } from './testing/lab-api-server.ts';

describe.skipIf(missingForNodes(process.env).length > 0)('isthmus agent, as a process on Nodes', () => {
  let lab: PacketLab;
  let folder: string;
  const agents = new Map<string, Awaited<ReturnType<LabNode['place']['start']>>>();
  let untouched: string;

  /** The one Node of a cluster, and its Pod. */
  const only = (cluster: string): LabNode => lab.node(`${cluster}-1`);
  const podOf = (cluster: string) => lab.pod(`${cluster}-1`);
  const kubeconfigs = new Map<string, string>();
  const ask = async () =>
    (await askFrom(podOf('east'), [{ protocol: 'TCP', address: clusterIP, port: 80, waitMs: 5_000 }]))[0];
  const stateOf = async (cluster: string) => {
    const script =
      'ip -o link | sed "s/^[0-9]*: //"; ip rule; ip -6 rule; ip nexthop; ip route show table all proto 73; nft list tables';
    return (await only(cluster).place.run('sh', ['-c', script])).stdout;
  };
  const start = async (cluster: string) => {
    const args = [launcher, 'agent', 'run', '--node', only(cluster).layout.name];
    args.push('--kubeconfig', kubeconfigs.get(cluster) ?? '', '--metrics-bind-address', '127.0.0.1:8483');
    agents.set(cluster, await only(cluster).place.start('agent', process.execPath, args));
  };
  /** What `/readyz` answers, as `<code> <text>`. */
  const readiness = async (cluster: string) => {
    const script =
      "fetch('http://127.0.0.1:8482/readyz').then(async (r) => process.stdout.write(r.status + ' ' + (await r.text())), () => {})";
    return (await only(cluster).place.run(process.execPath, ['-e', script])).stdout;
  };
  const untilReady = async (cluster: string) => {
    while ((await readiness(cluster)) !== '200 ok') await delay(200);
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'isthmus-agent-'));
    lab = await startPacketLab({ clusters: { east: { nodes: 1 }, west: { nodes: 1 } } });
    untouched = await stateOf('east');
    for (const [name, own] of Object.entries(lab.clusters)) {
      const others = Object.values(lab.clusters).filter((other) => other !== own);
      const imported = [importedCart(clusterIP), importedCartEndpoints([podOf('west').address])];
      const objects = [...networkObjects(own, others), ...(name === 'east' ? imported : [])];
      kubeconfigs.set(name, await serveOn(only(name), folder, objects));
    }
    await podOf('west').start(...echoServer('west'));
    for (const name of Object.keys(lab.clusters)) await start(name);
  });
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  test('is ready when the network is written, and Pods then reach the imported Service', async () => {
    for (const name of ['east', 'west']) await untilReady(name);
    expect(await ask()).toBe(`west ${podOf('east').address}`);
  });

  test('serves metrics of its gateways, probes and translations', async () => {
    const script = "fetch('http://127.0.0.1:8483/metrics').then(async (r) => process.stdout.write(await r.text()))";
    const metrics = async () => (await only('east').place.run(process.execPath, ['-e', script])).stdout;
    const west = `{cluster="west",gateway="${only('west').layout.address}"}`;
    await expect.poll(metrics, { timeout: waitLimitMs() }).toContain(`\nisthmus_agent_gateway_up${west} 1\n`);
    const text = await metrics();
    // East may have sent probes before the agent of west was there.
    expect(text).toMatch(/\nisthmus_agent_gateway_loss_ratio\{cluster="west",.*\} 0(?:\.\d+)?\n/);
    expect(text).toMatch(/\nisthmus_agent_gateway_round_trip_seconds\{.*\} 0\.\d+\n/);
    for (const line of [
      'isthmus_agent_ready 1',
      'isthmus_agent_service_ports{result="translate"} 2',
      'isthmus_agent_service_endpoints 2',
      'isthmus_agent_unused_objects 0',
      'isthmus_agent_repaired_item_total 0',
    ])
      expect(text.split('\n')).toContain(line);
    expect(text).toMatch(/\nisthmus_agent_write_duration_seconds_count\{outcome="written"\} [1-9]/);
    expect(text).toContain('process_resident_memory_bytes');
  });

  /** `isthmus agent show -o json` on the Node of a cluster. */
  const show = async (cluster: string) => {
    const { code, stdout } = await only(cluster).place.run(process.execPath, [launcher, 'agent', 'show', '-o', 'json']);
    return { code, view: JSON.parse(stdout) as NodeView };
  };

  test('shows what is desired beside what is observed: nothing differs, until somebody removes a route', async () => {
    const patience = { timeout: waitLimitMs() };
    await expect.poll(async () => (await show('east')).view.gateways[0]?.state, patience).toBe('alive');
    const { code, view } = await show('east');
    expect({ code, problems: view.problems }).toEqual({ code: 0, problems: [] });
    expect(view).toMatchObject({
      node: only('east').layout.name,
      isGateway: true,
      agent: 'ready',
      encryption: 'none',
      gateways: [{ clusterID: 'west', address: only('west').layout.address, roundTripMs: expect.any(Number) }],
      services: ['TCP', 'UDP'].map((protocol) => ({
        namespace: 'shop',
        name: 'antrea-mc-cart',
        protocol,
        address: clusterIP,
        result: 'translate',
        endpoints: [{ clusterID: 'west', address: podOf('west').address }],
      })),
      connections: { current: expect.any(Number), refused: 0 },
    });
    for (const { kind, desired, observed } of view.network)
      expect({ kind, observed }).toEqual({ kind, observed: desired });
    expect(view.network.find(({ kind }) => kind === 'routes')?.observed).toBeGreaterThan(0);
    const agent = agents.get('east');
    await agent?.signal('STOP');
    try {
      const [range = ''] = lab.cluster('west').layout.clusterCIDRs;
      await only('east').place.run('ip', ['route', 'del', range, 'table', '7100']);
      const alone = await show('east');
      expect(alone.code).toBe(1);
      expect(alone.view).toMatchObject({ agent: 'absent', problems: [{ next: expect.stringContaining('kubectl') }] });
    } finally {
      await agent?.signal('CONT');
    }
    await expect.poll(async () => (await show('east')).code, patience).toBe(0);
  });

  test('leaves the network when it is ended, also by kill -9, and takes it over when it starts again', async () => {
    for (const signal of ['TERM', 'KILL'] as const) {
      const agent = agents.get('east');
      await agent?.signal(signal);
      await agent?.exited;
      expect(await ask()).toBe(`west ${podOf('east').address}`);
      const before = await stateOf('east');
      await start('east');
      await untilReady('east');
      expect(await stateOf('east')).toBe(before);
    }
  });

  test('cleanup removes everything, and the Node is as it was', async () => {
    const agent = agents.get('east');
    await agent?.signal('TERM');
    expect(await agent?.exited).toContain('0');
    const { code, stdout } = await only('east').place.run(process.execPath, [launcher, 'agent', 'cleanup']);
    expect([code, stdout]).toEqual([0, 'Everything that Isthmus wrote to the network of this Node is removed.\n']);
    expect(await stateOf('east')).toBe(untouched);
    expect(await ask()).not.toContain('west');
  });
});
