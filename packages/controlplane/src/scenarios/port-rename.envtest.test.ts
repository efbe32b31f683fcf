import type { ServicePort } from '@isthmus/api';
import { EndpointSlice, Label, Service } from '@isthmus/api';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import type { RealCluster, RealFleet } from '@isthmus/testkit';
import { startRealFleet } from '@isthmus/testkit';
import { expect, it } from 'vitest';

const ref = { namespace: 'shop', name: 'cart' };
const named = (name: string): readonly ServicePort[] => [
  { name, protocol: 'TCP', port: 80, targetPort: 8080 },
  { name: 'metrics', protocol: 'TCP', port: 9090, targetPort: 9090 },
];

/**
 * Every change of one kind in the Namespace that the API server reports, when it arrives. Ends with
 * the signal.
 */
async function follow<T extends KubernetesObject>(
  { admin }: RealCluster,
  type: ResourceType<T>,
  see: (type: string, object: T) => void,
  signal: AbortSignal,
): Promise<void> {
  const { namespace } = ref;
  let { resourceVersion } = await admin.list(type, { namespace });
  while (!signal.aborted) {
    try {
      for await (const event of admin.watch(type, {
        namespace,
        resourceVersion,
        timeoutSeconds: 60,
        idleMs: 120_000,
        signal,
      })) {
        if (event.type === 'BOOKMARK') continue;
        resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
        see(event.type, event.object);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

/**
 * Ports of the imported Service without endpoints, as kube-proxy would find them after each change
 * that the API server reports.
 */
async function watched(
  cluster: RealCluster,
  signal: AbortSignal,
): Promise<{ readonly gaps: ReadonlySet<string>; readonly ended: Promise<unknown> }> {
  const gaps = new Set<string>();
  const { namespace } = ref;
  const listed = (await cluster.admin.list(EndpointSlice, { namespace })).items;
  const slices = new Map(
    listed
      .filter(({ metadata }) => metadata.labels?.[Label.serviceName] === 'antrea-mc-cart')
      .map((slice) => [slice.metadata.name, slice]),
  );
  let service = await cluster.user.find(Service, { namespace, name: 'antrea-mc-cart' });
  const look = () => {
    const served = new Set(
      [...slices.values()]
        .filter(({ endpoints }) => (endpoints ?? []).length > 0)
        .flatMap(({ ports }) => (ports ?? []).map(({ name }) => name)),
    );
    for (const { name } of service?.spec?.ports ?? []) if (!served.has(name)) gaps.add(`${cluster.name}: ${name}`);
  };
  const ended = Promise.all([
    follow(
      cluster,
      Service,
      (_, object) => {
        if (object.metadata.name !== 'antrea-mc-cart') return;
        service = object;
        look();
      },
      signal,
    ),
    follow(
      cluster,
      EndpointSlice,
      (type, object) => {
        if (object.metadata.labels?.[Label.serviceName] !== 'antrea-mc-cart') return;
        if (type === 'DELETED') slices.delete(object.metadata.name);
        else slices.set(object.metadata.name, object);
        look();
      },
      signal,
    ),
  ]);
  return { gaps, ended };
}

it('a port that gets another name never leads nowhere, as two watches see it, with a leader that dies meanwhile', async () => {
  await using fleet: RealFleet = await startRealFleet({
    clusters: { east: 'member', west: 'member', north: 'leader' },
    endpointIPType: 'PodIP',
  });
  const members = [fleet.cluster('east'), fleet.cluster('west')];
  for (const member of members) await member.user.namespace(ref.namespace);
  const west = fleet.cluster('west');
  await west.user.service(ref, { selector: { app: 'cart' }, ports: named('http') });
  await west.user.pod({ namespace: ref.namespace, name: 'cart-1' }, { app: 'cart', ip: '10.20.1.5' });
  await west.user.export(ref);
  const has = async (member: RealCluster, name: string) => {
    const [slice = ''] = await member.view.slices(ref);
    const ports = slice.split(' ').at(-1)?.split(',').toSorted().join();
    return (
      (await member.view.importedPorts(ref))?.[0] === `${name} TCP 80` &&
      ports === [`${name}:8080`, 'metrics:9090'].toSorted().join()
    );
  };
  for (const member of members) await fleet.until('imported', () => has(member, 'http'));

  const end = new AbortController();
  const all = await Promise.all(members.map((member) => watched(member, end.signal)));
  for (const name of ['web', 'www', 'http', 'web']) {
    await west.user.service(ref, { ports: named(name) });
    if (name === 'http') {
      // At any point between its writes.
      await fleet.leader.stop();
      await fleet.leader.start();
    }
    for (const member of members) await fleet.until(`${member.name} has ${name} alone`, () => has(member, name));
  }
  end.abort();
  await Promise.all(all.map(({ ended }) => ended));
  expect(all.flatMap(({ gaps }) => [...gaps])).toEqual([]);
});
