import {
  Annotation,
  ClusterSet,
  Event,
  FixedName,
  MemberClusterAnnounce,
  Namespace,
  ResourceExport,
  RoleBinding,
  ServiceAccount,
  memberAnnounceName,
} from '@isthmus/api';
import { memoryLog, noMetrics, systemClock, systemRandom } from '@isthmus/kube';
import type { Client } from '@isthmus/kube';
import { conditionOf, errorMessage, rfc3339 } from '@isthmus/machinery';
import {
  installObjects,
  readManifest,
  runController,
  serviceAccountToken,
  startPolicedServer,
  waitLimitMs,
} from '@isthmus/testkit';
import type { PolicedServer } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { memberAccount } from '../../manifests/member-account.ts';

const namespace: string = FixedName.leaderNamespace;
const wait = { timeout: waitLimitMs(), interval: 250 };
const clock = systemClock();
/** Far less than usual, because the pace of a busy test machine is not that of a server. */
const memberWrites = { megabytesPerMinute: 4, rewritesPerMinute: 300 };
/** The database of the API server cannot grow beyond it: then every write fails. */
const mostBytes = 512 * 1_024 * 1_024;

let policed: PolicedServer;
let admin: Client;
let running: Promise<void>;
const over = new AbortController();

beforeAll(async () => {
  const flags = { etcd: { 'quota-backend-bytes': String(mostBytes) } };
  policed = await startPolicedServer({ name: 'suspended-members', flags });
  ({ admin } = policed);
  await admin.create(Namespace, { metadata: { name: namespace } });
  await installObjects(admin, await readManifest('deploy/leader.yaml'));
  for (const name of ['east', 'evil', 'wild']) {
    const { account, binding } = memberAccount(namespace, name);
    await admin.create(ServiceAccount, account);
    await admin.create(RoleBinding, binding);
    await policed.logIn(namespace, account.metadata.name, name);
  }
  await admin.create(ClusterSet, {
    metadata: { name: 'fleet', namespace },
    spec: { clusterID: 'north', leaders: [{ clusterID: 'north' }], namespace },
  });
  const token = await serviceAccountToken(admin, namespace, FixedName.controllerServiceAccount);
  const { url, caData } = policed.server;
  const world = { clock, random: systemRandom(), log: memoryLog(), metrics: noMetrics };
  const access = { url, caData, token };
  running = runController(
    { role: 'leader', namespace, cluster: 'north', access, endpointIPType: 'PodIP', world, memberWrites },
    over.signal,
  );
  for (const name of ['east', 'evil', 'wild'])
    await vi.waitFor(() => policed.as(name).create(MemberClusterAnnounce, announcement(name)), wait);
  await vi.waitFor(async () => expect(conditionOf((await clusterSet()).conditions, 'Ready')).toBeDefined(), wait);
});
afterAll(async () => {
  over.abort();
  await running;
  await policed?.[Symbol.asyncDispose]();
});

function announcement(clusterID: string, filling = ''): MemberClusterAnnounce {
  return {
    metadata: { namespace, name: memberAnnounceName(clusterID), annotations: { filling } },
    clusterID,
    clusterSetID: 'fleet',
    leaderClusterID: 'north',
  };
}

function exportOf(clusterID: string, name: string, filling: string): ResourceExport {
  return {
    metadata: {
      name: `${clusterID}-shop-${name}-service`,
      namespace,
      annotations: { filling },
      finalizers: ['resourceexport.antrea.io/finalizer'],
      labels: { sourceClusterID: clusterID, sourceKind: 'Service', sourceName: name, sourceNamespace: 'shop' },
    },
    spec: { clusterID, kind: 'Service', namespace: 'shop', name, service: { serviceSpec: {} } },
  };
}

async function clusterSet(): Promise<NonNullable<ClusterSet['status']>> {
  return (await admin.get(ClusterSet, { namespace, name: 'fleet' })).status ?? {};
}

const suspended = async (name: string) =>
  (await admin.get(ServiceAccount, { namespace, name: `member-${name}` })).metadata.annotations?.[Annotation.suspended];

async function databaseBytes(): Promise<number> {
  const { text } = await admin.request({ method: 'GET', path: '/metrics' });
  return Number(/^apiserver_storage_size_bytes\{.*\} (\S+)$/m.exec(text)?.[1] ?? NaN);
}

/**
 * Writes over some connections until the first answer that the member is suspended. The first time
 * begins with the first write, the second when what was accepted is above the quota.
 */
async function flood(connections: number, bytes: number, write: (n: number) => Promise<unknown>) {
  const startMs = clock.monotonic();
  let [accepted, overMs, endMs] = [0, 0, 0];
  const others = new Set<string>();
  const writer = async (id: number) => {
    for (let n = 0; endMs === 0 && clock.monotonic() - startMs < 120_000; n++) {
      try {
        await write(n * connections + id);
        accepted++;
        const minutes = (clock.monotonic() - startMs) / 60_000;
        const isOver =
          accepted * bytes > (2 + minutes) * memberWrites.megabytesPerMinute * 1_000_000 ||
          accepted - 60 > (0.5 + minutes) * memberWrites.rewritesPerMinute + 3 * 60;
        if (overMs === 0 && isOver) overMs = clock.monotonic();
      } catch (error) {
        const why = errorMessage(error);
        if (!why.includes('suspended')) others.add(why.slice(0, 200));
        else if (endMs === 0) endMs = clock.monotonic();
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, id) => writer(id)));
  const seconds = (from: number) => Math.round((endMs - from) / 100) / 10;
  return { seconds: seconds(startMs), aboveQuota: overMs === 0 ? 0 : seconds(overMs), accepted, others: [...others] };
}

/** Sends the heartbeats of east until `end`, and returns the longest time between two answers. */
async function heartbeats(end: AbortSignal): Promise<number> {
  let [longest, lastMs] = [0, clock.monotonic()];
  while (!end.aborted) {
    const body = { metadata: { annotations: { [Annotation.touchTs]: rfc3339(clock.now()) } } };
    const ref = { namespace, name: memberAnnounceName('east') };
    await policed
      .as('east')
      .patch(MemberClusterAnnounce, ref, { type: 'merge', body })
      .then(
        () => {
          longest = Math.max(longest, clock.monotonic() - lastMs);
          lastMs = clock.monotonic();
        },
        () => undefined,
      );
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return longest;
}

const cases = [
  {
    name: 'exports',
    clusterID: 'evil',
    bytes: 250_000,
    connections: 6,
    write: (member: Client) => (n: number) => {
      const object = exportOf('evil', `s${n % 60}`, `${n} `.padEnd(250_000, 'x'));
      const body = { metadata: { annotations: object.metadata.annotations } };
      return n < 60
        ? member.create(ResourceExport, object)
        : member.patch(ResourceExport, object.metadata, { type: 'merge', body });
    },
  },
  {
    name: 'its announcement',
    clusterID: 'wild',
    bytes: 500,
    connections: 12,
    write: (member: Client) => (n: number) => {
      const { metadata } = announcement('wild');
      const body = { metadata: { annotations: { filling: String(n) } } };
      return member.patch(MemberClusterAnnounce, metadata, { type: 'merge', body });
    },
  },
] as const;

describe('a member that writes as fast as it can', () => {
  it.each(cases)('is suspended within ten seconds, and nobody else notices: $name', async (one) => {
    const before = await databaseBytes();
    const end = new AbortController();
    const beats = heartbeats(end.signal);
    const found = await flood(one.connections, one.bytes, one.write(policed.as(one.clusterID)));
    end.abort();
    const longestMs = await beats;
    const grown = (await databaseBytes()) - before;
    expect(found.seconds).toBeGreaterThan(0);
    expect(found.aboveQuota).toBeLessThan(10);
    expect(await suspended(one.clusterID)).toMatch(/it wrote [0-9.]+ MB and rewrote objects \d+ times in \d+ s/);
    expect(grown).toBeLessThan(mostBytes);
    expect(longestMs).toBeLessThan(20_000);
    expect(await suspended('east')).toBeUndefined();
    await vi.waitFor(async () => {
      const { message } = conditionOf((await clusterSet()).conditions, 'MembersSuspended') ?? {};
      expect(message).toContain(`ServiceAccount member-${one.clusterID} of cluster "${one.clusterID}" is suspended`);
      const { items } = await admin.list(Event, { namespace });
      expect(items.map(({ reason }) => reason)).toContain('MemberSuspended');
    }, wait);
  });

  it('can write nothing any more, and neither can an account without a cluster in its name, until a person lets it', async () => {
    await admin.create(ServiceAccount, { metadata: { name: 'unnamed', namespace } });
    await admin.create(RoleBinding, {
      metadata: { name: 'unnamed', namespace },
      roleRef: { apiGroup: RoleBinding.group, kind: 'Role', name: FixedName.memberRole },
      subjects: [{ kind: 'ServiceAccount', name: 'unnamed', namespace }],
    });
    const unnamed = await policed.logIn(namespace, 'unnamed');
    const text =
      /this member is suspended: \S+ it wrote .*kubectl -n antrea-multicluster annotate serviceaccount member-evil isthmus\.dev\/suspended-/;
    const object = exportOf('evil', 'new', '');
    const dry = { dryRun: true } as const;
    const answers = [
      [policed.as('evil'), text],
      // Two policies reject it, and the API server names one of them.
      [unnamed, /this cluster belongs to another ServiceAccount|this member is suspended/],
    ] as const;
    for (const [client, why] of answers)
      await vi.waitFor(() => expect(client.create(ResourceExport, object, dry)).rejects.toThrow(why), wait);
    await expect(policed.as('evil').delete(MemberClusterAnnounce, announcement('evil').metadata)).rejects.toThrow(text);
    await policed.as('east').create(ResourceExport, exportOf('east', 'new', ''), dry);
    await unnamed.create(ResourceExport, exportOf('south', 'new', ''), dry);
    await admin.create(ResourceExport, object, dry);
    const body = { metadata: { annotations: { [Annotation.suspended]: null } } };
    await admin.patch(ServiceAccount, { namespace, name: 'member-evil' }, { type: 'merge', body });
    await vi.waitFor(() => policed.as('evil').create(ResourceExport, object, dry), wait);
    expect(await suspended('evil')).toBeUndefined();
  });
});
