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
import {
  checksAllPoints,
  clusterSetName,
  issueMemberCredential,
  leaderNamespace,
  startRealFleet,
} from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestContext } from 'vitest';

/**
 * What people and backups do to the Common Area of a leader, and to the definitions in a member, on real API servers: 30 imports keep uid, ClusterIP
 * and endpoints, watched all the time, and all is exported and published again afterwards. The tests stand in the order of one story.
 */
let fleet: RealFleet;
const west = () => fleet.cluster('west');
const east = () => fleet.cluster('east');
const north = () => fleet.leader;

const count = 30;
const http: readonly ServicePort[] = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const refOf = (index: number) => ({ namespace: 'shop', name: `svc-${index}` });
const { memberNamespace } = FixedName;
const sets = { leader: leaderNamespace, member: memberNamespace } as const;

/** What a loss came to: a row of what `npm run losses` prints. */
interface LossReport {
  /** How many of the imports kept uid, ClusterIP and endpoints at every moment, in all importing clusters. */
  readonly kept: number;
  readonly of: number;
  /** From the loss until all was exported and published again. */
  readonly heldMs: number;
  /** From the cure until then; undefined where none was needed. */
  readonly curedMs: number | undefined;
}

declare module 'vitest' {
  interface TaskMeta {
    loss?: LossReport;
  }
}

/** By what it is imported as: all that a connection would notice, and the number of its changes so far. */
type Standing = ReadonlyMap<string, readonly string[]>;

/** What one cluster has imported; without the ServiceImports themselves where these are what was lost. */
async function standingIn({ admin, name: cluster }: RealCluster, what: 'all' | 'derived'): Promise<Standing> {
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

async function standing(what: 'all' | 'derived' = 'all'): Promise<Standing> {
  const found = await Promise.all([standingIn(east(), what), standingIn(west(), what)]);
  const names = new Set(found.flatMap((one) => [...one.keys()]));
  return new Map([...names].map((name) => [name, found.flatMap((one) => one.get(name) ?? []).toSorted()]));
}

/** What is not as it was: by name what it was, and what it is. */
function changes(before: Standing, now: Standing): ReadonlyMap<string, string> {
  const names = new Set([...before.keys(), ...now.keys()]);
  return new Map(
    [...names].flatMap((name) => {
      const [was, is] = [before, now].map((standing) => standing.get(name) ?? []);
      const isSame = JSON.stringify(was) === JSON.stringify(is);
      return isSame ? [] : [[name, [...(was ?? []), 'became', ...(is ?? [])].join('\n')] as const];
    }),
  );
}

/** How much the Common Area has: exports, imports without those of single clusters, of which a leader needs more or fewer, announcements. */
async function area(): Promise<readonly number[]> {
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

/** Of each Service two exports and two imports, one more of each for the network of west; both members. */
const whole = [2 * count + 1, 2 * count + 1, 2];

/** What the ClusterSet of a cluster reports as held; empty where nothing is. */
async function heldAt({ admin }: RealCluster, role: 'leader' | 'member'): Promise<string> {
  const clusterSet = await admin.get(ClusterSet, { namespace: sets[role], name: clusterSetName });
  return conditionOf(clusterSet.status?.conditions, 'WithdrawalHeld')?.message ?? '';
}

async function isMended(): Promise<boolean> {
  if (JSON.stringify(await area()) !== JSON.stringify(whole)) return false;
  const held = await Promise.all([heldAt(north(), 'leader'), heldAt(east(), 'member'), heldAt(west(), 'member')]);
  return held.every((message) => message === '');
}

interface Loss {
  readonly lose: () => Promise<unknown>;
  /** What is to be seen before the cure: nothing but that all is kept, unless said otherwise. */
  readonly meanwhile?: (() => Promise<unknown>) | undefined;
  readonly cure?: (() => Promise<unknown>) | undefined;
  readonly watch?: 'all' | 'derived' | undefined;
}

/** Until all is whole again, and a while afterwards, nothing that a connection would notice may change. */
async function keepsAll({ task }: TestContext, { lose, meanwhile, cure, watch = 'all' }: Loss): Promise<void> {
  const before = await standing(watch);
  const lost = new Map<string, string>();
  const note = (now: Standing) => {
    for (const [name, change] of changes(before, now)) if (!lost.has(name)) lost.set(name, change);
  };
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      const now = await standing(watch).catch(() => undefined);
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
    note(await standing(watch));
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

/** Losses that are like another one of these, or of stories/losses.test.ts: the soak has them, and `npm run losses`. */
const inSoak = it.runIf(checksAllPoints());

const pause = (ms: number) => () => fleet.passes(ms);

const etcd = async (script: string) => {
  await north().server.stop('kube-apiserver');
  await north().server.stop('etcd');
  await north().shell(`cd "$(dirname "$KUBECONFIG")" && ${script}`);
  await north().server.start('etcd');
  await north().server.start('kube-apiserver');
};

const restored = 'rm -rf etcd && cp -r backup etcd';

/** What `docs/losses.md` says about a new token: as for a new member. */
async function newToken(cluster: RealCluster): Promise<void> {
  const data = await issueMemberCredential(north().admin, leaderNamespace, cluster.name);
  const ref = { namespace: memberNamespace, name: 'leader-token' };
  await cluster.admin.patch(Secret, ref, { type: 'merge', body: { data } });
}

/** The admission policy knows one that was deleted before for a moment more. */
async function leaderClusterSet(name: string): Promise<void> {
  const spec = { clusterID: 'north', namespace: leaderNamespace, leaders: [{ clusterID: 'north' }] };
  const clusterSet = { metadata: { name, namespace: leaderNamespace }, spec };
  await fleet.until('the API server accepts the ClusterSet', () => north().admin.create(ClusterSet, clusterSet));
}

/** What `docs/losses.md` says about a leader that has lost its Namespace: it is set up like a new one. Its controller starts anew, as its Pod would. */
async function setUpAgain(): Promise<void> {
  const { shell, manifest } = north();
  await north().stop('leader');
  await shell(`kubectl create namespace ${leaderNamespace}`);
  await shell('kubectl apply -f -', await manifest('deploy/leader.yaml'));
  await shell('kubectl wait crd --all --for=condition=Established --timeout=60s');
  await leaderClusterSet(clusterSetName);
  await north().start('leader');
  // The importer is the first that has a token again: what the exporter brings back is missing for longer.
  await newToken(east());
  await fleet.eventually('the importer is back', () => east().view.clusterSet(), 'True Connected');
  await pause(5_000)();
  await newToken(west());
}

/** In each cluster a ServiceImport, a Service and a slice, in west the exported Service as well; and the exporter knows. */
async function areImported(number: number): Promise<boolean> {
  const found = [...(await standing())].filter(([name]) => name !== 'network');
  const isWhole = found.length === number && found.every(([, lines]) => lines.length === 7);
  const { items } = await west().admin.list(ServiceExport, { namespace: 'shop' });
  return isWhole && items.every(({ status }) => conditionOf(status?.conditions, 'Ready')?.status === 'True');
}

beforeAll(async () => {
  fleet = await startRealFleet({ clusters: { east: 'member', west: 'member', north: 'leader' } });
  await Promise.all([east().user.namespace('shop'), west().user.namespace('shop')]);
  const exportFrom = async (from: number, to: number) => {
    for (let index = from; index < to; index++)
      await west().user.exportService(refOf(index), http, `10.20.0.${index + 1}`);
  };
  await exportFrom(0, 10);
  // Endpoints that changed since a backup was made are for a moment those of the backup: this one has what there is.
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
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

describe('30 of 30 imports keep uid, ClusterIP and endpoints', () => {
  it('the announcement of the exporter is deleted', (context) =>
    keepsAll(context, {
      lose: () =>
        north().shell(`kubectl delete memberclusterannounces -n ${leaderNamespace} member-announce-from-west`),
    }));

  it('the ClusterSet of the leader is deleted, and created with another name, and then with its own', (context) =>
    keepsAll(context, {
      async lose() {
        // The API server denies it while members are in the ClusterSet, unless the policy is missing, as on Kubernetes 1.29.
        const remove = `kubectl delete clusterset -n ${leaderNamespace} ${clusterSetName}`;
        // A new policy takes effect when the API server has read the announcements.
        const denial = () =>
          north()
            .shell(`${remove} --dry-run=server`)
            .then(
              () => '',
              (error: unknown) => String(error),
            );
        await fleet.until('it is denied', async () =>
          (await denial()).includes('members are still in this ClusterSet'),
        );
        await north().shell(`kubectl delete validatingadmissionpolicies ${leaderNamespace}-isthmus-leader-in-use`);
        await fleet.until('it is deleted', () =>
          north()
            .shell(remove)
            .then(
              () => true,
              () => false,
            ),
        );
        await north().stop('leader');
        await north().start('leader');
      },
      async meanwhile() {
        await fleet.eventually('it is missing', () => east().view.clusterSet(), 'False LeaderClusterSetMissing');
        await leaderClusterSet('acme');
        await fleet.eventually('it is not the same', () => east().view.clusterSet(), 'False OtherClusterSet');
        await pause(5_000)();
      },
      async cure() {
        await north().shell(`kubectl delete clusterset -n ${leaderNamespace} acme`);
        await leaderClusterSet(clusterSetName);
        await fleet.eventually('it is the same', () => east().view.clusterSet(), 'True Connected');
      },
    }));

  it('all ResourceImports are deleted while the leader is dead', (context) =>
    keepsAll(context, {
      async lose() {
        await north().stop('leader');
        await north().shell(`kubectl delete resourceimports -n ${leaderNamespace} --all`);
      },
      meanwhile: () => fleet.until('the importer reports it', async () => (await heldAt(east(), 'member')) !== ''),
      cure: () => north().start('leader'),
    }));

  it('the leader is restored from a backup of before most exports', (context) =>
    keepsAll(context, { lose: () => etcd(restored) }));

  inSoak('the leader is restored from a backup of before most exports, and the importer restarts', (context) =>
    keepsAll(context, {
      async lose() {
        await etcd(restored);
        await east().stop('member');
        await east().start('member');
      },
    }),
  );

  inSoak('the leader is restored with --bump-revision and --mark-compacted', async (context) => {
    const isThere = await north()
      .shell('command -v etcdutl')
      .catch(() => undefined);
    if (isThere === undefined) return context.skip('etcdutl is not there');
    const restore =
      'rm -rf etcd && etcdutl snapshot restore backup/member/snap/db --skip-hash-check --data-dir etcd' +
      ' --initial-cluster default=unix://etcd-peer:0 --initial-advertise-peer-urls unix://etcd-peer:0' +
      ' --bump-revision 1000000000 --mark-compacted';
    await keepsAll(context, { lose: () => etcd(restore) });
  });

  inSoak('an empty etcd takes the place of the old one, and then a backup', (context) =>
    keepsAll(context, {
      lose: () => etcd('rm -rf etcd'),
      meanwhile: pause(20_000),
      cure: () => etcd(restored),
    }),
  );

  inSoak('the resource definition of ResourceImports is deleted, and applied again', (context) =>
    keepsAll(context, {
      lose: () => north().shell('kubectl delete crd resourceimports.multicluster.crd.antrea.io'),
      meanwhile: pause(5_000),
      cure: applyLeaderDefinitions,
    }),
  );

  it('all ResourceExports are deleted: the list is empty, and stays so for a minute', (context) =>
    keepsAll(context, {
      // "Until empty", as the guides say: what is gone first is exported again when others are still there.
      lose: () =>
        north().shell(
          `until test -z "$(kubectl get resourceexports -n ${leaderNamespace} -o name)"; do ` +
            `kubectl delete resourceexports -n ${leaderNamespace} --all; done`,
        ),
      async meanwhile() {
        const exported = async () => (await area())[0];
        await fleet.steadily('the list is empty', exported, 0, 45_000);
        expect(await heldAt(north(), 'leader')).toMatch(
          /^Objects held: 31\. .*exports of published objects are missing/,
        );
      },
    }));

  it('the resource definition of ResourceExports is deleted, and applied again', (context) =>
    keepsAll(context, {
      lose: () => north().shell('kubectl delete crd resourceexports.multicluster.crd.antrea.io'),
      meanwhile: pause(5_000),
      cure: applyLeaderDefinitions,
    }));

  inSoak('the resource definition of MemberClusterAnnounces is deleted, and applied again', (context) =>
    keepsAll(context, {
      lose: () => north().shell('kubectl delete crd memberclusterannounces.multicluster.crd.antrea.io'),
      meanwhile: pause(20_000),
      cure: applyLeaderDefinitions,
    }),
  );

  it('the exporter loses the resource definition of ServiceExports, and both are applied again', (context) =>
    keepsAll(context, {
      lose: () => west().shell('kubectl delete crd serviceexports.multicluster.x-k8s.io'),
      meanwhile: () =>
        fleet.until('the exporter reports it', async () =>
          /^Objects held: 30\. .* serviceexports\.multicluster\.x-k8s\.io was deleted/.test(
            await heldAt(west(), 'member'),
          ),
        ),
      async cure() {
        await applyMemberDefinitions(west());
        for (let index = 0; index < count; index++) await west().user.export(refOf(index));
      },
    }));

  inSoak('the exporter loses the resource definition of Gateways, and both are applied again', (context) =>
    keepsAll(context, {
      lose: () => west().shell('kubectl delete crd gateways.multicluster.crd.antrea.io'),
      meanwhile: () =>
        fleet.until('the exporter reports it', async () => (await heldAt(west(), 'member')).includes('gateways.')),
      async cure() {
        await applyMemberDefinitions(west());
        await west().admin.create(Gateway, {
          metadata: { name: 'node-1', namespace: memberNamespace },
          gatewayIP: '192.0.2.1',
          serviceCIDR: '10.96.0.0/12',
        });
      },
    }),
  );

  it('the importer loses the resource definition of ServiceImports, and it is applied again', (context) =>
    keepsAll(context, {
      watch: 'derived',
      lose: () => east().shell('kubectl delete crd serviceimports.multicluster.x-k8s.io'),
      meanwhile: pause(5_000),
      async cure() {
        await applyMemberDefinitions(east());
        const made = async () => (await east().admin.list(ServiceImport, { namespace: 'shop' })).items.length;
        await fleet.eventually('they are made again', made, count);
      },
    }));

  it('the Common Area Namespace is deleted, and the leader is set up again', (context) =>
    keepsAll(context, {
      async lose() {
        await north().shell(`kubectl delete namespace ${leaderNamespace} --wait=false`);
        await pause(3_000)();
        // Its Pod goes with the Namespace. What has a finalizer of the leader's waits for it from then on.
        await north().stop('leader');
        await north().shell(
          `while kubectl get namespace ${leaderNamespace}; do ` +
            `kubectl get resourceexports,memberclusterannounces -n ${leaderNamespace} -o name | ` +
            `xargs -r kubectl patch -n ${leaderNamespace} --type=merge -p '{"metadata":{"finalizers":null}}'; ` +
            'sleep 2; done',
        );
      },
      meanwhile: pause(20_000),
      cure: setUpAgain,
    }));

  inSoak('an empty etcd takes the place of the old one, and the leader is set up again', (context) =>
    keepsAll(context, {
      lose: () => etcd('rm -rf etcd'),
      meanwhile: pause(10_000),
      async cure() {
        await north().server.restart('kube-controller-manager');
        await setUpAgain();
      },
    }),
  );
});

async function applyLeaderDefinitions(): Promise<void> {
  await north().shell('kubectl apply --server-side -f -', await north().manifest('deploy/leader-global.yaml'));
}

async function applyMemberDefinitions({ shell, manifest }: RealCluster): Promise<void> {
  await shell('kubectl apply --server-side -f -', await manifest('deploy/member-crds.yaml'));
}

describe('what is held goes when a person runs the command of the condition', () => {
  const command = (message: string) => /kubectl annotate clusterset .*$/.exec(message)?.[0] ?? 'false';
  const imported = async () => (await east().admin.list(ServiceImport, { namespace: 'shop' })).items.length;

  it('at a leader, of exports', async () => {
    await west().stop('member');
    await north().shell(`kubectl delete resourceexports -n ${leaderNamespace} --all`);
    await fleet.until('it is held', async () => (await heldAt(north(), 'leader')).startsWith('Objects held: 31.'));
    await fleet.steadily('all are kept', imported, count, 5_000);
    await north().shell(command(await heldAt(north(), 'leader')));
    await fleet.eventually('the imports go', imported, 0);
    await west().start('member');
    await fleet.eventually('all are imported again', imported, count);
    await fleet.until('all is whole again', isMended);
  });

  it('at a member, of imports', async () => {
    await north().stop('leader');
    await north().shell(`kubectl delete resourceimports -n ${leaderNamespace} --all`);
    await fleet.until('it is held', async () => (await heldAt(east(), 'member')).startsWith('Objects held: 31.'));
    await fleet.steadily('all are kept', imported, count, 5_000);
    await east().shell(command(await heldAt(east(), 'member')));
    await fleet.eventually('the imports go', imported, 0);
  });
});
