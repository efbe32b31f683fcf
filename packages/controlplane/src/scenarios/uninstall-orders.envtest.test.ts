import { ClusterSet, ResourceExport, Service } from '@isthmus/api';
import type { RealCluster, RealFleet } from '@isthmus/testkit';
import { clusterSetName, leaderNamespace, memberNamespace } from '@isthmus/fleet-sim';
import { startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * Each member is uninstalled in a different order, and the leader last, with members that have not
 * left.
 */
let fleet: RealFleet;
const member = (name: string) => fleet.cluster(name);
const cart = { namespace: 'shop', name: 'cart' };
const clusterSet = `clusterset ${clusterSetName} -n ${memberNamespace}`;

beforeAll(async () => {
  fleet = await startRealFleet({
    clusters: { orderly: 'member', early: 'member', first: 'member', stays: 'member', north: 'leader' },
    kubeControllers: [
      'namespace-controller',
      'serviceaccount-controller',
      'serviceaccount-token-controller',
      'garbage-collector-controller',
      'endpointslice-controller',
    ],
  });
  for (const name of ['orderly', 'early', 'first', 'stays']) {
    await member(name).user.namespace(cart.namespace);
    await member(name).user.exportService(cart, [{ name: 'http', protocol: 'TCP', port: 80 }], '10.20.1.5');
  }
  for (const name of ['orderly', 'early', 'first', 'stays'])
    await fleet.eventually(`${name} imports`, () => member(name).view.imported(cart), 'True Ready');
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

const lines = ({ stdout }: { readonly stdout: string }) => stdout.split('\n').filter((line) => line.trim() !== '');

/** The objects of Isthmus that a cluster still has, by name or by label. */
async function leftIn(cluster: RealCluster): Promise<readonly string[]> {
  const kinds =
    'crd,clusterrole,clusterrolebinding,validatingadmissionpolicy,validatingadmissionpolicybinding,validatingwebhookconfiguration,mutatingwebhookconfiguration';
  const named = await cluster.shell(`kubectl get ${kinds} -o name | grep -E 'multicluster|isthmus' || true`);
  const imported = await cluster.shell(`kubectl get services,endpointslices -A -o name | grep antrea-mc- || true`);
  return [...lines(named), ...lines(imported)];
}

/**
 * A user can keep using the cluster: objects that do not belong to Isthmus are neither rejected nor
 * blocked.
 */
async function works(cluster: RealCluster): Promise<void> {
  await cluster.shell(
    'kubectl create namespace after && kubectl create service clusterip web -n after --tcp=80 && kubectl delete namespace after --timeout=120s',
  );
  expect(await cluster.user.find(Service, cart)).toBeDefined();
}

const uninstall = async ({ shell, manifest }: RealCluster, role = 'member'): Promise<void> => {
  await shell('kubectl delete --ignore-not-found --timeout=500s -f -', await manifest(`deploy/${role}.yaml`));
};

const exportsOf = async (clusterID: string) =>
  (await fleet.leader.admin.list(ResourceExport, { namespace: leaderNamespace })).items.filter(
    ({ spec }) => spec?.clusterID === clusterID,
  ).length;

describe('a member', () => {
  it('that leaves before its controller is removed, as documented, leaves nothing, here and at the leader', async () => {
    const { shell, stop } = member('orderly');
    await shell(`kubectl delete ${clusterSet} --timeout=120s`);
    expect(await exportsOf('orderly')).toBe(0);
    await stop();
    await uninstall(member('orderly'));
    expect(await leftIn(member('orderly'))).toEqual([]);
    await works(member('orderly'));
  });

  it('whose controller was stopped too early leaves when it is started again', async () => {
    const { shell, stop, start } = member('early');
    await stop();
    await shell(`kubectl delete ${clusterSet} --wait=false`);
    await start();
    await shell(`kubectl wait --for=delete ${clusterSet} --timeout=120s`);
    expect(await exportsOf('early')).toBe(0);
    await stop();
    await uninstall(member('early'));
    expect(await leftIn(member('early'))).toEqual([]);
    await works(member('early'));
  });

  it('whose manifest was deleted first keeps its imports until the manifest is applied again, and then leaves', async () => {
    const { shell, manifest, stop, start, user } = member('first');
    await stop();
    await shell('kubectl delete --ignore-not-found --wait=false -f -', await manifest('deploy/member.yaml'));
    const ref = { namespace: memberNamespace, name: clusterSetName };
    await fleet.until('it waits for its controller', async () => {
      const found = await user.find(ClusterSet, ref);
      return found?.metadata.deletionTimestamp !== undefined;
    });
    await works(member('first'));
    await shell('kubectl apply -f -', await manifest('deploy/member.yaml'));
    await start();
    await shell(`kubectl wait --for=delete ${clusterSet} --timeout=120s`);
    expect(await exportsOf('first')).toBe(0);
    await stop();
    await uninstall(member('first'));
    expect(await leftIn(member('first'))).toEqual([]);
    await works(member('first'));
  });
});

describe('a leader that is removed before its members', () => {
  it('waits with what they exported until the manifest is applied again; members keep their imports, and leave without it', async () => {
    const { shell, manifest, stop, start } = fleet.leader;
    const text = await manifest('deploy/leader.yaml');
    await stop();
    await shell('kubectl delete --ignore-not-found --wait=false -f -', text);
    await shell('kubectl apply -f -', text);
    await start();
    await shell(`kubectl wait --for=delete crd resourceexports.multicluster.crd.antrea.io --timeout=300s`);
    await stop();
    await uninstall(fleet.leader, 'leader');
    await shell(`kubectl delete namespace ${leaderNamespace} --timeout=300s`);
    expect(await leftIn(fleet.leader)).toEqual([]);
    await shell('kubectl create namespace after && kubectl delete namespace after --timeout=120s');
    const stays = member('stays');
    expect(await stays.view.imported(cart)).toBe('True Ready');
    await stays.shell(`kubectl delete ${clusterSet} --timeout=200s`);
    await stays.stop();
    await uninstall(stays);
    expect(await leftIn(stays)).toEqual([]);
    await works(stays);
  });
});
