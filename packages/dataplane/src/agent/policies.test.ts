import {
  Annotation,
  AntreaNetworkPolicy,
  ClusterNetworkPolicy,
  Label,
  LabelIdentity,
  Namespace,
  Node,
  Pod,
  Service,
  Tier,
  labelIdentityHash,
  managedByIsthmus,
} from '@isthmus/api';
import { createClient, memoryLog, noMetrics } from '@isthmus/kube';
import type { Access, Transport } from '@isthmus/kube';
import { parseYaml, seededRandom } from '@isthmus/machinery';
import { createSandbox } from '@isthmus/sandbox';
import {
  clusterAdmin,
  createVirtualClock,
  definitions,
  grantAccess,
  putDefinition,
  serviceAccount,
} from '@isthmus/fleet-sim';
import { afterEach, describe, expect, test } from 'vitest';
import { startStory } from '../../../../scripts/pages/testing/story.ts';
import type { RunProgram } from '../kernel/write-network.ts';
import { viewNode } from '../status/node-view.ts';
import { viewLines } from '../status/view-lines.ts';
import { createAgent } from './agent.ts';
import { agentAccess } from './open-objects.ts';
import { policyAccess } from './policies.ts';

const stop = new Set<AbortController>();
afterEach(() => {
  for (const one of stop) one.abort(new Error('over'));
  stop.clear();
});

/**
 * An agent in virtual time whose kernel accepts every write. The cluster imports Service
 * `shop/secured-service`. Pod `web/client` is on the Node, and another Pod is elsewhere.
 */
async function startAgent(
  options: {
    readonly imports?: string;
    readonly hasAntrea?: boolean;
    readonly isServed?: boolean;
    /** The permissions of its account. Default: everything. */
    readonly access?: readonly Access[];
    readonly isEnabled?: boolean;
  } = {},
) {
  const clock = createVirtualClock({ startMs: Date.parse('2026-11-27T00:00:00Z') });
  const server = createSandbox({
    name: 'east',
    clock,
    serviceCIDR: '10.99.0.0/16',
    image: await definitions.ours(),
  });
  const { admin } = server;
  if (options.isServed !== false)
    for (const type of [ClusterNetworkPolicy, AntreaNetworkPolicy, Tier]) putDefinition(server, type);
  await clock.settle();
  for (const name of ['kube-system', 'shop', 'web']) admin.put(Namespace, { metadata: { name, labels: { of: name } } });
  admin.put(Node, {
    metadata: { name: 'node-1', labels: { rack: 'a' } },
    spec: { podCIDRs: ['10.10.1.0/24'] },
    status: { addresses: [{ type: 'InternalIP', address: '172.30.1.11' }] },
  });
  admin.put(Service, {
    metadata: {
      name: `antrea-mc-${options.imports ?? 'secured-service'}`,
      namespace: 'shop',
      labels: { [Label.managedBy]: managedByIsthmus },
      annotations: { [Annotation.importedService]: 'true' },
    },
    spec: { clusterIP: '10.99.0.80', clusterIPs: ['10.99.0.80'], ports: [{ port: 80, protocol: 'TCP' }] },
  });
  const putPod = (name: string, ip: string, labels: Readonly<Record<string, string>>, nodeName = 'node-1') =>
    admin.put(Pod, {
      metadata: { name, namespace: 'web', labels },
      spec: { nodeName, containers: [{ name: 'main', image: 'none' }] },
      status: { phase: 'Running', podIP: ip, podIPs: [{ ip }] },
    });
  putPod('client', '10.10.1.5', { role: 'tenant' });
  putPod('elsewhere', '10.10.2.5', { role: 'tenant' }, 'node-2');
  const grant = (name: string, access: readonly Access[]) =>
    grantAccess(admin, {
      name,
      namespace: 'kube-system',
      access,
      to: { kind: 'ServiceAccount', namespace: 'kube-system', name: 'isthmus-agent' },
    });
  const written: string[] = [];
  const devices = ['eth0', ...(options.hasAntrea === true ? ['antrea-gw0'] : [])];
  const world = { devices };
  const run: RunProgram = (program, args, input) => {
    const answer = (stdout: string, code = 0, stderr = '') => Promise.resolve({ code, stdout, stderr });
    if (args.includes('addr'))
      return answer(JSON.stringify([{ ifname: 'eth0', mtu: 1500, addr_info: [{ local: '172.30.1.11' }] }]));
    if (program === 'ip' && input === 'link show\nnetconf show\n')
      return answer(`${JSON.stringify(world.devices.map((ifname) => ({ ifname })))}\n${JSON.stringify([])}\n`);
    if (args.includes('tables')) return answer('{"nftables":[]}');
    if (args.includes('table') && program === 'nft') return answer('', 1, 'Error: No such file or directory');
    if (input !== '' && !args.includes('-j')) written.push(...input.trim().split('\n'));
    return answer('');
  };
  /** The requests for kinds of Antrea. */
  const asked: string[] = [];
  const log = memoryLog();
  if (options.access !== undefined) grant('isthmus-agent', options.access);
  const agent = createAgent({
    client: createClient({
      transport: counted(server.transport(options.access ? account : clusterAdmin), asked),
      clock,
    }),
    namespace: 'kube-system',
    node: 'node-1',
    settings: { port: 8479 },
    run,
    watch: (_program, _args, _onLine, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped'), { once: true })),
    probe: () => Promise.resolve({ kind: 'missed' }),
    enableStretchedNetworkPolicy: options.isEnabled ?? true,
    auditEveryMs: 60_000,
    world: { clock, random: seededRandom(1), log, metrics: noMetrics },
  });
  const controller = new AbortController();
  stop.add(controller);
  void agent.run(controller.signal);
  await clock.advance(5_000);
  /** The elements of a set that were written since the last call, and those that were removed. */
  const elements = (set: string) => {
    const lines = written.splice(0).filter((line) => line.includes(` element inet isthmus ${set} `));
    return lines.map((line) => line.replace(` element inet isthmus ${set} `, ' '));
  };
  return { clock, agent, admin, server, putPod, elements, world, log, grant, asked };
}

/** Notes the paths of requests for kinds of Antrea, and of their definitions. */
function counted(transport: Transport, asked: string[]): Transport {
  return {
    ...transport,
    send(request, signal) {
      if (/apis\/crd\.antrea\.io|customresourcedefinitions/.test(request.path)) asked.push(request.path);
      return transport.send(request, signal);
    },
  };
}

const account = serviceAccount('kube-system', 'isthmus-agent');

const denyTenants = (action: string) => ({
  metadata: { name: 'acnp-drop-tenant-to-secured-mc-service' },
  spec: {
    priority: 1,
    tier: 'securityops',
    appliedTo: [{ podSelector: { matchLabels: { role: 'tenant' } } }],
    egress: [{ action, toServices: [{ name: 'secured-service', namespace: 'shop', scope: 'ClusterSet' }] }],
  },
});
const labelOf = (labels: string) => `ns:kubernetes.io/metadata.name=web,of=web&pod:${labels}`;

describe('the guide of the agents', () => {
  const guide = startStory(import.meta.url, 'docs/guides/agent.md');

  test('has a policy that denies the imported Service to tenants', async () => {
    const { clock, agent, admin, elements } = await startAgent({ imports: 'cart' });
    elements('egress-clients4');
    await guide.run('Labels and policies', (yaml) => {
      const [policy] = parseYaml(yaml, { source: 'agent.md' });
      admin.put(ClusterNetworkPolicy, policy?.value as ClusterNetworkPolicy);
    });
    await clock.advance(1_000);
    expect(elements('egress-clients4')).toEqual([
      expect.stringMatching(/^add \{ 10\.10\.1\.5 : goto egress\/\w{16} \}$/),
    ]);
    expect(agent.problems()).toEqual([]);
  });
});

describe('an agent with policies', () => {
  test('gives the Pods of its Node the numbers of their labels, unknown where they have none, and follows both', async () => {
    const { clock, admin, putPod, elements } = await startAgent();
    expect(elements('identity4')).toEqual(['add { 10.10.1.5 : 0x0048ffff }']);
    const label = labelOf('role=tenant');
    admin.put(LabelIdentity, { metadata: { name: labelIdentityHash(label) }, spec: { label, id: 17 } });
    await clock.advance(1_000);
    expect(elements('identity4')).toEqual(['delete { 10.10.1.5 }', 'add { 10.10.1.5 : 0x00000011 }']);
    const other = labelOf('role=owner');
    admin.put(LabelIdentity, { metadata: { name: labelIdentityHash(other) }, spec: { label: other, id: 0x1_0002 } });
    putPod('client', '10.10.1.5', { role: 'owner' });
    await clock.advance(1_000);
    expect(elements('identity4')).toEqual(['delete { 10.10.1.5 }', 'add { 10.10.1.5 : 0x00080002 }']);
    admin.put(Namespace, { metadata: { name: 'web', labels: { of: 'nobody' } } });
    await clock.advance(1_000);
    expect(elements('identity4')).toEqual(['delete { 10.10.1.5 }', 'add { 10.10.1.5 : 0x0048ffff }']);
    admin.delete(Pod, { namespace: 'web', name: 'client' });
    await clock.advance(1_000);
    expect(elements('identity4')).toEqual(['delete { 10.10.1.5 }']);
  });

  test('denies the imported Service to the Pods that a policy selects, as its labels and the policy change', async () => {
    const { clock, admin, putPod, elements } = await startAgent();
    elements('egress-clients4');
    admin.put(ClusterNetworkPolicy, denyTenants('Drop'));
    await clock.advance(1_000);
    expect(elements('egress-clients4')).toEqual([
      expect.stringMatching(/^add \{ 10\.10\.1\.5 : goto egress\/\w{16} \}$/),
    ]);
    putPod('client', '10.10.1.5', { role: 'owner' });
    await clock.advance(1_000);
    expect(elements('egress-clients4')).toEqual(['delete { 10.10.1.5 }']);
    putPod('client', '10.10.1.5', { role: 'tenant' });
    await clock.advance(1_000);
    expect(elements('egress-clients4')).toHaveLength(1);
    admin.delete(ClusterNetworkPolicy, { name: 'acnp-drop-tenant-to-secured-mc-service' });
    await clock.advance(1_000);
    expect(elements('egress-clients4')).toEqual(['delete { 10.10.1.5 }']);
  });

  test('denies it to the network of the Nodes that a policy selects, and follows Allow of a Tier before', async () => {
    const { clock, admin, elements } = await startAgent();
    elements('denied/node/4');
    const onNodes = { ...denyTenants('Reject').spec, appliedTo: [{ nodeSelector: { matchLabels: { rack: 'a' } } }] };
    admin.put(ClusterNetworkPolicy, { metadata: { name: 'nodes' }, spec: onNodes });
    await clock.advance(1_000);
    expect(elements('denied/node/4')).toEqual(['add { 10.99.0.80 . tcp . 80 : goto egress-rejected }']);
    const allow = { ...onNodes, tier: 'first', egress: onNodes.egress.map((rule) => ({ ...rule, action: 'Allow' })) };
    admin.put(ClusterNetworkPolicy, { metadata: { name: 'allow' }, spec: allow });
    await clock.advance(1_000);
    // Its Tier does not exist yet.
    expect(elements('denied/node/4')).toEqual([]);
    admin.put(Tier, { metadata: { name: 'first' }, spec: { priority: 5 } });
    await clock.advance(1_000);
    expect(elements('denied/node/4')).toEqual(['delete { 10.99.0.80 . tcp . 80 }']);
  });

  test('reports which rules it does not enforce, in its status and its log', async () => {
    const { clock, admin, agent, log } = await startAgent();
    admin.put(AntreaNetworkPolicy, {
      metadata: { name: 'db', namespace: 'web' },
      spec: { priority: 5, appliedTo: [{ podSelector: {} }], ingress: [{ action: 'Drop' }] },
    });
    await clock.advance(1_000);
    const problem = { kind: 'NetworkPolicy', namespace: 'web', name: 'db' };
    expect(agent.problems()).toMatchObject([problem]);
    expect(agent.status().problems[0]?.message).toContain('does not enforce its ingress rule');
    expect(log.entries.filter(({ message }) => message === 'part of an object is not used')).toMatchObject([
      { fields: { ...problem, why: expect.stringContaining('does not enforce its ingress rule') } },
    ]);
    expect(agent.notReady()).toEqual([]);
  });

  test('shows the numbers of its Pods, and who does not reach what', async () => {
    const { clock, admin, agent } = await startAgent();
    expect(agent.status().policies).toEqual({
      enforcedBy: 'agent',
      pods: [{ address: '10.10.1.5' }],
      denied: [],
    });
    const label = labelOf('role=tenant');
    admin.put(LabelIdentity, { metadata: { name: labelIdentityHash(label) }, spec: { label, id: 17 } });
    admin.put(ClusterNetworkPolicy, denyTenants('Drop'));
    const onNodes = { ...denyTenants('Drop').spec, appliedTo: [{ nodeSelector: {} }] };
    admin.put(ClusterNetworkPolicy, { metadata: { name: 'nodes' }, spec: onNodes });
    await clock.advance(1_000);
    const { policies } = agent.status();
    expect(policies).toEqual({
      enforcedBy: 'agent',
      pods: [{ address: '10.10.1.5', number: 17 }],
      denied: [{ service: 'shop/antrea-mc-secured-service', result: 'drop', clients: ['node', '10.10.1.5'] }],
    });
    const observed = { items: {}, dropped: {}, failures: [] };
    expect(viewLines(viewNode({ status: agent.status(), observed }), 0).join('\n')).toMatch(
      /shop\/antrea-mc-secured-service +no answer +the network of the Node, 10\.10\.1\.5\n[^]*10\.10\.1\.5 +17\n/,
    );
  });

  test('reports that it does not enforce a rule about a headless Service', async () => {
    const { clock, admin, agent } = await startAgent();
    admin.put(ClusterNetworkPolicy, denyTenants('Drop'));
    const annotations = { [Annotation.importedService]: 'true' };
    admin.delete(Service, { namespace: 'shop', name: 'antrea-mc-secured-service' });
    admin.put(Service, {
      metadata: { name: 'antrea-mc-secured-service', namespace: 'shop', annotations },
      spec: { clusterIP: 'None' },
    });
    await clock.advance(1_000);
    expect(agent.problems().map(({ message }) => message)).toEqual([
      'The agent does not enforce egress[0] for shop/antrea-mc-secured-service: the Service is headless, so its clients connect straight to Pods.',
    ]);
  });

  test("leaves policies to Antrea's agent from the first write on, reports that, and enforces them when it is gone", async () => {
    const { clock, admin, agent, elements, world, log } = await startAgent({ hasAntrea: true });
    admin.put(ClusterNetworkPolicy, denyTenants('Drop'));
    await clock.advance(1_000);
    expect(elements('egress-clients4')).toEqual([]);
    expect(agent.status().policies).toMatchObject({ enforcedBy: 'Antrea', denied: [] });
    world.devices = ['eth0'];
    await clock.advance(120_000);
    expect(agent.status().policies).toMatchObject({ enforcedBy: 'agent' });
    expect(log.entries.filter(({ message }) => message.startsWith('the agent that enforces policies'))).toHaveLength(2);
    expect(elements('egress-clients4').join('\n')).toContain('10.10.1.5 : goto egress/');
  });

  test('is ready in a cluster without the kinds of Antrea', async () => {
    const { agent } = await startAgent({ isServed: false });
    expect(agent.notReady()).toEqual([]);
  });

  test('waits for these kinds without asking for them', async () => {
    const { clock, asked, server } = await startAgent({ isServed: false });
    await clock.advance(600_000);
    const before = asked.length;
    await clock.advance(3_600_000);
    expect(asked.length - before).toBeLessThan(3 * 4);
    for (const type of [ClusterNetworkPolicy, AntreaNetworkPolicy, Tier]) putDefinition(server, type);
    await clock.advance(30_000);
    expect(asked.filter((path) => path.endsWith('/tiers')).length).toBeGreaterThan(0);
  });
});

describe('the rights of an agent', () => {
  test('are enough without policies, and it reads no Pods and no Namespaces', async () => {
    const { agent, log } = await startAgent({ access: agentAccess, isEnabled: false });
    expect(agent.notReady()).toEqual([]);
    expect(log.entries.filter(({ level }) => level === 'warn')).toEqual([]);
    const types = new Set(agentAccess.map(({ type }) => type.plural));
    for (const { type } of policyAccess) expect(types.has(type.plural)).toBe(false);
  });

  test('are not enough for policies: it is not ready, names what it cannot read and what to apply, and goes on when that is applied', async () => {
    const { clock, agent, elements, grant } = await startAgent({ access: agentAccess });
    expect(agent.notReady()).toEqual([
      ...['pods', 'namespaces', 'labelIdentities', 'clusterNetworkPolicies', 'networkPolicies', 'tiers'].map((name) =>
        expect.stringMatching(new RegExp(`^${name} are not read yet: .*forbidden`)),
      ),
      'the agent runs with --enable-stretched-network-policy and lacks permissions for it; apply deploy/agent-policies.yaml, or with Helm set agent.enableStretchedNetworkPolicy=true',
      'the network of the Node is not written yet',
    ]);
    grant('isthmus-agent-policies', policyAccess);
    await clock.advance(60_000);
    expect(agent.notReady()).toEqual([]);
    expect(elements('identity4')).toContain('add { 10.10.1.5 : 0x0048ffff }');
  });

  test('for policies that are taken from it while it runs are named among its notes, and what it read last holds', async () => {
    const { clock, agent, admin, grant } = await startAgent({ access: [...agentAccess, ...policyAccess] });
    expect(agent.notes()).not.toContainEqual(expect.stringMatching(/permissions|are those of/));
    grant('isthmus-agent', agentAccess);
    await clock.advance(900_000);
    admin.delete(Pod, { namespace: 'web', name: 'client' });
    await clock.advance(900_000);
    expect(agent.notReady()).toEqual([]);
    expect(agent.notes()).toContainEqual(expect.stringMatching(/^pods are those of .*forbidden/));
    expect(agent.notes()).toContainEqual(expect.stringContaining('apply deploy/agent-policies.yaml'));
    // The API server is reachable.
    for (const { next } of agent.status().notes) expect(next).not.toContain('reach its API server');
  });
});
