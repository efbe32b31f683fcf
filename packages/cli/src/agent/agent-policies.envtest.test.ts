import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AntreaNetworkPolicy, ClusterNetworkPolicy } from '@isthmus/api';
import type { NodeView } from '@isthmus/dataplane';
import type { ResourceType } from '@isthmus/machinery';
import {
  askFrom,
  echoServer,
  findBinaries,
  importedCart,
  importedCartEndpoints,
  missingForNodes,
  startPacketLab,
  waitLimitMs,
} from '@isthmus/testkit';
import type { LabCluster, PacketLab } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clusterIP, launcher, networkObjects, serveOn } from './testing/lab-api-server.ts';

describe.skipIf(missingForNodes(process.env).length > 0)('isthmus agent as a process, with policies', () => {
  let lab: PacketLab;
  let folder: string;
  const only = (cluster: string) => lab.node(`${cluster}-1`);
  const kubeconfigs = new Map<string, string>();
  const kubectl = async (args: readonly string[], object?: object) => {
    const all = ['--kubeconfig', kubeconfigs.get('east') ?? '', ...args];
    const input = object === undefined ? undefined : JSON.stringify(object);
    const { code, stderr } = await only('east').place.run(findBinaries(process.env).kubectl, all, input);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  };
  const apply = (object: object) => kubectl(['apply', '-f', '-'], object);
  /** The answer that a Pod of east, or its Node, gets from the imported Service. */
  const answer = async (client: 'one' | 'two' | 'node') => {
    const host = client === 'node' ? only('east').place : lab.pod('east-1', client);
    return (await askFrom(host, [{ protocol: 'TCP', address: clusterIP, port: 80, waitMs: 1_000 }]))[0];
  };
  const answers = async () => ({ one: await answer('one'), two: await answer('two'), node: await answer('node') });
  const reached = expect.stringMatching(/^west /);
  const denied = 'no answer';
  const patience = { timeout: waitLimitMs() };
  const policy = (type: ResourceType, name: string, spec: object, inNamespace?: string) => ({
    apiVersion: `${type.group}/${type.version}`,
    kind: type.kind,
    metadata: { name, namespace: inNamespace },
    spec,
  });
  const dropCart = (appliedTo: object) => ({
    priority: 5,
    appliedTo: [appliedTo],
    egress: [{ action: 'Drop', toServices: [{ name: 'cart', namespace: 'shop', scope: 'ClusterSet' }] }],
  });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'isthmus-agent-policies-'));
    lab = await startPacketLab({ clusters: { east: { nodes: 1 }, west: { nodes: 1 } }, pods: ['one', 'two'] });
    for (const [name, own] of Object.entries(lab.clusters)) {
      const others = Object.values(lab.clusters).filter((other) => other !== own);
      const imported = [importedCart(clusterIP), importedCartEndpoints([lab.pod('west-1').address])];
      const objects = [...networkObjects(own, others), ...podObjects(own), ...imported];
      kubeconfigs.set(name, await serveOn(only(name), folder, objects));
    }
    await lab.pod('west-1').start(...echoServer('west'));
    for (const name of Object.keys(lab.clusters)) {
      const args = [launcher, 'agent', 'run', '--node', only(name).layout.name];
      args.push('--kubeconfig', kubeconfigs.get(name) ?? '');
      if (name === 'east') args.push('--enable-stretched-network-policy');
      await only(name).place.start('agent', process.execPath, args);
    }
  });
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  test('carries packets of all clients to an imported Service that no policy is about', async () => {
    await expect.poll(answers, patience).toEqual({ one: reached, two: reached, node: reached });
  });

  test('denies the Service to the Pods that a ClusterNetworkPolicy selects, and to no others', async () => {
    await apply(policy(ClusterNetworkPolicy, 'keep-out', dropCart({ podSelector: { matchLabels: { name: 'one' } } })));
    await expect.poll(answers, patience).toEqual({ one: denied, two: reached, node: reached });
  });

  test('follows the labels of Pods', async () => {
    await kubectl(['label', 'pod', 'two', '-n', 'shop', 'name=one', '--overwrite']);
    await expect.poll(answers, patience).toEqual({ one: denied, two: denied, node: reached });
    await kubectl(['label', 'pod', 'two', '-n', 'shop', 'name=two', '--overwrite']);
    await expect.poll(answers, patience).toEqual({ one: denied, two: reached, node: reached });
  });

  test('lets a rule of a higher priority pass before it, and shows who is denied', async () => {
    const { egress, ...rest } = dropCart({ podSelector: { matchLabels: { name: 'one' } } });
    const spec = { ...rest, priority: 1, egress: egress.map((rule) => ({ ...rule, action: 'Allow' })) };
    await apply(policy(AntreaNetworkPolicy, 'let-in', spec, 'shop'));
    await apply(policy(ClusterNetworkPolicy, 'keep-out', dropCart({ podSelector: {}, namespaceSelector: {} })));
    await expect.poll(answers, patience).toEqual({ one: reached, two: denied, node: reached });
    const { stdout } = await only('east').place.run(process.execPath, [launcher, 'agent', 'show', '-o', 'json']);
    const { policies } = JSON.parse(stdout) as NodeView;
    const { address, address6 } = lab.pod('east-1', 'two');
    expect(policies?.denied).toMatchObject([{ service: 'shop/antrea-mc-cart', result: 'drop' }]);
    expect(JSON.stringify(policies?.denied)).toContain(address6);
    expect(JSON.stringify(policies?.denied)).toContain(address);
    expect(JSON.stringify(policies?.denied)).not.toContain(lab.pod('east-1').address);
  });

  test('denies it to the network of the Node where a policy selects the Node, and to nobody when the policies are gone', async () => {
    await apply(policy(ClusterNetworkPolicy, 'nodes', dropCart({ nodeSelector: {} })));
    await expect.poll(answers, patience).toEqual({ one: reached, two: denied, node: denied });
    await kubectl(['delete', `${ClusterNetworkPolicy.plural}.${ClusterNetworkPolicy.group}`, '--all']);
    await expect.poll(answers, patience).toEqual({ one: reached, two: reached, node: reached });
  });
});

/** The Pods of a cluster, labelled with their names. */
function podObjects({ nodes }: LabCluster): readonly object[] {
  return nodes.flatMap(({ layout, pods }) =>
    Object.entries(pods).map(([name, { address, address6 }]) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'shop', labels: { name } },
      spec: { nodeName: layout.name, containers: [{ name: 'main', image: 'none' }] },
      status: { phase: 'Running', podIP: address, podIPs: [{ ip: address }, { ip: address6 }] },
    })),
  );
}
