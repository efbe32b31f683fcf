import {
  ClusterSet,
  EndpointSlice,
  Endpoints,
  FixedName,
  Label,
  Namespace,
  ResourceImport,
  Service,
  ServiceImport,
} from '@isthmus/api';
import type { EndpointSubset, ServicePort } from '@isthmus/api';
import type { NamespacedRef, RealFleet } from '@isthmus/testkit';
import { clusterSetName, leaderNamespace, memberNamespace } from '@isthmus/fleet-sim';
import { startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unexpectedFailures } from './testing/unexpected-failures.ts';

/** Each test has its own Namespace. */
let fleet: RealFleet;
const west = () => fleet.cluster('west');
const east = () => fleet.cluster('east');
const north = () => fleet.leader;

const http: readonly ServicePort[] = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const httpOnly = [{ name: 'http', protocol: 'TCP', port: 80 }] as const;

beforeAll(async () => {
  fleet = await startRealFleet({ clusters: { east: 'member', west: 'member', north: 'leader' } });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

async function namespaces(name: string): Promise<void> {
  await Promise.all([east().user.namespace(name), west().user.namespace(name)]);
}

/**
 * Writes an import by hand, as an Antrea leader would. The leader of this fleet does not change it,
 * because no export proves that a leader made it.
 */
async function putImport(name: string, spec: unknown): Promise<void> {
  await north().user.put(ResourceImport, { metadata: { name, namespace: leaderNamespace }, spec } as ResourceImport);
}

async function putServiceImport(
  { namespace, name }: NamespacedRef,
  ports: readonly ServicePort[] = httpOnly,
): Promise<void> {
  const serviceImport = { spec: { type: 'ClusterSetIP', ports } };
  await putImport(`${namespace}-${name}-service`, { kind: 'ServiceImport', namespace, name, serviceImport });
}

async function putEndpointsImport(
  { namespace, name }: NamespacedRef,
  subsets: readonly EndpointSubset[],
): Promise<void> {
  await putImport(`${namespace}-${name}-endpoints`, { kind: 'Endpoints', namespace, name, endpoints: { subsets } });
}

async function removeImports({ namespace, name }: NamespacedRef): Promise<void> {
  for (const kind of ['service', 'endpoints']) {
    await north().user.remove(ResourceImport, { namespace: leaderNamespace, name: `${namespace}-${name}-${kind}` });
  }
}

const derived = ({ namespace, name }: NamespacedRef) => ({ namespace, name: `antrea-mc-${name}` });
const memberClusterSet = { kind: 'ClusterSet', namespace: memberNamespace, name: clusterSetName };
const importEvents = ({ namespace, name }: NamespacedRef) =>
  west().view.events({ kind: 'ServiceImport', namespace, name });

// Imports that are deleted at the same time without a mark count as lost and are held. So their
// tests run alone.
describe('imports', () => {
  it('a Service import becomes a Service and a ServiceImport, an Endpoints import becomes slices, and all are removed with their imports', async () => {
    const ref = { namespace: 'case-107', name: 'web' };
    await west().user.namespace(ref.namespace);
    await putServiceImport(ref);
    await fleet.until('imported', () => west().view.importedIP(ref));
    await fleet.eventually('the ServiceImport', () => west().view.importedPorts(ref), ['http TCP 80']);
    await putEndpointsImport(ref, [{ addresses: [{ ip: '10.1.0.1' }, { ip: '10.1.0.2' }], ports: httpOnly }]);
    await fleet.eventually('the slices', () => west().view.slices(ref), ['?: 10.1.0.1,10.1.0.2 http:80']);
    expect((await west().user.find(ServiceImport, ref))?.spec?.ips).toEqual([await west().view.importedIP(ref)]);
    expect(await west().user.find(Endpoints, derived(ref))).toBeUndefined();

    await putServiceImport(ref, [...httpOnly, { name: 'metrics', protocol: 'TCP', port: 9090 }]);
    await fleet.eventually('more ports', () => west().view.importedPorts(ref), ['http TCP 80', 'metrics TCP 9090']);
    await removeImports(ref);
    await fleet.eventually('the Service is gone', () => west().view.importedIP(ref), undefined);
    await fleet.eventually('the ServiceImport is gone', () => west().view.importedPorts(ref), undefined);
    await fleet.eventually('the slices are gone', () => west().view.slices(ref), []);
  });

  it.concurrent('a foreign Service of the same name is left alone and reported; once it is gone the import takes its place', async () => {
    const ref = { namespace: 'case-109', name: 'web' };
    await west().user.namespace(ref.namespace);
    const foreign = await west().user.service(derived(ref), { ports: [{ port: 1234 }] });
    await putServiceImport(ref);
    await putEndpointsImport(ref, [{ addresses: [{ ip: '10.1.0.1' }], ports: httpOnly }]);
    await fleet.eventually('told', () => west().view.imported(ref), 'False ServiceNameTaken');
    await fleet.eventually('an Event', () => importEvents(ref), [
      'ServiceNameTaken: Service case-109/antrea-mc-web has the name that the import of case-109/web needs, and was not created by Isthmus. It is not changed. If it can go, run: kubectl -n case-109 delete service antrea-mc-web',
    ]);
    expect(await west().user.find(Service, derived(ref))).toEqual(foreign);
    expect(await west().view.slices(ref)).toEqual([]);
    await west().user.remove(Service, derived(ref));
    await fleet.eventually('imported', () => west().view.imported(ref), 'True Ready');
    await fleet.eventually('reachable', () => west().view.slices(ref), ['?: 10.1.0.1 http:80']);
    await removeImports(ref);
  });

  it('Endpoints and slices of that name that somebody made by hand are left alone', async () => {
    const ref = { namespace: 'case-109-b', name: 'web' };
    await west().user.namespace(ref.namespace);
    const endpoints = await west().admin.create(Endpoints, {
      metadata: derived(ref),
      subsets: [{ addresses: [{ ip: '10.9.9.9' }], ports: [{ port: 1 }] }],
    });
    const labels = { [Label.serviceName]: 'antrea-mc-web', [Label.mcsServiceName]: 'web' };
    const slice = await west().admin.create(EndpointSlice, {
      metadata: { name: 'by-hand', namespace: ref.namespace, labels },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.9.9.8'] }],
      ports: [],
    });
    await putServiceImport(ref);
    await putEndpointsImport(ref, [{ addresses: [{ ip: '10.1.0.1' }], ports: httpOnly }]);
    await fleet.eventually('imported', () => west().view.slices(ref), ['?: 10.1.0.1 http:80', '?: 10.9.9.8 ']);
    expect(await west().user.find(Endpoints, derived(ref))).toEqual(endpoints);
    // When the Service is deleted, the API server itself deletes Endpoints of its name, no matter
    // which client created them.
    await removeImports(ref);
    await fleet.eventually('gone', () => west().view.importedIP(ref), undefined);
    await fleet.eventually('only that of the hand is left', () => west().view.slices(ref), ['?: 10.9.9.8 ']);
    const left = await west().admin.get(EndpointSlice, { namespace: ref.namespace, name: 'by-hand' });
    expect(left.metadata.resourceVersion).toBe(slice.metadata.resourceVersion);
  });

  it('a ServiceImport of another implementation is left alone, its name is reported, and it outlives the import', async () => {
    const ref = { namespace: 'b19', name: 'web' };
    await west().user.namespace(ref.namespace);
    const theirs = await west().admin.create(ServiceImport, {
      metadata: { ...ref },
      spec: { type: 'ClusterSetIP', ports: [{ port: 80 }], ips: ['10.0.0.1'] },
    });
    await putServiceImport(ref);
    await fleet.eventually('an Event', () => importEvents(ref), [
      'ForeignServiceImport: ServiceImport b19/web was not created by Isthmus and is not changed. Delete it to import the Service of that name from the ClusterSet.',
    ]);
    expect(await west().view.importedIP(ref)).toBeUndefined();
    await removeImports(ref);
    await west().stop('member');
    await west().start('member');
    const after = { namespace: 'b19', name: 'after' };
    await putServiceImport(after);
    await fleet.until('the member has started again', () => west().view.importedIP(after));
    expect(await west().user.find(ServiceImport, ref)).toEqual(theirs);
    await removeImports(after);
  });

  const later = { namespace: 'b29-later', name: 'web' };
  const whereLaterLeads = async () => [...(await west().view.slices(later)), await west().view.imported(later)];
  const laterFromEast = async () => [`east: ${await east().view.clusterIP(later)} http:80`, 'True Ready'];

  it.concurrent('a missing Namespace is reported and waited for', async () => {
    await east().user.namespace(later.namespace);
    await east().user.exportService(later, http, '10.10.1.1');
    await fleet.until('an Event', async () =>
      (await west().view.events(memberClusterSet)).includes(
        'NamespaceMissing: Service b29-later/web of the ClusterSet is not imported: Namespace b29-later does not exist in this cluster. Create it to import the Service.',
      ),
    );
    await west().user.namespace(later.namespace);
    await fleet.eventually('imported', whereLaterLeads, await laterFromEast());
    // This takes the API server five seconds; the last test of this group continues here.
    await west().admin.delete(Namespace, { name: later.namespace });
  });

  it.concurrent('drift: what somebody deletes or edits of an import comes back', async () => {
    const ref = { namespace: 'drift', name: 'web' };
    await namespaces(ref.namespace);
    await east().user.exportService(ref, http, '10.10.2.1');
    const slices = [`east: ${await east().view.clusterIP(ref)} http:80`];
    await fleet.eventually('imported', () => west().view.slices(ref), slices);
    await fleet.eventually('told', () => west().view.imported(ref), 'True Ready');

    const { items } = await west().admin.list(EndpointSlice, {
      namespace: 'drift',
      labelSelector: `${Label.mcsServiceName}=web`,
    });
    for (const { metadata } of items)
      await west().admin.delete(EndpointSlice, { namespace: 'drift', name: metadata.name });
    await fleet.eventually('the slice', () => west().view.slices(ref), slices);
    const [slice] = (
      await west().admin.list(EndpointSlice, { namespace: 'drift', labelSelector: `${Label.mcsServiceName}=web` })
    ).items;
    const evil = { endpoints: [{ addresses: ['10.6.6.6'] }] };
    await west().admin.patch(
      EndpointSlice,
      { namespace: 'drift', name: slice?.metadata.name ?? '' },
      { type: 'merge', body: evil },
    );
    await fleet.eventually('its endpoints', () => west().view.slices(ref), slices);

    await west().admin.delete(ServiceImport, ref);
    await fleet.eventually('the ServiceImport', () => west().view.imported(ref), 'True Ready');
    const ports = { spec: { ports: [{ name: 'evil', port: 666 }] } };
    await west().admin.patch(ServiceImport, ref, { type: 'merge', body: ports });
    await fleet.eventually('its ports', () => west().view.importedPorts(ref), ['http TCP 80']);

    const ip = await west().view.importedIP(ref);
    await west().admin.patch(Service, derived(ref), {
      type: 'merge',
      body: { spec: { selector: { app: 'evil' }, ports: [{ name: 'evil', port: 666 }] } },
    });
    await fleet.until('its selector is gone', async () => {
      const spec = (await west().user.find(Service, derived(ref)))?.spec;
      return spec?.selector === undefined && spec?.ports?.[0]?.port === 80;
    });
    expect(await west().view.importedIP(ref)).toBe(ip);

    await west().admin.delete(Service, derived(ref));
    await fleet.until('the Service', () => west().view.importedIP(ref));
    const again = await west().view.importedIP(ref);
    await fleet.eventually(
      'the ServiceImport follows',
      async () => (await west().user.find(ServiceImport, ref))?.spec?.ips,
      [again ?? ''],
    );
    await fleet.eventually('the slices', () => west().view.slices(ref), slices);
  });

  it('a restart in the middle of a burst of imports loses none, and creates none twice', async () => {
    const count = 40;
    await west().user.namespace('burst');
    const refs = Array.from({ length: count }, (_, n) => ({ namespace: 'burst', name: `web-${n}` }));
    await Promise.all(refs.slice(0, count / 2).map((ref) => putServiceImport(ref)));
    const uids = async () => {
      const { items } = await west().admin.list(Service, { namespace: 'burst' });
      return new Map(items.map(({ metadata }) => [metadata.name, metadata.uid]));
    };
    await fleet.until('some are there', async () => (await uids()).size >= 5);
    const early = await uids();
    await west().stop('member');
    await Promise.all(refs.slice(count / 2).map((ref) => putServiceImport(ref)));
    await west().start('member');
    await fleet.eventually('all are there', async () => (await uids()).size, count);
    const late = await uids();
    for (const [name, uid] of early) expect(late.get(name)).toBe(uid);
    await Promise.all(refs.map((ref) => removeImports(ref)));
    await fleet.eventually('none is left', async () => (await uids()).size, 0);
  });

  it('a Namespace that was deleted with its imports and is made again gets them again', async () => {
    const gone = async () => (await west().user.find(Namespace, { name: later.namespace })) === undefined;
    await fleet.eventually('deleted', gone, true);
    await fleet.eventually('east still exports', () => east().view.exported(later, 'Ready'), 'True Exported');
    await west().user.namespace(later.namespace);
    await fleet.eventually('imported again', whereLaterLeads, await laterFromEast());
  });
});

describe('malformed imports', () => {
  it('are passed over: those without payload, of unknown kinds, under names that do not follow from their content', async () => {
    const ref = { namespace: 'malformed', name: 'web' };
    await west().user.namespace(ref.namespace);
    await putServiceImport(ref);
    await fleet.eventually('imported', () => west().view.imported(ref), 'False NoReadyEndpoints');
    const ip = await west().view.importedIP(ref);
    const { namespace } = ref;
    await putImport('no-spec', undefined);
    await putImport('empty-spec', {});
    await putImport('malformed-nothing-service', { kind: 'ServiceImport', namespace, name: 'nothing' });
    await putImport('malformed-garbage-service', { kind: 'Garbage', namespace, name: 'garbage' });
    await putImport('another-name', {
      kind: 'ServiceImport',
      namespace,
      name: 'web',
      serviceImport: { spec: { type: 'ClusterSetIP', ports: [{ port: 1 }] } },
    });
    await putImport('malformed-type-service', {
      kind: 'ServiceImport',
      namespace,
      name: 'type',
      serviceImport: { spec: { type: 'Headless', ports: [{ port: 0 }] } },
    });
    await putImport('malformed-twice-service', {
      kind: 'ServiceImport',
      namespace,
      name: 'twice',
      serviceImport: {
        spec: {
          type: 'ClusterSetIP',
          ports: [
            { name: 'a', port: 1 },
            { name: 'a', port: 2 },
          ],
        },
      },
    });
    // The payload of an existing import is removed: its objects stay, and report why.
    await putImport('malformed-web-service', { kind: 'ServiceImport', namespace, name: 'web' });
    await fleet.eventually('told', () => west().view.imported(ref), 'False InvalidResourceImport');
    expect(await west().view.importedIP(ref)).toBe(ip);
    await putServiceImport(ref);
    await fleet.eventually('recovered', () => west().view.imported(ref), 'False NoReadyEndpoints');
    expect(await west().view.importedPorts(ref)).toEqual(['http TCP 80']);
    const { items } = await west().admin.list(Service, { namespace });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['antrea-mc-web']);
    await fleet.until('three Events', async () => {
      const told = await west().view.events(memberClusterSet);
      return told.filter((line) => line.startsWith('InvalidResourceImport')).length >= 3;
    });
  });

  it('with addresses that lead back into the cluster are used without those, which is reported', async () => {
    const ref = { namespace: 'malformed', name: 'evil' };
    await putServiceImport(ref);
    const addresses = ['127.0.0.1', '169.254.169.254', '0.0.0.0', '224.0.0.1', 'no-address', '10.1.2.3'].map((ip) => ({
      ip,
    }));
    await putEndpointsImport(ref, [{ addresses, ports: httpOnly }]);
    await fleet.eventually('only the honest one', () => west().view.slices(ref), ['?: 10.1.2.3 http:80']);
    const told = async () => (await west().user.find(ServiceImport, ref))?.status?.conditions?.[0]?.message ?? '';
    await fleet.until('told', async () => (await told()).includes('malformed-evil-endpoints: '));
  });
});

describe('hostile names', () => {
  it('prod/web-api and prod-web/api are imported both, and each stays when the other goes', async () => {
    const [first, second] = [
      { namespace: 'prod', name: 'web-api' },
      { namespace: 'prod-web', name: 'api' },
    ];
    for (const name of ['prod', 'prod-web']) await namespaces(name);
    await west().user.exportService(second, http, '10.20.1.1');
    await fleet.until('imported', () => east().view.importedIP(second));
    await east().user.exportService(first, http, '10.10.1.1');
    await fleet.until('imported as well', () => west().view.importedIP(first));
    await fleet.eventually('east reports it', () => east().view.exported(first, 'Ready'), 'True Exported');
    expect(await east().view.exportMessage(first, 'Ready')).toContain(
      'Published as ResourceImport prod.web-api-service',
    );
    const before = await west().view.importedIP(first);
    for (const cluster of [east(), west()])
      await fleet.eventually('the other stays', () => cluster.view.importedPorts(second), ['http TCP 80']);
    await west().user.unexport(second);
    await fleet.eventually('the other is gone', () => east().view.importedIP(second), undefined);
    expect(await west().view.importedIP(first)).toBe(before);
    await east().user.unexport(first);
    await fleet.eventually('both are gone', () => west().view.importedIP(first), undefined);
  });
});

describe('what kubectl shows', () => {
  const columns = async (cluster: ReturnType<typeof west>, what: string) => {
    const lines = (await cluster.shell(`kubectl get ${what}`)).stdout.trimEnd().split('\n');
    return lines.map((line) => line.split(/ {2,}/));
  };
  const ref = { namespace: 'columns', name: 'web' };

  beforeAll(async () => {
    await namespaces(ref.namespace);
    await west().user.exportService(ref, http, '10.20.1.1');
    await fleet.eventually('exported', () => west().view.exported(ref, 'Ready'), 'True Exported');
    await fleet.eventually('imported', () => east().view.imported(ref), 'True Ready');
  });

  it.concurrent('of a ClusterSet: the leader Namespace and the clusters that are ready', async () => {
    const header = [
      'NAME',
      'LEADER CLUSTER NAMESPACE',
      'TOTAL CLUSTERS',
      'READY CLUSTERS',
      'CLUSTER ID',
      'READY',
      'REASON',
      'WARNING',
      'HEARTBEAT',
      'AGE',
    ];
    const [head, row] = await columns(north(), `clustersets -n ${leaderNamespace}`);
    expect([head, row?.slice(0, 4)]).toEqual([header, ['fleet', leaderNamespace, '2', '2']]);
    const ofMember = await columns(west(), `clusterset fleet -n ${FixedName.memberNamespace}`);
    expect([ofMember[0], ofMember[1]?.slice(0, 4)]).toEqual([header, ['fleet', leaderNamespace, '1', '1']]);
  });

  it.concurrent('of a MemberClusterAnnounce: both IDs', async () => {
    const [head, ...rows] = await columns(north(), `memberclusterannounces -n ${leaderNamespace}`);
    expect(head).toEqual(['NAME', 'CLUSTER ID', 'CLUSTERSET ID', 'HEARTBEAT', 'VERSION', 'AGE']);
    expect(rows.map((row) => row.slice(0, 3))).toEqual([
      ['member-announce-from-east', 'east', 'fleet'],
      ['member-announce-from-west', 'west', 'fleet'],
    ]);
  });

  it.concurrent('of a ResourceExport: the cluster and what it exports', async () => {
    const names = 'west-columns-web-endpoints west-columns-web-service';
    const [head, ...rows] = await columns(north(), `resourceexport ${names} -n ${leaderNamespace}`);
    expect(head).toEqual(['NAME', 'CLUSTER ID', 'KIND', 'NAMESPACE', 'NAME', 'MERGED', 'FAILURE', 'CONFLICT', 'AGE']);
    expect(rows.map((row) => row.slice(0, 5))).toEqual([
      ['west-columns-web-endpoints', 'west', 'Endpoints', 'columns', 'web'],
      ['west-columns-web-service', 'west', 'Service', 'columns', 'web'],
    ]);
  });

  it.concurrent('of a ResourceImport: what is imported', async () => {
    const names = 'columns-web-endpoints columns-web-service';
    const [head, ...rows] = await columns(north(), `resourceimport ${names} -n ${leaderNamespace}`);
    expect(head).toEqual(['NAME', 'KIND', 'NAMESPACE', 'NAME', 'CLUSTER ID', 'AGE']);
    expect(rows.map((row) => row.slice(0, 4))).toEqual([
      ['columns-web-endpoints', 'Endpoints', 'columns', 'web'],
      ['columns-web-service', 'ServiceImport', 'columns', 'web'],
    ]);
  });

  it.concurrent('of a ServiceImport, by its short name too: type and addresses', async () => {
    const ip = await east().view.importedIP(ref);
    for (const kind of ['serviceimport', 'svcim']) {
      const [head, row] = await columns(east(), `${kind} web -n columns`);
      expect(head?.slice(0, 3)).toEqual(['NAME', 'TYPE', 'IP']);
      expect(row?.slice(0, 3)).toEqual(['web', 'ClusterSetIP', `["${ip}"]`]);
    }
  });

  it.concurrent('of a ServiceExport, by its short name too: its age at least', async () => {
    for (const kind of ['serviceexport', 'svcex']) {
      const [head, row] = await columns(west(), `${kind} web -n columns`);
      expect([head?.[0], head?.at(-1), row?.[0]]).toEqual(['NAME', 'AGE', 'web']);
    }
  });

  it.concurrent('in describe: why a ServiceExport is as it is', async () => {
    const { stdout } = await west().shell('kubectl describe serviceexport web -n columns');
    expect(stdout).toContain('The Service is exported successfully');
  });
});

it('leaving takes away what was imported, and nothing else: a Service of that prefix and ServiceImports of others stay', async () => {
  const ref = { namespace: 'leave', name: 'web' };
  await namespaces(ref.namespace);
  await east().user.exportService(ref, http, '10.10.3.1');
  await fleet.until('imported', () => west().view.importedIP(ref));
  const foreign = await west().user.service({ namespace: 'leave', name: 'antrea-mc-mine' }, { ports: [{ port: 80 }] });
  const theirs = await west().admin.create(ServiceImport, {
    metadata: { name: 'theirs', namespace: 'leave' },
    spec: { type: 'ClusterSetIP', ports: [{ port: 80 }] },
  });
  await west().admin.delete(ClusterSet, { namespace: memberNamespace, name: clusterSetName });
  await fleet.eventually('left', () => west().view.clusterSet(), 'none');
  const ours = async () => {
    const { items } = await west().admin.list(ServiceImport, { labelSelector: 'app.kubernetes.io/managed-by=isthmus' });
    return items.length;
  };
  expect(await ours()).toBe(0);
  expect(await west().view.importedIP(ref)).toBeUndefined();
  expect(await west().view.slices(ref)).toEqual([]);
  expect(await west().user.find(Service, { namespace: 'leave', name: 'antrea-mc-mine' })).toEqual(foreign);
  expect(await west().user.find(ServiceImport, { namespace: 'leave', name: 'theirs' })).toEqual(theirs);
  const { exports } = await north().view.commonArea();
  expect(exports.filter((name) => name.startsWith('west-'))).toEqual([]);
  expect(exports.some((name) => name.startsWith('east-'))).toBe(true);
});

it('no reconcile of any controller has failed', () => {
  expect(unexpectedFailures(fleet)).toEqual([]);
});
