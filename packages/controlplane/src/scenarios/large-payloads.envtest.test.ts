import {
  ClusterInfoImport,
  Finalizer,
  LabelIdentity,
  ResourceExport,
  ResourceImport,
  labelIdentityExportName,
  labelIdentityHash,
} from '@isthmus/api';
import type { AntreaMember, RealFleet } from '@isthmus/testkit';
import { clusterSetName, leaderNamespace, memberNamespace } from '@isthmus/fleet-sim';
import { createAntreaMember, startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const namespace = leaderNamespace;
const http = [{ name: 'http', protocol: 'TCP', port: 80 }] as const;
const serviceCIDR = '10.97.0.0/16';
const subsets = [{ addresses: [{ ip: '10.97.1.5' }], ports: http }];
/** An API server accepts 1.5 MB for one object. */
const megabyte = 1_000_000;

/**
 * An API server accepts none of a member, so an administrator writes them, in the name of an Antrea
 * member; the leader and east are ours.
 */
describe('a megabyte in one export', () => {
  let fleet: RealFleet;
  let west: AntreaMember;
  let exported = 0;

  beforeAll(async () => {
    fleet = await startRealFleet({
      clusters: { north: 'leader', east: 'member' },
      serviceCIDRs: { east: '10.98.0.0/16' },
      stretched: true,
    });
    await fleet.cluster('east').user.namespace('shop');
    west = await createAntreaMember(fleet.leader, {
      clusterID: 'west',
      namespace,
      clusterSetID: clusterSetName,
      leaderClusterID: 'north',
    });
    await west.beat();
  });
  afterAll(async () => {
    west?.[Symbol.dispose]();
    await fleet?.[Symbol.asyncDispose]();
  });

  const labelsOf = (sourceKind: string) => ({ sourceKind, sourceClusterID: 'west' });
  const importOf = (name: string) => fleet.leader.user.find(ResourceImport, { namespace, name });
  const messages = async (name: string) =>
    (await fleet.leader.user.find(ResourceExport, { namespace, name }))?.status?.conditions?.map(
      ({ message }) => message,
    );
  const sizeOf = (object: unknown) => JSON.stringify(object).length;
  /** A Service that is exported later is still imported. */
  const goesOn = async () => {
    const name = `cart-${(exported += 1)}`;
    await west.beat();
    await west.export({ namespace: 'shop', name, ports: http, subsets });
    const east = fleet.cluster('east');
    await fleet.until('it is imported', async () => (await east.view.slices({ namespace: 'shop', name })).length > 0);
  };

  it('of ranges is used up to its first 64, and reported', async () => {
    const podCIDRs = Array.from(
      { length: 60_000 },
      (_, n) => `10.${100 + (n >> 14)}.${(n >> 6) & 255}.${(n & 63) * 4}/30`,
    );
    const clusterInfo = {
      clusterID: 'west',
      serviceCIDR,
      gatewayInfos: [{ gatewayIP: '192.0.2.10' }],
      podCIDRs,
    };
    const name = 'west-clusterinfo';
    const object: ResourceExport = {
      metadata: { name, namespace, labels: labelsOf('ClusterInfo'), finalizers: [Finalizer.resourceExport] },
      spec: { clusterID: 'west', name, namespace: memberNamespace, kind: 'ClusterInfo', clusterInfo },
    };
    expect(sizeOf(object)).toBeGreaterThan(megabyte);
    await fleet.leader.admin.create(ResourceExport, object);
    const inEast = () =>
      fleet.cluster('east').user.find(ClusterInfoImport, { namespace: memberNamespace, name: 'west-clusterinfo' });
    await fleet.until('east knows the network', async () => (await inEast()) !== undefined);
    const known = await inEast();
    expect(known?.spec?.podCIDRs?.length ?? 0).toBeLessThanOrEqual(64);
    expect(sizeOf(known)).toBeLessThan(10_000);
    await fleet.until('it is reported', async () => String(await messages(name)).includes('more than 64 Pod CIDRs'));
    await goesOn();
  });

  it('of labels is published with a number, to the other members too', async () => {
    const pairs = Array.from({ length: 15_000 }, (_, n) => `l${String(n).padStart(5, '0')}=${'v'.repeat(60)}`);
    const long = `ns:kubernetes.io/metadata.name=shop&pod:${pairs.join(',')}`;
    expect(long.length).toBeGreaterThan(megabyte);
    const hash = labelIdentityHash(long);
    await fleet.leader.admin.create(ResourceExport, {
      metadata: { name: labelIdentityExportName('west', hash), namespace, labels: labelsOf('LabelIdentity') },
      spec: { clusterID: 'west', kind: 'LabelIdentity', labelIdentity: { normalizedLabel: long } },
    });
    await fleet.until('it has a number', async () => (await importOf(hash))?.spec?.labelIdentity?.id !== undefined);
    const inEast = () => fleet.cluster('east').user.find(LabelIdentity, { name: hash });
    await fleet.until('east has it', async () => (await inEast())?.spec?.label === long);
    await goesOn();
  });

  it('of a policy is published as it is, and a cluster without an engine for it reports so', async () => {
    const ingress = Array.from({ length: 9_000 }, (_, n) => ({
      action: 'Drop',
      name: `rule-${n}`,
      from: [{ podSelector: { matchLabels: { app: `client-${n}` } }, namespaceSelector: {} }],
    }));
    const spec = { priority: 1, tier: 'securityops', appliedTo: [{ namespaceSelector: {} }], ingress };
    expect(sizeOf(spec)).toBeGreaterThan(megabyte);
    await fleet.leader.admin.create(ResourceExport, {
      metadata: { name: 'large', namespace },
      spec: { kind: 'AntreaClusterNetworkPolicy', name: 'large', clusterNetworkPolicy: spec },
    });
    const published = () => importOf('large-antreaclusternetworkpolicy');
    await fleet.until('it is published', async () => (await published()) !== undefined);
    expect((await published())?.spec?.clusternetworkpolicy).toEqual(spec);
    await fleet.until('east reports it', async () => String(await messages('large')).includes('east'));
    await goesOn();
  });
});
