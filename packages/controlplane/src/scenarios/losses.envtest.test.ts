import { FixedName, Gateway, ServiceImport } from '@isthmus/api';
import { clusterSetName, leaderNamespace } from '@isthmus/fleet-sim';
import { checksAllPoints } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  applyLeaderDefinitions,
  applyMemberDefinitions,
  area,
  begin,
  count,
  east,
  end,
  etcd,
  heldAt,
  isMended,
  keepsAll,
  leaderClusterSet,
  north,
  pause,
  refOf,
  restored,
  setUpAgain,
  waits,
  west,
} from './testing/loss-story.ts';

/**
 * Each loss on real API servers, in the order of one story. `restored-leader.envtest.test.ts` has
 * one of them.
 */
beforeAll(begin);
afterAll(end);

const { memberNamespace } = FixedName;

/**
 * Losses that are similar to another one here, or to one of stories/losses.test.ts. Only the soak
 * and `npm run losses` run them.
 */
const inSoak = it.runIf(checksAllPoints());

describe('30 of 30 imports keep uid, ClusterIP and endpoints', () => {
  it('the announcement of the exporter is deleted', (context) =>
    keepsAll(context, {
      lose: () =>
        north().shell(`kubectl delete memberclusterannounces -n ${leaderNamespace} member-announce-from-west`),
    }));

  it('the ClusterSet of the leader is deleted, and created with another name, and then with its own', (context) =>
    keepsAll(context, {
      async lose() {
        // The API server denies it while members are in the ClusterSet, unless the policy is
        // missing, as on Kubernetes 1.29.
        const remove = `kubectl delete clusterset -n ${leaderNamespace} ${clusterSetName}`;
        // A new policy takes effect when the API server has read the announcements.
        const denial = () =>
          north()
            .shell(`${remove} --dry-run=server`)
            .then(
              () => '',
              (error: unknown) => String(error),
            );
        await waits().until('it is denied', async () =>
          (await denial()).includes('members are still in this ClusterSet'),
        );
        await north().shell(`kubectl delete validatingadmissionpolicies ${leaderNamespace}-isthmus-leader-in-use`);
        await waits().until('it is deleted', () =>
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
        await waits().eventually('it is missing', () => east().view.clusterSet(), 'False LeaderClusterSetMissing');
        await leaderClusterSet('acme');
        await waits().eventually('it is not the same', () => east().view.clusterSet(), 'False OtherClusterSet');
        await pause(5_000)();
      },
      async cure() {
        await north().shell(`kubectl delete clusterset -n ${leaderNamespace} acme`);
        await leaderClusterSet(clusterSetName);
        await waits().eventually('it is the same', () => east().view.clusterSet(), 'True Connected');
      },
    }));

  it('all ResourceImports are deleted while the leader is dead', (context) =>
    keepsAll(context, {
      async lose() {
        await north().stop('leader');
        await north().shell(`kubectl delete resourceimports -n ${leaderNamespace} --all`);
      },
      meanwhile: () => waits().until('the importer reports it', async () => (await heldAt(east(), 'member')) !== ''),
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
      // "Until empty", as in the guides: an object that is deleted first is exported again while
      // others still exist.
      lose: () =>
        north().shell(
          `until test -z "$(kubectl get resourceexports -n ${leaderNamespace} -o name)"; do ` +
            `kubectl delete resourceexports -n ${leaderNamespace} --all; done`,
        ),
      async meanwhile() {
        const exported = async () => (await area())[0];
        await waits().steadily('the list is empty', exported, 0, 45_000);
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
        waits().until('the exporter reports it', async () =>
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
        waits().until('the exporter reports it', async () => (await heldAt(west(), 'member')).includes('gateways.')),
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
        await waits().eventually('they are made again', made, count);
      },
    }));

  it('the Common Area Namespace is deleted, and the leader is set up again', (context) =>
    keepsAll(context, {
      async lose() {
        await north().shell(`kubectl delete namespace ${leaderNamespace} --wait=false`);
        await pause(3_000)();
        // Its Pod is deleted with the Namespace. Objects with a finalizer of the leader wait for it
        // from then on.
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

describe('what is held goes when a person runs the command of the condition', () => {
  const command = (message: string) => /kubectl annotate clusterset .*$/.exec(message)?.[0] ?? 'false';
  const imported = async () => (await east().admin.list(ServiceImport, { namespace: 'shop' })).items.length;

  it('at a leader, of exports', async () => {
    await west().stop('member');
    await north().shell(`kubectl delete resourceexports -n ${leaderNamespace} --all`);
    await waits().until('it is held', async () => (await heldAt(north(), 'leader')).startsWith('Objects held: 31.'));
    await waits().steadily('all are kept', imported, count, 5_000);
    await north().shell(command(await heldAt(north(), 'leader')));
    await waits().eventually('the imports go', imported, 0);
    await west().start('member');
    await waits().eventually('all are imported again', imported, count);
    await waits().until('all is whole again', isMended);
  });

  it('at a member, of imports', async () => {
    await north().stop('leader');
    await north().shell(`kubectl delete resourceimports -n ${leaderNamespace} --all`);
    await waits().until('it is held', async () => (await heldAt(east(), 'member')).startsWith('Objects held: 31.'));
    await waits().steadily('all are kept', imported, count, 5_000);
    await east().shell(command(await heldAt(east(), 'member')));
    await waits().eventually('the imports go', imported, 0);
  });
});
