import {
  Annotation,
  EndpointSlice,
  Label,
  ResourceExport,
  Service,
  ServiceImport,
  marked,
  resourceExportName,
} from '@isthmus/api';
import type { ServicePort } from '@isthmus/api';
import type { NamespacedRef, RealFleet } from '@isthmus/testkit';
import { leaderNamespace, memberNamespace } from '@isthmus/fleet-sim';
import { auditedWrites, startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unexpectedFailures } from './testing/unexpected-failures.ts';

/** Each test has its own Namespace in both members. */
let fleet: RealFleet;
const west = () => fleet.cluster('west');
const east = () => fleet.cluster('east');

const http: readonly ServicePort[] = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const http8080: readonly ServicePort[] = [{ name: 'http', protocol: 'TCP', port: 8080, targetPort: 8080 }];

beforeAll(async () => {
  fleet = await startRealFleet({ clusters: { east: 'member', west: 'member', north: 'leader' } });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

async function namespaces(name: string): Promise<void> {
  await Promise.all([east().user.namespace(name), west().user.namespace(name)]);
}

/** The ResourceExport of a member's Service, or undefined. */
const exportOf = (clusterID: string, { namespace, name }: NamespacedRef, kind: 'Service' | 'Endpoints') =>
  fleet.leader.user.find(ResourceExport, {
    namespace: leaderNamespace,
    name: resourceExportName(clusterID, namespace, name, kind),
  });

/**
 * The ports and the subsets that a member exports: `name:port>target` and `addresses name:port`.
 */
async function exported(
  clusterID: string,
  ref: NamespacedRef,
): Promise<readonly [string, readonly string[]] | undefined> {
  const [service, endpoints] = [await exportOf(clusterID, ref, 'Service'), await exportOf(clusterID, ref, 'Endpoints')];
  if (service === undefined || endpoints === undefined) return undefined;
  const ports = service.spec?.service?.serviceSpec?.ports ?? [];
  const subsets = endpoints.spec?.endpoints?.subsets ?? [];
  return [
    ports.map(({ name = '', port, targetPort = '' }) => `${name}:${port}>${targetPort}`).join(),
    subsets.map(({ addresses = [], ports: served = [] }) => {
      const ips = addresses.map(({ ip }) => ip).join();
      return `${ips} ${served.map(({ name = '', port }) => `${name}:${port}`).join()}`;
    }),
  ];
}

const isExported = (cluster: string, ref: NamespacedRef) =>
  fleet.eventually(
    `${cluster} exports ${ref.name}`,
    () => fleet.cluster(cluster).view.exported(ref, 'Ready'),
    'True Exported',
  );

/** The writes so far of a cluster's member to its own API server and to the leader's. */
const memberWrites = (cluster: string) => [
  ...auditedWrites(fleet.cluster(cluster).server, `system:serviceaccount:${memberNamespace}:antrea-mc-controller`),
  ...auditedWrites(fleet.leader.server, `system:serviceaccount:${leaderNamespace}:member-${cluster}`),
];

describe('ServiceExport with ClusterIP endpoints', () => {
  it('a Service with a ready Pod becomes two exports, with its ClusterIP as the only address', async () => {
    await namespaces('case-101');
    const ref = { namespace: 'case-101', name: 'web' };
    await west().user.service(ref, { selector: { app: 'web' }, ports: http });
    await west().user.pod({ namespace: 'case-101', name: 'web-1' }, { app: 'web', ip: '10.20.1.1' });
    await west().user.export(ref);
    await isExported('west', ref);
    const ip = await west().view.clusterIP(ref);
    await fleet.eventually('written', () => exported('west', ref), ['http:80>8080', [`${ip} http:80`]]);
    for (const kind of ['Service', 'Endpoints'] as const) {
      expect((await exportOf('west', ref, kind))?.metadata.labels).toMatchObject({ [Label.sourceKind]: kind });
    }
    expect(await west().view.exported(ref, 'Valid')).toBe('True Valid');
    const message = 'The Service is exported successfully';
    await fleet.eventually('told', () => west().view.exportMessage(ref, 'Ready'), message);
    await fleet.eventually('east imports it', () => east().view.slices(ref), [`west: ${ip} http:80`]);
  });

  it('a changed port reaches both exports, and the import', async () => {
    const ref = { namespace: 'case-101', name: 'web' };
    await west().user.service(ref, { ports: http8080 });
    const ip = await west().view.clusterIP(ref);
    await fleet.eventually('exported', () => exported('west', ref), ['http:8080>8080', [`${ip} http:8080`]]);
    await fleet.eventually('imported', () => east().view.slices(ref), [`west: ${ip} http:8080`]);
    await fleet.eventually('its ports', () => east().view.importedPorts(ref), ['http TCP 8080']);
  });

  it('changes that other clusters cannot see, and slices without a Service, cause no write', async () => {
    await namespaces('case-102');
    const ref = { namespace: 'case-102', name: 'web' };
    await west().user.exportService(ref, http, '10.20.2.1');
    await isExported('west', ref);
    const ip = await west().view.clusterIP(ref);
    await fleet.eventually('imported', () => west().view.slices(ref), ['west: 10.20.2.1 http:8080']);
    await fleet.eventually('imported', () => east().view.slices(ref), [`west: ${ip} http:80`]);
    await fleet.eventually('told', () => west().view.imported(ref), 'True Ready');
    await fleet.eventually('told', () => east().view.imported(ref), 'True Ready');
    const before = [...memberWrites('west'), ...memberWrites('east')];

    const looked = { metadata: { labels: { looked: 'at' } } };
    await west().admin.patch(Service, ref, { type: 'merge', body: looked });
    await east().admin.patch(
      Service,
      { namespace: 'case-102', name: 'antrea-mc-web' },
      { type: 'merge', body: looked },
    );
    await west().admin.create(EndpointSlice, {
      metadata: { name: 'stray', namespace: 'case-102' },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.20.2.99'] }],
      ports: [],
    });
    // A later export shows that the members have processed everything before it.
    const later = { namespace: 'case-102', name: 'later' };
    await west().user.exportService(later, http, '10.20.2.2');
    await fleet.until('later is imported', async () => (await east().view.slices(later)).length === 1);
    await fleet.eventually('told', () => west().view.imported(later), 'True Ready');
    const news = () => {
      const found = [...memberWrites('west'), ...memberWrites('east')];
      for (const line of before) found.splice(found.indexOf(line), 1);
      return found;
    };
    // The log has creations without the name. There are two exports; in each member a Service, a
    // ServiceImport and a slice. The log is written a moment later.
    const created = async () =>
      news()
        .filter((line) => line.startsWith('create '))
        .map((line) => line.split(' ')[1] ?? '')
        .toSorted((one, other) => (one < other ? -1 : 1));
    await fleet.eventually('all creates are logged', created, [
      'endpointslices',
      'endpointslices',
      'resourceexports',
      'resourceexports',
      'serviceimports',
      'serviceimports',
      'services',
      'services',
    ]);
    const ofWeb = news().filter((line) => !line.includes('later') && !line.startsWith('create '));
    expect(ofWeb).toEqual([]);
  });

  it.concurrent('without a ready endpoint the slices become empty, and the import keeps its ServiceImport and its ClusterIP', async () => {
    await namespaces('case-130');
    const ref = { namespace: 'case-130', name: 'web' };
    const pod = { namespace: 'case-130', name: 'web-1' };
    await west().user.service(ref, { selector: { app: 'web' }, ports: http });
    await west().user.pod(pod, { app: 'web', ip: '10.20.3.1' });
    await west().user.export(ref);
    const ip = await west().view.clusterIP(ref);
    await fleet.eventually('imported', () => east().view.slices(ref), [`west: ${ip} http:80`]);
    await fleet.eventually('imported', () => east().view.imported(ref), 'True Ready');
    const importedIP = await east().view.importedIP(ref);
    const uid = (await east().user.find(ServiceImport, ref))?.metadata.uid;
    await west().user.ready(pod, false);
    await fleet.eventually('without endpoints', () => east().view.slices(ref), []);
    await fleet.eventually(
      'west is told',
      () => west().view.exportMessage(ref, 'Ready'),
      'The Service is exported successfully, but none of its endpoints is ready. Check the Pods and EndpointSlices of Service case-130/web.',
    );
    await west().user.ready(pod, true);
    await fleet.eventually('back again', () => east().view.slices(ref), [`west: ${ip} http:80`]);
    expect(await east().view.importedIP(ref)).toBe(importedIP);
    expect((await east().user.find(ServiceImport, ref))?.metadata.uid).toBe(uid);
  });

  it.concurrent('a deleted ServiceExport withdraws both exports', async () => {
    await namespaces('case-99');
    const ref = { namespace: 'case-99', name: 'web' };
    await west().user.exportService(ref, http, '10.20.4.1');
    await isExported('west', ref);
    await west().user.unexport(ref);
    for (const kind of ['Service', 'Endpoints'] as const) {
      await fleet.eventually(`${kind} export`, () => exportOf('west', ref, kind), undefined);
    }
    await fleet.eventually('the import', () => east().view.importedPorts(ref), undefined);
  });

  it.concurrent('a ServiceExport waits for its Service, reports it, and withdraws when the Service is deleted', async () => {
    await namespaces('case-106');
    const ref = { namespace: 'case-106', name: 'web' };
    await west().user.export(ref);
    await fleet.eventually('told', () => west().view.exported(ref, 'Valid'), 'False NoService');
    expect(await west().view.exportMessage(ref, 'Valid')).toBe(
      'Service does not exist. Create Service case-106/web, or delete this ServiceExport.',
    );
    expect(await west().view.exported(ref, 'Ready')).toBe('False Failed');
    await west().user.service(ref, { ports: http });
    await west().user.serve(ref, ['10.20.5.1'], http);
    await isExported('west', ref);
    expect(await west().view.exported(ref, 'Valid')).toBe('True Valid');
    await west().user.remove(Service, ref);
    await fleet.eventually('told again', () => west().view.exported(ref, 'Valid'), 'False NoService');
    await fleet.eventually('withdrawn', () => exported('west', ref), undefined);
    await fleet.eventually('gone', () => east().view.importedPorts(ref), undefined);
  });

  it.concurrent('an ExternalName Service is not exported, and a Service that becomes one, or is marked as imported, is withdrawn', async () => {
    await namespaces('b12');
    const [one, two] = [
      { namespace: 'b12', name: 'one' },
      { namespace: 'b12', name: 'two' },
    ];
    for (const ref of [one, two]) {
      await west().user.exportService(ref, http, '10.20.6.1');
      await isExported('west', ref);
    }
    const external = {
      type: 'ExternalName',
      externalName: 'example.org',
      clusterIP: null,
      clusterIPs: null,
      ports: null,
    };
    await west().admin.patch(Service, one, { type: 'merge', body: { spec: external } });
    await fleet.eventually('told', () => west().view.exported(one, 'Valid'), 'False InvalidServiceType');
    expect(await west().view.exportMessage(one, 'Valid')).toBe(
      'Service of ExternalName type is not supported. Give Service b12/one another type, or delete this ServiceExport.',
    );
    const annotations = { [Annotation.importedService]: 'true' };
    await west().admin.patch(Service, two, { type: 'merge', body: { metadata: { annotations } } });
    await fleet.eventually('told', () => west().view.exported(two, 'Valid'), 'False ImportedService');
    for (const ref of [one, two])
      await fleet.eventually('withdrawn', () => exportOf('west', ref, 'Service'), undefined);
  });

  it.concurrent('an imported Service is not exported again under its local name', async () => {
    await namespaces('twice');
    const ref = { namespace: 'twice', name: 'web' };
    await west().user.exportService(ref, http, '10.20.7.1');
    await fleet.until('imported', () => east().view.importedIP(ref));
    const local = { namespace: 'twice', name: 'antrea-mc-web' };
    await east().user.export(local);
    await fleet.eventually('told', () => east().view.exported(local, 'Valid'), 'False ImportedService');
    expect(await exportOf('east', local, 'Service')).toBeUndefined();
  });

  it.concurrent('of two Services of one member whose exports would have one name the first keeps it; the other has a dot in its name, and keeps that', async () => {
    for (const name of ['c105', 'c105-x']) await namespaces(name);
    const [first, second] = [
      { namespace: 'c105-x', name: 'web' },
      { namespace: 'c105', name: 'x-web' },
    ];
    const shared = 'west-c105-x-web-service';
    for (const { namespace, name } of [first, second]) {
      expect(resourceExportName('west', namespace, name, 'Service')).toBe(shared);
    }
    await west().user.exportService(first, http, '10.20.8.1');
    await isExported('west', first);
    await west().user.exportService(second, http8080, '10.20.8.2');
    await isExported('west', second);
    const dotted = async () =>
      (await fleet.leader.view.commonArea(leaderNamespace)).exports.filter((name) =>
        name.startsWith('west-c105.x-web-'),
      );
    expect(await dotted()).toEqual(['west-c105.x-web-endpoints', 'west-c105.x-web-service']);
    expect((await exportOf('west', first, 'Service'))?.spec).toMatchObject(first);
    // The same tuple is updated.
    await west().user.service(first, { ports: http8080 });
    await fleet.eventually('updated', async () => (await exported('west', first))?.[0], 'http:8080>8080');

    await west().user.unexport(first);
    await fleet.eventually('the first is gone', () => exportOf('west', first, 'Service'), undefined);
    expect(await dotted()).toHaveLength(2);
    await west().user.unexport(second);
    await fleet.eventually('the second is gone', dotted, []);
  });

  it.concurrent('a Service whose imported name would be too long is not exported, and its ServiceExport reports it', async () => {
    await namespaces('b29');
    const [longest, tooLong] = [
      { namespace: 'b29', name: 'a'.repeat(53) },
      { namespace: 'b29', name: 'a'.repeat(54) },
    ];
    await west().user.exportService(longest, http, '10.20.9.1');
    await west().user.exportService(tooLong, http, '10.20.9.2');
    await isExported('west', longest);
    await fleet.until('imported', () => east().view.importedIP(longest));
    await fleet.eventually('told', () => west().view.exported(tooLong, 'Ready'), 'False Failed');
    expect(await west().view.exportMessage(tooLong, 'Ready')).toContain(
      'Choose a Service name of at most 53 characters',
    );
    expect(await exportOf('west', tooLong, 'Service')).toBeUndefined();
  });

  it.concurrent('the loser of a port conflict is served as soon as the winner leaves, and the order of ports does not conflict', async () => {
    await namespaces('b11');
    const ref = { namespace: 'b11', name: 'web' };
    const both = [...http, { name: 'metrics', protocol: 'TCP', port: 9090, targetPort: 9090 }] as const;
    await west().user.exportService(ref, both, '10.20.10.1');
    await isExported('west', ref);
    await east().user.exportService(ref, both.toReversed(), '10.10.10.1');
    await isExported('east', ref);
    await fleet.eventually('no conflict', () => east().view.exported(ref, 'Conflict'), 'False NoConflicts');
    await east().user.service(ref, { ports: http8080 });
    for (const cluster of [east(), west()]) {
      await fleet.eventually('conflict', () => cluster.view.exported(ref, 'Conflict'), 'True PortConflict');
    }
    await west().user.unexport(ref);
    await fleet.eventually('served', () => west().view.importedPorts(ref), ['http TCP 8080']);
    await fleet.eventually('told', () => east().view.exported(ref, 'Conflict'), 'False NoConflicts');
  });
});

describe('ServiceExport of a headless Service', () => {
  it('is imported headless, with the Pods as endpoints', async () => {
    await namespaces('headless');
    const ref = { namespace: 'headless', name: 'db' };
    await west().user.service(ref, { clusterIP: 'None', ports: http });
    await west().user.serve(ref, ['10.20.11.1', '10.20.11.2'], http);
    await west().user.export(ref);
    const slices = ['west: 10.20.11.1,10.20.11.2 http:8080'];
    for (const cluster of [east(), west()]) {
      await fleet.eventually('endpoints', () => cluster.view.slices(ref), slices);
      expect(await cluster.view.importedIP(ref)).toBe('None');
      const type = async () => (await cluster.user.find(ServiceImport, ref))?.spec?.type;
      await fleet.eventually('the type', type, 'Headless');
    }
    expect((await exportOf('west', ref, 'Endpoints'))?.metadata.annotations).toEqual({
      [Annotation.endpointIPType]: 'PodIP',
      [Annotation.withdrawals]: marked,
    });
  });

  it('becomes one with a ClusterIP when it is created again with one', async () => {
    const ref = { namespace: 'headless', name: 'db' };
    await west().user.remove(Service, ref);
    await west().user.service(ref, { ports: http });
    const ip = await west().view.clusterIP(ref);
    await fleet.eventually('endpoints', () => east().view.slices(ref), [`west: ${ip} http:80`]);
    const importedIP = await east().view.importedIP(ref);
    expect(importedIP).toMatch(/^10\.96\./);
    const spec = async () => {
      const { type, ips } = (await east().user.find(ServiceImport, ref))?.spec ?? {};
      return { type, ips };
    };
    await fleet.eventually('the ServiceImport', spec, { type: 'ClusterSetIP', ips: [importedIP ?? ''] });
  });
});

describe('ServiceExport with Pod IPs', () => {
  beforeAll(async () => {
    await west().stop('member');
    await west().start('member', { endpointIPType: 'PodIP' });
  });

  it('the exports carry the Pods under the target port, and follow a change of it', async () => {
    await namespaces('pod-ip');
    const ref = { namespace: 'pod-ip', name: 'web' };
    await west().user.service(ref, { selector: { app: 'web' }, ports: http });
    await west().user.pod({ namespace: 'pod-ip', name: 'web-1' }, { app: 'web', ip: '10.20.12.1' });
    await west().user.export(ref);
    await isExported('west', ref);
    await fleet.eventually('exported', () => exported('west', ref), ['http:80>8080', ['10.20.12.1 http:8080']]);
    expect(await west().view.exported(ref, 'Valid')).toBe('True Valid');
    await west().user.service(ref, { ports: [{ name: 'http', protocol: 'TCP', port: 81, targetPort: 8081 }] });
    await fleet.eventually('exported', () => exported('west', ref), ['http:81>8081', ['10.20.12.1 http:8081']]);
    await fleet.eventually('imported', () => east().view.slices(ref), ['west: 10.20.12.1 http:8081']);
    await fleet.eventually('its ports', () => east().view.importedPorts(ref), ['http TCP 81']);
  });

  it('1,500 ready endpoints are one subset of 1,500 addresses, and are imported whole', async () => {
    await namespaces('b7');
    const ref = { namespace: 'b7', name: 'web' };
    const ips = Array.from({ length: 1_500 }, (_, n) => `10.20.${100 + Math.floor(n / 250)}.${1 + (n % 250)}`);
    await west().user.service(ref, { ports: http });
    for (const [part, addresses] of [ips.slice(0, 1_000), ips.slice(1_000)].entries()) {
      await west().admin.create(EndpointSlice, {
        metadata: { name: `web-${part}`, namespace: 'b7', labels: { [Label.serviceName]: 'web' } },
        addressType: 'IPv4',
        // Without `ready`: it counts as ready (defect B8).
        endpoints: addresses.map((address) => ({ addresses: [address] })),
        ports: [{ name: 'http', protocol: 'TCP', port: 8080 }],
      });
    }
    await west().user.export(ref);
    await isExported('west', ref);
    const sizes = async () => {
      const subsets = (await exportOf('west', ref, 'Endpoints'))?.spec?.endpoints?.subsets ?? [];
      return subsets.map(({ addresses = [] }) => addresses.length);
    };
    await fleet.eventually('one subset', sizes, [1_500]);
    const imported = async () => {
      const labelSelector = `${Label.mcsServiceName}=web`;
      const { items } = await east().admin.list(EndpointSlice, { namespace: 'b7', labelSelector });
      return items.flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses)).toSorted();
    };
    await fleet.eventually('imported', async () => (await imported()).length, 1_500);
    expect(await imported()).toEqual(ips.toSorted());
  });

  it('a member that goes back to ClusterIP exports its ClusterIPs again, without a word of the user', async () => {
    const ref = { namespace: 'pod-ip', name: 'web' };
    await west().stop('member');
    await west().start('member');
    const ip = await west().view.clusterIP(ref);
    await fleet.eventually('exported', () => exported('west', ref), ['http:81>8081', [`${ip} http:81`]]);
  });
});

describe('what was while a member was not running', () => {
  it('exports without a ServiceExport are removed when the member is back; those of other clusters are kept', async () => {
    await namespaces('case-126');
    const [kept, dropped, others] = [
      { namespace: 'case-126', name: 'kept' },
      { namespace: 'case-126', name: 'dropped' },
      { namespace: 'case-126', name: 'others' },
    ];
    await west().user.exportService(kept, http, '10.20.13.1');
    await west().user.exportService(dropped, http, '10.20.13.2');
    await east().user.exportService(others, http, '10.10.13.3');
    await east().user.exportService(kept, http, '10.10.13.1');
    for (const ref of [kept, dropped, others])
      await fleet.until(`${ref.name} in west`, () => west().view.importedIP(ref));
    await fleet.eventually('both', async () => (await west().view.slices(kept)).length, 2);
    const ipOfKept = await west().view.importedIP(kept);

    await west().stop('member');
    await west().user.unexport(dropped);
    await east().user.unexport(others);
    await fleet.eventually('the leader has dropped it', () => exportOf('east', others, 'Service'), undefined);
    await west().start('member');

    await fleet.eventually('withdrawn', () => exported('west', dropped), undefined);
    for (const ref of [dropped, others]) {
      await fleet.eventually(`${ref.name} is gone`, () => west().view.importedIP(ref), undefined);
      await fleet.eventually(`${ref.name} is gone`, () => west().view.slices(ref), []);
    }
    expect(await exported('east', kept)).toBeDefined();
    expect(await exported('west', kept)).toBeDefined();
    expect(await west().view.importedIP(kept)).toBe(ipOfKept);
  });

  it('changes made meanwhile reach the leader', async () => {
    const ref = { namespace: 'case-126', name: 'kept' };
    await west().stop('member');
    await west().user.service(ref, { ports: http8080 });
    await west().start('member');
    const ip = await west().view.clusterIP(ref);
    await fleet.eventually('exported', () => exported('west', ref), ['http:8080>8080', [`${ip} http:8080`]]);
    await fleet.eventually('told', () => west().view.exported(ref, 'Conflict'), 'True PortConflict');
    await fleet.eventually('only east is left', async () => (await west().view.slices(ref)).length, 1);
  });

  it('a member that starts again over its own objects writes nothing', async () => {
    const latest = { namespace: 'case-126', name: 'latest' };
    const before = memberWrites('west').length;
    expect(before).toBeGreaterThan(0);
    const beforeRestart = memberWrites('west');
    await west().stop('member');
    await west().start('member');
    await east().user.exportService(latest, http, '10.10.13.9');
    await fleet.until('the news has come', () => west().view.importedIP(latest));
    await fleet.eventually('told', () => west().view.imported(latest), 'True Ready');
    const news = [...memberWrites('west')];
    for (const line of beforeRestart) news.splice(news.indexOf(line), 1);
    expect(news.filter((line) => !line.includes('latest') && !line.startsWith('create '))).toEqual([]);
    expect(news.filter((line) => line.startsWith('create '))).toHaveLength(3);
  });
});

it('no reconcile of any controller has failed', () => {
  expect(unexpectedFailures(fleet)).toEqual([]);
});
