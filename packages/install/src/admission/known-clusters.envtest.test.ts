import { FixedName, KnownCluster, Namespace } from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { errorMessage } from '@isthmus/machinery';
import type { PolicedServer } from '@isthmus/testkit';
import { installObjects, readManifest, startPolicedServer, waitLimitMs } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

const namespace = FixedName.leaderNamespace;
const memberNamespace = FixedName.antreaNamespace;
const controller = 'antrea-mc-controller';

/** The controllers by role, each with the Namespace of its KnownClusters. */
const controllers = [
  ['leader', namespace],
  ['member', memberNamespace],
] as const;

let policed: PolicedServer;
let admin: Client;

type Spec = Partial<KnownCluster['spec']>;
const known = (name: string, spec: Spec, at: string = namespace): KnownCluster => ({
  metadata: { name, namespace: at },
  spec: { clusterID: name, ...spec },
});
const outcome = (call: Promise<unknown>) =>
  call.then(
    () => 'allowed',
    (error: unknown) => errorMessage(error),
  );
const create = (client: Client, object: KnownCluster) => outcome(client.create(KnownCluster, object, { dryRun: true }));
const change = (client: Client, name: string, spec: object, at: string = namespace) =>
  outcome(client.patch(KnownCluster, { namespace: at, name }, { type: 'merge', body: { spec } }, { dryRun: true }));

beforeAll(async () => {
  policed = await startPolicedServer({ name: 'known-clusters' });
  ({ admin } = policed);
  await admin.create(Namespace, { metadata: { name: namespace } });
  await installObjects(admin, await readManifest('deploy/leader.yaml'));
  await installObjects(admin, await readManifest('deploy/member.yaml'));
  for (const [role, at] of controllers) {
    await policed.logIn(at, controller, role);
    await admin.create(KnownCluster, known('observed', { origin: 'Observed', services: ['10.96.0.0/12'] }, at));
    await admin.create(KnownCluster, known('granted', { origin: 'Granted', services: ['10.96.0.0/12'] }, at));
    // The API server reads policies a moment after they are written.
    await vi.waitUntil(
      async () => (await create(policed.as(role), known('x', { origin: 'Granted' }, at))).includes('denied request'),
      { timeout: waitLimitMs(), interval: 100 },
    );
  }
});
afterAll(async () => policed?.[Symbol.asyncDispose]());

describe('a KnownCluster, on a real API server', () => {
  it.each<[string, KnownCluster, RegExp]>([
    [
      'has the name of its cluster',
      { ...known('east', {}), spec: { clusterID: 'west' } },
      /must be its spec\.clusterID/,
    ],
    ['has an ID that a cluster can have', known('east', { clusterID: 'East' }), /spec\.clusterID/],
    [
      'has at most 64 ranges of one kind',
      known('east', { pods: Array(65).fill('10.0.0.0/24') as string[] }),
      /Too many/,
    ],
    [
      'has no thousand ranges',
      known('east', { services: Array(1_000).fill('10.0.0.0/24') as string[] }),
      /Too many: 1000/,
    ],
    ['has * at the end of a Namespace only', known('east', { namespaces: { deny: ['a*b'] } }), /namespaces\.deny/],
    ['has a known state', known('east', { state: 'Open' as 'Held' }), /Unsupported value/],
  ])('%s', async (_what, object, refusal) => {
    expect(await create(admin, object)).toMatch(refusal);
  });

  it('keeps its ID, and is granted and accepted if nothing else is written', async () => {
    expect(await change(admin, 'granted', { clusterID: 'other' })).toMatch(/cannot be changed|must be its spec/);
    const made = await admin.create(KnownCluster, known('east', {}), { dryRun: true });
    expect(made.spec).toEqual({ clusterID: 'east', origin: 'Granted', state: 'Accepted' });
  });
});

describe.each(controllers)('the controller of a %s, on a real API server', (role, at) => {
  it.each<[string, string, Spec, boolean]>([
    ['creates what it observed', '', { origin: 'Observed', pods: ['10.10.0.0/16'] }, true],
    ['grants nothing', '', { origin: 'Granted' }, false],
    ['grants nothing by a default', '', {}, false],
    ['adds a list that an observed object lacks', 'observed', { pods: ['10.10.0.0/16'] }, true],
    ['does not widen a list', 'observed', { services: ['10.96.0.0/12', '8.8.8.8/32'] }, false],
    ['does not accept what a person holds', 'observed', { state: 'Held' }, false],
    ['does not make an observed object a granted one', 'observed', { origin: 'Granted' }, false],
    ['adds no list to a granted object', 'granted', { pods: ['10.10.0.0/16'] }, false],
  ])('%s', async (_what, name, spec, isAllowed) => {
    const client = policed.as(role);
    const result = name === '' ? await create(client, known('new', spec, at)) : await change(client, name, spec, at);
    expect(result).toMatch(isAllowed ? /^allowed$/ : /the controller (creates|does not change)/);
  });

  it('removes no list, and deletes nothing', async () => {
    const client = policed.as(role);
    expect(await change(client, 'observed', { services: null }, at)).toMatch(/the controller does not change/);
    expect(await outcome(client.delete(KnownCluster, { namespace: at, name: 'observed' }))).toMatch(/forbidden/);
  });

  it('writes Observed objects of its own Namespace only', async () => {
    const other = at === namespace ? memberNamespace : namespace;
    const observed = known('new', { origin: 'Observed' }, other);
    expect(await create(policed.as(role), observed)).toMatch(/forbidden/);
  });

  it('writes the status', async () => {
    const call = policed
      .as(role)
      .patch(
        KnownCluster,
        { namespace: at, name: 'granted' },
        { type: 'merge', body: { status: { asked: { pods: ['10.10.0.0/16'] } } } },
        { subresource: 'status' },
      );
    expect((await call).status?.asked).toEqual({ pods: ['10.10.0.0/16'] });
  });
});
