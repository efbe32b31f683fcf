import {
  ClusterRole,
  ClusterRoleBinding,
  ClusterSet,
  CustomResourceDefinition,
  Namespace,
  Role,
  Secret,
  ServiceImport,
} from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  clusterSetCondition,
  clusterSetName,
  createVirtualFleet,
  eventsOf,
  exportCart,
  exportCondition,
  importedSlices,
  leaderSecret,
  memberNamespace,
  unexportService,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const name = 'member';

async function fleetWithShop(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({
    clusters: { north: 'leader', east: 'member', west: 'member' },
    endpointIPType: 'PodIP',
  });
  fleet.cluster('east').server.admin.put(Namespace, { metadata: { name: cart.namespace } });
  return fleet;
}

/**
 * The controller of the cluster loses its ClusterRoleBinding until the returned function is called.
 */
function unbind({ server: { admin } }: VirtualCluster): () => void {
  const found = admin.get(ClusterRoleBinding, { namespace: '', name });
  if (found === undefined) throw new Error('the member has no ClusterRoleBinding');
  const { roleRef, subjects } = found;
  admin.delete(ClusterRoleBinding, { namespace: '', name });
  return () => void admin.put(ClusterRoleBinding, { metadata: { name }, roleRef, subjects });
}

const isImported = (cluster: VirtualCluster) =>
  conditionOf(cluster.server.admin.get(ServiceImport, cart)?.status?.conditions, 'Ready')?.status === 'True' &&
  importedSlices(cluster).length === 1;
const ready = (cluster: VirtualCluster) => clusterSetCondition(cluster);

describe('a controller that its own cluster no longer lets work', () => {
  it('reports on the ClusterSet what it is not allowed to do, and the command that corrects it, until it may again', async () => {
    await using fleet = await fleetWithShop();
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    const bind = unbind(east);
    exportCart(west, '10.20.1.5');
    await fleet.until('it is reported', () => ready(east) === 'False AccessDenied', 11_000);
    const message = conditionOf(
      east.server.admin.get(ClusterSet, { namespace: memberNamespace, name: clusterSetName })?.status?.conditions,
      'Ready',
    )?.message;
    expect(message).toContain('does not allow the controller to create serviceimports.multicluster.x-k8s.io');
    expect(message).toMatch(
      /Run: kubectl apply -f deploy\/member\.yaml, with the settings that you changed in it \(with Helm: helm upgrade\)$/,
    );
    bind();
    await fleet.until('it may again', () => ready(east) === 'True Connected', 40_000);
    await fleet.until('it is imported', () => isImported(east), 60_000);
  });

  it('does not report what was denied for less than five seconds', async () => {
    await using fleet = await fleetWithShop();
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    const bind = unbind(east);
    exportCart(west, '10.20.1.5');
    await fleet.clock.advance(4_000);
    bind();
    const seen = new Set<string>();
    await fleet.until('it is imported', () => seen.add(ready(east)) && isImported(east), 60_000);
    expect([...seen]).toEqual(['True Connected']);
  });

  it('works again ten seconds after the correction, however long it was denied, and reports nothing else meanwhile', async () => {
    await using fleet = await fleetWithShop();
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    const bind = unbind(east);
    exportCart(west, '10.20.1.5');
    // By then every watch has ended, and waits long between two attempts.
    await fleet.clock.advance(900_000);
    expect(ready(east)).toBe('False AccessDenied');
    const seen = new Set<string>();
    east.server.admin.onChange(() => void seen.add(ready(east)));
    bind();
    await fleet.until('it may again', () => ready(east) === 'True Connected', 10_000);
    await fleet.until('it is imported', () => isImported(east), 10_000);
    expect([...seen]).not.toContain('True OutdatedManifests');
  });

  it('reports a ClusterRole that lacks a verb, also where nothing is tried any more', async () => {
    await using fleet = await fleetWithShop();
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    const { admin } = east.server;
    const role = admin.get(ClusterRole, { namespace: '', name });
    if (role === undefined) throw new Error('the member has no ClusterRole');
    const rules = role.rules
      ?.map((rule) => ({ ...rule, verbs: rule.verbs.filter((verb) => verb !== 'create') }))
      .filter(({ verbs }) => verbs.length > 0);
    admin.put(ClusterRole, { metadata: { name }, rules });
    exportCart(west, '10.20.1.5');
    await fleet.until('it is reported', () => ready(east) === 'False AccessDenied', 11_000);
    await fleet.clock.advance(60_000);
    expect(ready(east)).toBe('False AccessDenied');
    admin.put(ClusterRole, { metadata: { name }, rules: role.rules });
    await fleet.until('it may again', () => ready(east) === 'True Connected', 15_000);
  });

  it('reports that it may not write the status of ServiceExports, on the ClusterSet and by an Event on the ServiceExport', async () => {
    await using fleet = await fleetWithShop();
    const west = fleet.cluster('west');
    const { admin } = west.server;
    const role = admin.get(ClusterRole, { namespace: '', name });
    if (role === undefined) throw new Error('the member has no ClusterRole');
    const rules = role.rules?.map((rule) => ({
      ...rule,
      resources: rule.resources?.filter((resource) => resource !== 'serviceexports/status'),
    }));
    admin.put(ClusterRole, { metadata: { name }, rules: rules?.filter(({ resources }) => resources?.length !== 0) });
    exportCart(west, '10.20.1.5');
    await fleet.until('it is reported', () => ready(west) === 'False AccessDenied', 11_000);
    expect(eventsOf(west)).toContainEqual(expect.stringMatching(/^StatusRejected ServiceExport\/cart: .*forbidden/));
    admin.put(ClusterRole, { metadata: { name }, rules: role.rules });
    await fleet.until('it may again', () => exportCondition(west, 'Ready') === 'True Exported', 15_000);
    await fleet.until('and is Ready', () => ready(west) === 'True Connected', 15_000);
  });

  it('works again when it may get an object whose name its ClusterRole contains', async () => {
    await using fleet = await fleetWithShop();
    const west = fleet.cluster('west');
    const { admin } = west.server;
    exportCart(west, '10.20.1.5');
    await fleet.until('it is exported', () => exportCondition(west, 'Ready') === 'True Exported', 15_000);
    const role = admin.get(ClusterRole, { namespace: '', name });
    if (role === undefined) throw new Error('the member has no ClusterRole');
    const rules = role.rules?.filter(({ resources }) => resources?.includes('customresourcedefinitions') !== true);
    admin.put(ClusterRole, { metadata: { name }, rules });
    unexportService(west);
    await fleet.until('it is reported', () => ready(west) === 'False AccessDenied', 15_000);
    admin.put(ClusterRole, { metadata: { name }, rules: role.rules });
    await fleet.until('it may again', () => ready(west) === 'True Connected', 15_000);
  });

  it('reports nothing of the kind where admission alone rejects a write', async () => {
    await using fleet = await fleetWithShop();
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    fleet.link('east-member', 'east').add({
      match: ({ method, path }) => method !== 'GET' && path.includes('/serviceimports'),
      fault: { kind: 'status', code: 403 },
    });
    exportCart(west, '10.20.1.5');
    await fleet.clock.advance(30_000);
    expect(isImported(east)).toBe(false);
    expect(ready(east)).toBe('True Connected');
  });
});

describe('a member whose Role is limited to Secrets by name', () => {
  const secretName = 'next-token';
  const clusterSetRef = { namespace: memberNamespace, name: clusterSetName };
  const message = ({ server: { admin } }: VirtualCluster) =>
    conditionOf(admin.get(ClusterSet, clusterSetRef)?.status?.conditions, 'Ready')?.message;

  function limitSecrets({ server: { admin } }: VirtualCluster, ...resourceNames: readonly string[]): void {
    const role = admin.get(Role, { namespace: memberNamespace, name });
    const rules = role?.rules?.map((rule) =>
      rule.resources?.includes('secrets') === true ? { ...rule, resourceNames } : rule,
    );
    admin.put(Role, { metadata: { name, namespace: memberNamespace }, rules });
  }

  /** The ClusterSet names another Secret, which has the same token. */
  function nameNextSecret({ server: { admin } }: VirtualCluster): void {
    const { data } = admin.get(Secret, leaderSecret) ?? {};
    admin.put(Secret, { metadata: { name: secretName, namespace: memberNamespace }, data });
    const [leader] = admin.get(ClusterSet, clusterSetRef)?.spec?.leaders ?? [];
    admin.patch(ClusterSet, clusterSetRef, { spec: { leaders: [{ ...leader, secret: secretName }] } });
  }

  it('stays connected, and reports nothing, while it may read the Secret that the ClusterSet names', async () => {
    await using fleet = await fleetWithShop();
    const east = fleet.cluster('east');
    limitSecrets(east, leaderSecret.name);
    await fleet.clock.advance(60_000);
    expect(ready(east)).toBe('True Connected');
    limitSecrets(east, leaderSecret.name, secretName);
    nameNextSecret(east);
    exportCart(fleet.cluster('west'), '10.20.1.5');
    await fleet.until('it is imported', () => isImported(east), 60_000);
    expect(ready(east)).toBe('True Connected');
  });

  it('keeps its imports and names the Secret that it may not read, until it may', async () => {
    await using fleet = await fleetWithShop();
    const east = fleet.cluster('east');
    exportCart(fleet.cluster('west'), '10.20.1.5');
    await fleet.until('it is imported', () => isImported(east), 60_000);
    limitSecrets(east, leaderSecret.name);
    nameNextSecret(east);
    await fleet.until('it is reported', () => ready(east) === 'False AccessDenied', 11_000);
    expect(message(east)).toContain(`Secret ${memberNamespace}/${secretName}`);
    await fleet.clock.advance(120_000);
    expect([ready(east), importedSlices(east).length]).toEqual(['False AccessDenied', 1]);
    limitSecrets(east, secretName);
    await fleet.until('it may', () => ready(east) === 'True Connected', 15_000);
  });

  it('reports a Secret that it may no longer read, and works with its token meanwhile', async () => {
    await using fleet = await fleetWithShop();
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    limitSecrets(east, 'another');
    // By then no watch has ended.
    await fleet.clock.advance(900_000);
    expect(ready(east)).toBe('False AccessDenied');
    expect(message(east)).toContain(`secrets named ${leaderSecret.name}`);
    exportCart(west, '10.20.1.5');
    await fleet.until('it is imported', () => isImported(east), 60_000);
    limitSecrets(east, leaderSecret.name);
    await fleet.until('it may', () => ready(east) === 'True Connected', 15_000);
  });

  it('forgets a Secret that it may not read when the ClusterSet names another one', async () => {
    await using fleet = await fleetWithShop();
    const east = fleet.cluster('east');
    const leaders = east.server.admin.get(ClusterSet, clusterSetRef)?.spec?.leaders;
    limitSecrets(east, leaderSecret.name);
    nameNextSecret(east);
    await fleet.until('it is reported', () => ready(east) === 'False AccessDenied', 11_000);
    east.server.admin.patch(ClusterSet, clusterSetRef, { spec: { leaders } });
    await fleet.until('it is connected', () => ready(east) === 'True Connected', 15_000);
  });
});

describe('a member without the definition of a kind that it needs', () => {
  it('is not Ready, and names the kind, until the definition is back', async () => {
    await using fleet = await fleetWithShop();
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    const { admin } = east.server;
    const definition = { namespace: '', name: 'serviceimports.multicluster.x-k8s.io' };
    const spec = admin.get(CustomResourceDefinition, definition)?.spec;
    if (spec === undefined) throw new Error('the member has no definition');
    admin.delete(CustomResourceDefinition, definition);
    exportCart(west, '10.20.1.5');
    await fleet.until('it is reported', () => ready(east) === 'False KindsMissing', 5_000);
    admin.put(CustomResourceDefinition, { metadata: { name: definition.name }, spec });
    await fleet.until('it works again', () => ready(east) === 'True Connected' && isImported(east), 60_000);
  });
});
