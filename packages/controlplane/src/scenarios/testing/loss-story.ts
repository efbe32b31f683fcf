import {
  ClusterInfoImport,
  ClusterSet,
  EndpointSlice,
  FixedName,
  Gateway,
  Label,
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
  Secret,
  Service,
  ServiceExport,
  ServiceImport,
} from '@isthmus/api';
import type { ServicePort } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { RealCluster, RealFleet } from '@isthmus/testkit';
import { clusterSetName, leaderNamespace } from '@isthmus/fleet-sim';
import { issueMemberCredential, startRealFleet } from '@isthmus/testkit';
import { expect } from 'vitest';
import type { TestContext } from 'vitest';

/**
 * Losses by users and backups in the Common Area of a leader, and of the definitions in a member,
 * on real API servers. 30 imports, watched all the time, keep uid, ClusterIP and endpoints.
 * Afterwards everything is exported and published again. The tests are in the order of one story.
 */
/** One fleet for all tests of a file. */
let fleet: RealFleet;
export const waits = () => fleet;
export const west = () => fleet.cluster('west');
export const east = () => fleet.cluster('east');
export const north = () => fleet.leader;

export const count = 30;
const http: readonly ServicePort[] = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
export const refOf = (index: number) => ({ namespace: 'shop', name: `svc-${index}` });
const { memberNamespace } = FixedName;
const sets = { leader: leaderNamespace, member: memberNamespace } as const;

/** The result of a loss: one row in the output of `npm run losses`. */
interface LossReport {
  /**
   * The number of imports that kept uid, ClusterIP and endpoints at every moment, in all importing
   * clusters.
   */
  readonly kept: number;
  readonly of: number;
  /** From the loss until everything was exported and published again. */
  readonly heldMs: number;
  /** The same from the cure on; undefined if no cure was needed. */
  readonly curedMs: number | undefined;
}

declare module 'vitest' {
  interface TaskMeta {
    loss?: LossReport;
  }
}

/**
 * By the name of the import: everything that a connection would notice, and the number of its
 * changes so far.
 */
type Standing = ReadonlyMap<string, readonly string[]>;

/** The imports of one cluster. Without the ServiceImports themselves if they are what was lost. */
async function existingIn({ admin, name: cluster }: RealCluster, what: 'all' | 'derived'): Promise<Standing> {
  const inShop = { namespace: 'shop' };
  const [imports, services, slices, networks] = await Promise.all([
    what === 'all' ? admin.list(ServiceImport, inShop) : { items: [] },
    admin.list(Service, inShop),
    admin.list(EndpointSlice, inShop),
    admin.list(ClusterInfoImport, { namespace: memberNamespace }),
  ]);
  const lines = new Map<string, string[]>();
  const note = (name: string, line: string) => {
    lines.set(name, [...(lines.get(name) ?? []), `${cluster} ${line}`]);
  };
  for (const { metadata, spec } of imports.items)
    note(metadata.name, `ServiceImport ${metadata.uid ?? ''} ${spec?.ips?.[0] ?? ''}`);
  for (const { metadata, spec } of services.items)
    note(metadata.name.replace('antrea-mc-', ''), `Service ${metadata.uid ?? ''} ${spec?.clusterIP ?? ''}`);
  for (const { metadata, endpoints, ports } of slices.items) {
    const name = metadata.labels?.[Label.mcsServiceName];
    const content = JSON.stringify([metadata.uid, metadata.generation, endpoints, ports]);
    if (name !== undefined) note(name, `EndpointSlice ${content}`);
  }
  for (const { metadata, spec } of networks.items)
    note('network', `ClusterInfoImport ${metadata.uid ?? ''} ${JSON.stringify(spec)}`);
  return lines;
}

async function existing(what: 'all' | 'derived' = 'all'): Promise<Standing> {
  const found = await Promise.all([existingIn(east(), what), existingIn(west(), what)]);
  const names = new Set(found.flatMap((one) => [...one.keys()]));
  return new Map([...names].map((name) => [name, found.flatMap((one) => one.get(name) ?? []).toSorted()]));
}

/** The differences by name, with the old and the new state. */
function changes(before: Standing, now: Standing): ReadonlyMap<string, string> {
  const names = new Set([...before.keys(), ...now.keys()]);
  return new Map(
    [...names].flatMap((name) => {
      const [was, is] = [before, now].map((existing) => existing.get(name) ?? []);
      const isSame = JSON.stringify(was) === JSON.stringify(is);
      return isSame ? [] : [[name, [...(was ?? []), 'became', ...(is ?? [])].join('\n')] as const];
    }),
  );
}

/**
 * The number of exports, imports and announcements in the Common Area. Imports of single clusters
 * are not counted, because their number may vary.
 */
export async function area(): Promise<readonly number[]> {
  const { admin } = north();
  const where = { namespace: leaderNamespace };
  const live = (items: readonly { readonly metadata: { readonly deletionTimestamp?: string | undefined } }[]) =>
    items.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length;
  return [
    live((await admin.list(ResourceExport, where)).items),
    live(
      (await admin.list(ResourceImport, where)).items.filter(({ metadata }) => !metadata.name.includes('-endpoints.')),
    ),
    live((await admin.list(MemberClusterAnnounce, where)).items),
  ];
}

/**
 * Each Service has two exports and two imports, the network of west has one more of each, and there
 * are both members.
 */
const whole = [2 * count + 1, 2 * count + 1, 2];

/** What the ClusterSet of a cluster reports as held; empty if nothing is held. */
export async function heldAt({ admin }: RealCluster, role: 'leader' | 'member'): Promise<string> {
  const clusterSet = await admin.get(ClusterSet, { namespace: sets[role], name: clusterSetName });
  return conditionOf(clusterSet.status?.conditions, 'WithdrawalHeld')?.message ?? '';
}

export async function isMended(): Promise<boolean> {
  if (JSON.stringify(await area()) !== JSON.stringify(whole)) return false;
  const held = await Promise.all([heldAt(north(), 'leader'), heldAt(east(), 'member'), heldAt(west(), 'member')]);
  return held.every((message) => message === '');
}

interface Loss {
  readonly lose: () => Promise<unknown>;
  /** Checks before the cure. By default, they only check that everything is kept. */
  readonly meanwhile?: (() => Promise<unknown>) | undefined;
  readonly cure?: (() => Promise<unknown>) | undefined;
  readonly watch?: 'all' | 'derived' | undefined;
}

/**
 * Until everything is restored, and for a while after that, nothing that a connection would notice
 * may change.
 */
export async function keepsAll({ task }: TestContext, { lose, meanwhile, cure, watch = 'all' }: Loss): Promise<void> {
  const before = await existing(watch);
  const lost = new Map<string, string>();
  const note = (now: Standing) => {
    for (const [name, change] of changes(before, now)) if (!lost.has(name)) lost.set(name, change);
  };
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      const now = await existing(watch).catch(() => undefined);
      note(now ?? before);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  })();
  try {
    await lose();
    const lostMs = performance.now();
    await meanwhile?.();
    const cureMs = performance.now();
    await cure?.();
    await fleet.until('all is exported and published again', isMended, 300_000);
    const nowMs = performance.now();
    await fleet.steadily('and stays so', isMended, true, 3_000);
    note(await existing(watch));
    task.meta.loss = {
      kept: count - [...lost.keys()].filter((name) => name !== 'network').length,
      of: count,
      heldMs: nowMs - lostMs,
      curedMs: cure === undefined ? undefined : nowMs - cureMs,
    };
  } finally {
    over.abort();
    await watching;
  }
  expect(Object.fromEntries(lost)).toEqual({});
}

export const pause = (ms: number) => () => new Promise((resolve) => setTimeout(resolve, ms));

export const etcd = async (script: string) => {
  await north().server.stop('kube-apiserver');
  await north().server.stop('etcd');
  await north().shell(`cd "$(dirname "$KUBECONFIG")" && ${script}`);
  await north().server.start('etcd');
  await north().server.start('kube-apiserver');
};

export const restored = 'rm -rf etcd && cp -r backup etcd';

/** The steps of `docs/losses.md` for a new token, as for a new member. */
async function newToken(cluster: RealCluster): Promise<void> {
  const data = await issueMemberCredential(north().admin, leaderNamespace, cluster.name);
  const ref = { namespace: memberNamespace, name: 'leader-token' };
  await cluster.admin.patch(Secret, ref, { type: 'merge', body: { data } });
}

/** The admission policy still knows a deleted ClusterSet for a moment. */
export async function leaderClusterSet(name: string): Promise<void> {
  const spec = { clusterID: 'north', namespace: leaderNamespace, leaders: [{ clusterID: 'north' }] };
  const clusterSet = { metadata: { name, namespace: leaderNamespace }, spec };
  await fleet.until('the API server accepts the ClusterSet', () => north().admin.create(ClusterSet, clusterSet));
}

/**
 * The steps of `docs/losses.md` for a leader that has lost its Namespace: it is set up like a new
 * leader. Its controller restarts, as its Pod would.
 */
export async function setUpAgain(): Promise<void> {
  const { shell, manifest } = north();
  await north().stop('leader');
  await shell(`kubectl create namespace ${leaderNamespace}`);
  await shell('kubectl apply -f -', await manifest('deploy/leader.yaml'));
  await shell('kubectl wait crd --all --for=condition=Established --timeout=60s');
  await leaderClusterSet(clusterSetName);
  await north().start('leader');
  // The importer is the first with a token again, so the objects that the exporter restores are
  // missing for longer.
  await newToken(east());
  await fleet.eventually('the importer is back', () => east().view.clusterSet(), 'True Connected');
  await pause(5_000)();
  await newToken(west());
}

/**
 * Each cluster has a ServiceImport, a Service and a slice; west also has the exported Service. The
 * exporter has the answer.
 */
async function areImported(number: number): Promise<boolean> {
  const found = [...(await existing())].filter(([name]) => name !== 'network');
  const isWhole = found.length === number && found.every(([, lines]) => lines.length === 7);
  const { items } = await west().admin.list(ServiceExport, { namespace: 'shop' });
  return isWhole && items.every(({ status }) => conditionOf(status?.conditions, 'Ready')?.status === 'True');
}

/** Starts the fleet with 30 imports. The backup of the leader is older than most of them. */
export async function begin(): Promise<void> {
  fleet = await startRealFleet({ clusters: { east: 'member', west: 'member', north: 'leader' } });
  await Promise.all([east().user.namespace('shop'), west().user.namespace('shop')]);
  const exportFrom = async (from: number, to: number) => {
    for (let index = from; index < to; index++)
      await west().user.exportService(refOf(index), http, `10.20.0.${index + 1}`);
  };
  await exportFrom(0, 10);
  // If endpoints changed since a backup, those of the backup are used for a moment. In this backup
  // they are current.
  await fleet.until('ten are imported', () => areImported(10));
  await etcd('rm -rf backup && cp -r etcd backup');
  await exportFrom(10, count);
  await west().admin.create(Gateway, {
    metadata: { name: 'node-1', namespace: memberNamespace },
    gatewayIP: '192.0.2.1',
    serviceCIDR: '10.96.0.0/12',
  });
  await fleet.eventually('the Common Area is whole', area, whole);
  await fleet.until('all are imported', () => areImported(count));
  await fleet.until('nothing is pending', isMended);
}

export const end = async (): Promise<void> => fleet?.[Symbol.asyncDispose]();

export async function applyLeaderDefinitions(): Promise<void> {
  await north().shell('kubectl apply --server-side -f -', await north().manifest('deploy/leader-global.yaml'));
}

export async function applyMemberDefinitions({ shell, manifest }: RealCluster): Promise<void> {
  await shell('kubectl apply --server-side -f -', await manifest('deploy/member-crds.yaml'));
}
