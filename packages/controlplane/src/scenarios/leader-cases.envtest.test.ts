import {
  ClusterClaim,
  ClusterSet,
  MemberClusterAnnounce,
  Namespace,
  ResourceExport,
  ResourceImport,
} from '@isthmus/api';
import type { ServicePort } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { AntreaMember, RealFleet } from '@isthmus/testkit';
import { auditedWrites, createAntreaMember, startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unexpectedFailures } from './testing/unexpected-failures.ts';

/**
 * One leader cluster. Each test has its own Common Area in it, with its own leader, and the tests
 * run in parallel.
 */
let fleet: RealFleet;
const members: AntreaMember[] = [];

const http: readonly ServicePort[] = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const httpOnly = [{ name: 'http', port: 80, protocol: 'TCP' }] as const;
const subsetOf = (ip: string) => ({ addresses: [{ ip }], ports: httpOnly });
const nginx = { namespace: 'default', name: 'nginx' } as const;

const north = () => fleet.leader;
const admin = () => fleet.leader.admin;

async function clusterSetIn(namespace: string, clusterID = 'north'): Promise<void> {
  await admin().create(ClusterSet, {
    metadata: { name: 'set', namespace },
    spec: { clusterID, leaders: [{ clusterID }], namespace },
  });
}

/** A Common Area with a leader and its ClusterSet. */
async function commonArea(namespace: string): Promise<void> {
  await north().startLeaderIn(namespace);
  await clusterSetIn(namespace);
}

async function member(namespace: string, clusterID: string): Promise<AntreaMember> {
  const spec = { clusterID, namespace, clusterSetID: 'set', leaderClusterID: 'north' };
  const made = await createAntreaMember(north(), spec);
  members.push(made);
  return made;
}

/** `status reason` of condition Ready. */
const clusterSet = (namespace: string, name = 'set') => north().view.clusterSet({ namespace, name });

/** Each member's entry in the status of a ClusterSet, as `cluster: type=status reason, …`. */
async function memberStatuses(namespace: string): Promise<readonly string[]> {
  const found = await admin().get(ClusterSet, { namespace, name: 'set' });
  return (found.status?.clusterStatuses ?? []).map(({ clusterID = '', conditions = [] }) => {
    const said = conditions.map(({ type, status, reason = '' }) => `${type}=${status} ${reason}`);
    return `${clusterID}: ${said.join(', ')}`;
  });
}

/**
 * The first condition of an export, the one that Antrea reads, as `type status reason: message`.
 */
async function verdict(namespace: string, name: string): Promise<string> {
  const [first] = (await admin().get(ResourceExport, { namespace, name })).status?.conditions ?? [];
  if (first === undefined) return 'none';
  return `${first.type} ${first.status} ${first.reason ?? ''}: ${first.message ?? ''}`;
}

const found = (namespace: string, name: string) => north().user.find(ResourceImport, { namespace, name });
const subsetsOf = async (namespace: string, name: string) => (await found(namespace, name))?.spec?.endpoints?.subsets;
const portsOf = async (namespace: string, name: string) =>
  (await found(namespace, name))?.spec?.serviceImport?.spec?.ports;

/** The writes so far of the leader of this Common Area. */
const leaderWrites = (namespace: string) =>
  auditedWrites(north().server, `system:serviceaccount:${namespace}:antrea-mc-controller`);

beforeAll(async () => {
  fleet = await startRealFleet({ clusters: { north: 'leader' } });
});

afterAll(async () => {
  for (const one of members) one[Symbol.dispose]();
  await fleet?.[Symbol.asyncDispose]();
});

describe('ClusterSet of a leader', () => {
  it.concurrent('the claim names the cluster where spec.clusterID is not set, the spec wins over the claim, and without both the ClusterSet reports it', async () => {
    await north().startLeaderIn('case-15');
    const leaders = [{ clusterID: 'by-spec' }];
    const metadata = { name: 'set', namespace: 'case-15' };
    await admin().create(ClusterSet, { metadata, spec: { leaders } });
    await fleet.eventually('told', () => clusterSet('case-15'), 'False ClusterIDNotSet');
    const told = await north().view.clusterSetMessage({ namespace: 'case-15', name: 'set' });
    expect(told).toBe('ClusterSet set: spec.clusterID is not set. Set it to the ID of this cluster.');

    await admin().patch(ClusterSet, metadata, { type: 'merge', body: { spec: { clusterID: 'by-spec' } } });
    await admin().create(ClusterClaim, { metadata: { name: 'id.k8s.io', namespace: 'case-15' }, value: 'by-claim' });
    await fleet.eventually('served', () => clusterSet('case-15'), 'Unknown NoMembers');
    expect((await admin().get(ClusterSet, metadata)).spec?.clusterID).toBe('by-spec');
  });

  it.concurrent('a ClusterSet without clusterID gets that of the ClusterClaim, written into its spec', async () => {
    await north().startLeaderIn('case-17');
    await admin().create(ClusterClaim, { metadata: { name: 'id.k8s.io', namespace: 'case-17' }, value: 'by-claim' });
    const metadata = { name: 'set', namespace: 'case-17' };
    await admin().create(ClusterSet, { metadata, spec: { leaders: [{ clusterID: 'by-claim' }] } });
    const written = async () => (await admin().get(ClusterSet, metadata)).spec?.clusterID;
    await fleet.eventually('the ID', written, 'by-claim');
    await fleet.eventually('served', () => clusterSet('case-17'), 'Unknown NoMembers');
  });

  it.concurrent('an edited spec is followed, and after a deletion another ClusterSet with another ID is served', async () => {
    await commonArea('case-18');
    await fleet.eventually('served', () => clusterSet('case-18'), 'Unknown NoMembers');
    const ref = { namespace: 'case-18', name: 'set' };
    const server = 'https://192.0.2.1:6443';
    const body = { spec: { leaders: [{ clusterID: 'north', server }] } };
    const edited = await admin().patch(ClusterSet, ref, { type: 'merge', body });
    const observed = async () => (await admin().get(ClusterSet, ref)).status?.observedGeneration;
    await fleet.eventually('observed', observed, edited.metadata.generation);
    expect(await clusterSet('case-18')).toBe('Unknown NoMembers');

    await admin().delete(ClusterSet, ref);
    const another = {
      metadata: { name: 'another', namespace: 'case-18' },
      spec: { clusterID: 'south', leaders: [{ clusterID: 'south' }] },
    };
    // The admission policy still knows the first ClusterSet for a moment.
    await fleet.until('the API server accepts another one', () => admin().create(ClusterSet, another));
    await fleet.eventually('served', () => clusterSet('case-18', 'another'), 'Unknown NoMembers');
  });

  it.concurrent('a ClusterSet whose leader is another cluster is rejected with the reason until it is corrected', async () => {
    await north().startLeaderIn('b22');
    const ref = { namespace: 'b22', name: 'set' };
    await admin().create(ClusterSet, {
      metadata: ref,
      spec: { clusterID: 'north', leaders: [{ clusterID: 'south' }] },
    });
    await fleet.eventually('refused', () => clusterSet('b22'), 'False InvalidLeaders');
    await admin().patch(ClusterSet, ref, { type: 'merge', body: { metadata: { labels: { looked: 'again' } } } });
    await fleet.steadily('still refused', () => clusterSet('b22'), 'False InvalidLeaders', 500);
    expect(await north().view.clusterSetMessage(ref)).toBe(
      'ClusterSet set: spec.leaders names "south", but this cluster is north. Set both to this cluster\'s ID.',
    );
    const body = { spec: { leaders: [{ clusterID: 'north' }] } };
    await admin().patch(ClusterSet, ref, { type: 'merge', body });
    await fleet.eventually('served', () => clusterSet('b22'), 'Unknown NoMembers');
  });

  it.concurrent('a cluster ID that cannot be part of names is rejected with the reason', async () => {
    await north().startLeaderIn('b24');
    await clusterSetIn('b24', 'North_1');
    await fleet.eventually('refused', () => clusterSet('b24'), 'False InvalidClusterID');
    expect(await north().view.clusterSetMessage({ namespace: 'b24', name: 'set' })).toContain(
      'cluster ID "North_1" is not valid',
    );
  });

  it.concurrent('serves the older of two ClusterSets of one Namespace, and reports it on the other', async () => {
    // It is created before the admission policy, which rejects a second one as soon as it knows the
    // first.
    await admin().create(Namespace, { metadata: { name: 'two-sets' } });
    await clusterSetIn('two-sets');
    await admin().create(ClusterSet, {
      // First by name, and still not served.
      metadata: { name: 'a-second', namespace: 'two-sets' },
      spec: { clusterID: 'north', leaders: [{ clusterID: 'north' }] },
    });
    await north().startLeaderIn('two-sets');
    const verdicts = async () => [await clusterSet('two-sets', 'a-second'), await clusterSet('two-sets')];
    // If the two were created within one second, they have the same age, and the first by name is
    // served.
    await fleet.eventually(
      'one is told',
      async () => (await verdicts()).toSorted().join(', '),
      'False MultipleClusterSets, Unknown NoMembers',
    );
  });

  it.concurrent('refuses two leaders, or none, by its schema', async () => {
    await north().startLeaderIn('leaders');
    for (const leaders of [[], [{ clusterID: 'north' }, { clusterID: 'south' }]]) {
      const metadata = { name: 'set', namespace: 'leaders' };
      await expect(admin().create(ClusterSet, { metadata, spec: { clusterID: 'north', leaders } })).rejects.toThrow(
        /spec\.leaders: (Invalid value|Too many)/,
      );
    }
  });
});

describe('MemberClusterAnnounce', () => {
  it.concurrent("the first announcement gives one status, Ready True with reason Connected, and gets the leader's finalizer", async () => {
    await commonArea('case-22');
    const east = await member('case-22', 'east');
    await east.beat();
    await fleet.eventually('seen', () => memberStatuses('case-22'), [
      'east: Ready=True Connected, ClusterConnected=True Connected',
    ]);
    expect(await clusterSet('case-22')).toBe('True AllClustersReady');
    const announce = { namespace: 'case-22', name: 'member-announce-from-east' };
    const finalizers = async () => (await admin().get(MemberClusterAnnounce, announce)).metadata.finalizers;
    await fleet.eventually('held', finalizers, ['memberclusterannounce.finalizer.antrea.io/east']);
    await east.beat();
    expect(await finalizers()).toEqual(['memberclusterannounce.finalizer.antrea.io/east']);
  });

  it.concurrent('the exports of a leaving member are removed, and no others', async () => {
    await commonArea('case-26');
    const [east, west] = [await member('case-26', 'east'), await member('case-26', 'west')];
    await east.beat();
    await west.beat();
    await east.export({ ...nginx, ports: http, subsets: [subsetOf('10.96.0.1')] });
    await west.export({ ...nginx, ports: http, subsets: [subsetOf('10.97.0.1')] });
    const merged = [subsetOf('10.96.0.1'), subsetOf('10.97.0.1')];
    await fleet.eventually('merged', () => subsetsOf('case-26', 'default-nginx-endpoints'), merged);
    // Case 27: announcements that stay remove nothing.
    await east.beat();
    const exportsOf = async () => (await north().view.commonArea('case-26')).exports;
    expect(await exportsOf()).toHaveLength(4);

    await east.leave();
    await fleet.eventually('only those of east are gone', exportsOf, [
      'west-default-nginx-endpoints',
      'west-default-nginx-service',
    ]);
    const announce = { namespace: 'case-26', name: 'member-announce-from-east' };
    await fleet.eventually('let go', () => north().user.find(MemberClusterAnnounce, announce), undefined);
    await fleet.eventually('left', async () => (await memberStatuses('case-26')).map((one) => one.split(':')[0]), [
      'west',
    ]);
    expect(await subsetsOf('case-26', 'default-nginx-endpoints')).toEqual([subsetOf('10.97.0.1')]);

    await west.leave();
    await fleet.eventually('none left', () => memberStatuses('case-26'), []);
    await fleet.eventually('all withdrawn', () => north().view.commonArea('case-26'), { exports: [], imports: [] });
  });

  it.concurrent('hostile names: of east and east-1, whose names begin alike, one leaves and the other keeps all it exports', async () => {
    // The accounts are older than the admission policy, which rejects such a pair.
    await admin().create(Namespace, { metadata: { name: 'prefixes' } });
    const [east, east1] = [await member('prefixes', 'east'), await member('prefixes', 'east-1')];
    await commonArea('prefixes');
    for (const [one, ip] of [
      [east, '10.96.0.1'],
      [east1, '10.97.0.1'],
    ] as const) {
      await one.beat();
      await one.export({ ...nginx, ports: http, subsets: [subsetOf(ip)] });
    }
    const subsets = () => subsetsOf('prefixes', 'default-nginx-endpoints');
    await fleet.eventually('both', subsets, [subsetOf('10.96.0.1'), subsetOf('10.97.0.1')]);
    await east.leave();
    await fleet.eventually('east-1 alone', subsets, [subsetOf('10.97.0.1')]);
    await fleet.eventually('what is left', () => north().view.commonArea('prefixes'), {
      exports: ['east-1-default-nginx-endpoints', 'east-1-default-nginx-service'],
      imports: ['default-nginx-endpoints', 'default-nginx-endpoints.east-1', 'default-nginx-service'],
    });
  });

  it.concurrent('nothing is removed where there are no announcements', async () => {
    await commonArea('case-29');
    const east = await member('case-29', 'east');
    await east.export({ ...nginx, ports: http, subsets: [subsetOf('10.96.0.1')] });
    await fleet.eventually('merged', () => subsetsOf('case-29', 'default-nginx-endpoints'), [subsetOf('10.96.0.1')]);
    const area = await north().view.commonArea('case-29');
    await fleet.steadily('kept', () => north().view.commonArea('case-29'), area, 1_000);
    expect(await clusterSet('case-29')).toBe('Unknown NoMembers');
  });
});

describe('ResourceExports of Services and Endpoints', () => {
  it.concurrent('the exports of one member become a Service import and an Endpoints import', async () => {
    await commonArea('case-73');
    const east = await member('case-73', 'east');
    await east.export({ ...nginx, ports: http, subsets: [subsetOf('10.96.0.1')] });
    await fleet.eventually('merged', () => subsetsOf('case-73', 'default-nginx-endpoints'), [subsetOf('10.96.0.1')]);
    await fleet.until('imported', () => found('case-73', 'default-nginx-service'));
    expect((await found('case-73', 'default-nginx-service'))?.spec).toMatchObject({
      kind: 'ServiceImport',
      namespace: 'default',
      name: 'nginx',
      serviceImport: { spec: { type: 'ClusterSetIP', ports: [{ name: 'http', port: 80, protocol: 'TCP' }] } },
    });
    for (const kind of ['service', 'endpoints']) {
      await fleet.eventually('told', () => verdict('case-73', `east-default-nginx-${kind}`), 'Succeeded True : ');
    }
  });

  it.concurrent('deleted exports with the old or the new finalizer are released, and their import is deleted', async () => {
    await commonArea('case-71');
    const [east, west] = [await member('case-71', 'east'), await member('case-71', 'west')];
    await east.export(
      { ...nginx, ports: http, subsets: [subsetOf('10.96.0.1')] },
      'resourceexport.finalizers.antrea.io',
    );
    await west.export({ ...nginx, ports: http, subsets: [subsetOf('10.97.0.1')] });
    const merged = [subsetOf('10.96.0.1'), subsetOf('10.97.0.1')];
    await fleet.eventually('merged', () => subsetsOf('case-71', 'default-nginx-endpoints'), merged);
    await Promise.all([east.unexport(nginx), west.unexport(nginx)]);
    await fleet.eventually('gone', () => north().view.commonArea('case-71'), { exports: [], imports: [] });
  });

  it.concurrent('with different ports of two members the import has the union, and both report the conflict', async () => {
    await commonArea('case-77');
    const [east, west] = [await member('case-77', 'east'), await member('case-77', 'west')];
    await east.export({ ...nginx, ports: http, subsets: [subsetOf('10.96.0.1')] });
    await fleet.until('imported', () => found('case-77', 'default-nginx-service'));
    const admins = [{ name: 'admin', protocol: 'TCP', port: 9000, targetPort: 9000 }] as const;
    await west.export({
      ...nginx,
      ports: admins,
      subsets: [{ addresses: [{ ip: '10.97.0.1' }], ports: [{ name: 'admin', port: 9000, protocol: 'TCP' }] }],
    });
    const names = async () => (await portsOf('case-77', 'default-nginx-service'))?.map(({ name }) => name);
    await fleet.until('the union', async () => (await names())?.length === 2);
    expect((await names())?.toSorted()).toEqual(['admin', 'http']);
    for (const cluster of ['east', 'west']) {
      const ref = { namespace: 'case-77', name: `${cluster}-default-nginx-service` };
      await fleet.eventually(
        'told',
        async () => conditionOf((await admin().get(ResourceExport, ref)).status?.conditions, 'Conflict')?.reason,
        'PortConflict',
      );
      expect(await verdict('case-77', ref.name)).toBe('Succeeded True : ');
    }
  });

  it.concurrent('of two Services whose import would have one name the first keeps it; the other has a dot in its name, and its deletion leaves the import in place', async () => {
    await commonArea('case-79');
    const [east, west] = [await member('case-79', 'east'), await member('case-79', 'west')];
    const [first, second] = [
      { namespace: 'prod', name: 'web-api' },
      { namespace: 'prod-web', name: 'api' },
    ] as const;
    await west.export({ ...second, ports: http, subsets: [subsetOf('10.97.0.1')] });
    const ofWest = [subsetOf('10.97.0.1')];
    await fleet.eventually('west came first', () => subsetsOf('case-79', 'prod-web-api-endpoints'), ofWest);
    const made = (await admin().get(ResourceExport, { namespace: 'case-79', name: 'west-prod-web-api-service' }))
      .metadata;
    await fleet.until(
      'the second of the first export is over',
      async () => Date.now() >= Date.parse(made.creationTimestamp ?? '') + 1_000,
    );
    await east.export({ ...first, ports: http, subsets: [subsetOf('10.96.0.1')] });
    await fleet.eventually('east has another', () => subsetsOf('case-79', 'prod.web-api-endpoints'), [
      subsetOf('10.96.0.1'),
    ]);
    await fleet.eventually(
      'east is told',
      () => verdict('case-79', 'east-prod-web-api-service'),
      'Succeeded True : Published as ResourceImport prod.web-api-service, because another Service had the name prod-web-api-service when it was published. Isthmus members of earlier releases do not import it',
    );
    expect(await subsetsOf('case-79', 'prod-web-api-endpoints')).toEqual(ofWest);

    await east.unexport(first);
    const left = async () => (await north().view.commonArea('case-79')).exports;
    await fleet.eventually('east is let go', left, ['west-prod-web-api-endpoints', 'west-prod-web-api-service']);
    expect(await subsetsOf('case-79', 'prod-web-api-endpoints')).toEqual(ofWest);
    expect((await found('case-79', 'prod-web-api-service'))?.spec).toMatchObject(second);
    expect(await found('case-79', 'prod.web-api-service')).toBeUndefined();
  });

  it.concurrent('an import that somebody wrote by hand is neither changed nor deleted, and the exporter reports it', async () => {
    await commonArea('case-81');
    const byHand = await admin().create(ResourceImport, {
      metadata: { name: 'default-nginx-service', namespace: 'case-81' },
      spec: {
        kind: 'ServiceImport',
        namespace: 'other',
        name: 'thing',
        serviceImport: { spec: { type: 'ClusterSetIP', ports: [] } },
      },
    });
    const east = await member('case-81', 'east');
    await east.export({ ...nginx, ports: http, subsets: [subsetOf('10.96.0.1')] });
    await fleet.eventually(
      'told',
      () => verdict('case-81', 'east-default-nginx-service'),
      'Failure False ConvergeFailure: ResourceImport default-nginx-service exists and was not created by this leader. Delete it, or export the Service under another name.',
    );
    await east.unexport(nginx);
    await fleet.eventually('let go', async () => (await north().view.commonArea('case-81')).exports, []);
    expect(await found('case-81', 'default-nginx-service')).toEqual(byHand);
  });

  it.concurrent('exports without payload, and a second export of one cluster under another name, report it and are left out of the merge', async () => {
    await commonArea('case-82');
    const [east, west] = [await member('case-82', 'east'), await member('case-82', 'west')];
    await east.export({ ...nginx, ports: http, subsets: [subsetOf('10.96.0.1')] });
    await west.export({ ...nginx, ports: http, subsets: [subsetOf('10.97.0.1')] });
    const [ofEast, ofWest] = [subsetOf('10.96.0.1'), subsetOf('10.97.0.1')];
    await fleet.eventually('merged', () => subsetsOf('case-82', 'default-nginx-endpoints'), [ofEast, ofWest]);

    const westEndpoints = { namespace: 'case-82', name: 'west-default-nginx-endpoints' };
    await admin().patch(ResourceExport, westEndpoints, { type: 'merge', body: { spec: { endpoints: null } } });
    const second = await east.client.get(ResourceExport, {
      namespace: 'case-82',
      name: 'east-default-nginx-endpoints',
    });
    const { labels, finalizers } = second.metadata;
    await admin().create(ResourceExport, {
      metadata: { name: 'east-again', namespace: 'case-82', labels, finalizers },
      spec: { ...second.spec, endpoints: { subsets: [subsetOf('10.9.9.9')] } },
    });
    await fleet.eventually('without them', () => subsetsOf('case-82', 'default-nginx-endpoints'), [ofEast]);
    await fleet.eventually(
      'west is told',
      () => verdict('case-82', westEndpoints.name),
      'Failure False ConvergeFailure: Not merged: spec.endpoints is missing. The exporting member must correct it.',
    );
    await fleet.eventually(
      'east is told',
      () => verdict('case-82', 'east-again'),
      'Failure False ConvergeFailure: Not merged: the name must be east-default-nginx-endpoints to match spec. The exporting member must correct it.',
    );
    const westService = { namespace: 'case-82', name: 'west-default-nginx-service' };
    await admin().patch(ResourceExport, westService, { type: 'merge', body: { spec: { service: null } } });
    await fleet.eventually(
      'west is told',
      () => verdict('case-82', westService.name),
      'Failure False ConvergeFailure: Not merged: spec.service.serviceSpec is missing. The exporting member must correct it.',
    );
    expect(await verdict('case-82', 'east-default-nginx-service')).toBe('Succeeded True : ');
  });

  it.concurrent('the import is the union of the existing exports: of both members, then one, then none', async () => {
    await commonArea('case-85');
    const [east, west] = [await member('case-85', 'east'), await member('case-85', 'west')];
    await east.export({ ...nginx, ports: http, subsets: [subsetOf('10.96.0.1')] });
    await west.export({ ...nginx, ports: http, subsets: [subsetOf('10.97.0.1')] });
    const subsets = () => subsetsOf('case-85', 'default-nginx-endpoints');
    await fleet.eventually('the union', subsets, [subsetOf('10.96.0.1'), subsetOf('10.97.0.1')]);
    const uid = (await found('case-85', 'default-nginx-service'))?.metadata.uid;
    await east.unexport(nginx);
    await fleet.eventually('west alone', subsets, [subsetOf('10.97.0.1')]);
    expect((await found('case-85', 'default-nginx-service'))?.metadata.uid).toBe(uid);
    await west.unexport(nginx);
    await fleet.eventually('gone', () => north().view.commonArea('case-85'), { exports: [], imports: [] });
  });

  it.concurrent('an import that somebody deletes or edits comes back as it was', async () => {
    await commonArea('b5');
    const east = await member('b5', 'east');
    await east.export({ ...nginx, ports: http, subsets: [subsetOf('10.96.0.1')] });
    const specs = async () =>
      (await admin().list(ResourceImport, { namespace: 'b5' })).items.map(({ metadata, spec }) => [
        metadata.name,
        spec,
      ]);
    await fleet.until('imported', () => found('b5', 'default-nginx-service'));
    const before = await specs();
    expect(before).toHaveLength(3);
    for (const name of ['default-nginx-service', 'default-nginx-endpoints', 'default-nginx-endpoints.east']) {
      await admin().delete(ResourceImport, { namespace: 'b5', name });
      await fleet.eventually(`${name} is back`, specs, before);
    }
    const body = { spec: { serviceImport: { spec: { ports: [{ name: 'evil', port: 666 }] } } } };
    await admin().patch(ResourceImport, { namespace: 'b5', name: 'default-nginx-service' }, { type: 'merge', body });
    await fleet.eventually('the edit is undone', specs, before);
  });

  it('a leader that restarts on existing objects writes nothing', async () => {
    const writes = leaderWrites('b5').length;
    expect(writes).toBeGreaterThan(0);
    await north().stop('leader', 'b5');
    await north().start('leader', { namespace: 'b5' });
    // Its reaction to a new export shows that it has processed the old ones.
    const ref = { namespace: 'default', name: 'later' };
    await admin().create(ResourceExport, {
      metadata: {
        name: 'east-default-later-service',
        namespace: 'b5',
        labels: { sourceClusterID: 'east' },
        finalizers: ['resourceexport.antrea.io/finalizer'],
      },
      spec: { clusterID: 'east', kind: 'Service', ...ref, service: { serviceSpec: { ports: http } } },
    });
    await fleet.until('the new export is merged', () => found('b5', 'default-later-service'));
    expect(
      leaderWrites('b5')
        .slice(writes)
        // The heartbeat in the status of the ClusterSet is due once a minute.
        .filter((write) => !write.includes('later') && !/clustersets\/\S+\/status/.test(write)),
    ).toEqual([]);
  });
});

it('no reconcile of any leader has failed', () => {
  expect(unexpectedFailures(fleet)).toEqual([]);
});
