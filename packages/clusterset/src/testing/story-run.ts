import { EndpointSlice, Label, ResourceExport, Service, ServiceImport } from '@isthmus/api';
import { keyOf } from '@isthmus/machinery';
import type { FleetWrite, StoryStep, VirtualFleet, WriteVerdict } from '@isthmus/testkit';
import { cart, cartStory, createVirtualFleet, derivedCart, fleetState, leaderNamespace } from '@isthmus/testkit';

/** What nobody of us made, in the way of everything that we make. */
function putForeign(fleet: VirtualFleet): void {
  for (const name of ['east', 'west']) {
    const { admin } = fleet.cluster(name).server;
    admin.put(Service, { metadata: { name: 'antrea-mc-mine', namespace: 'default' }, spec: { ports: [{ port: 80 }] } });
    admin.put(ServiceImport, {
      metadata: { name: 'theirs', namespace: 'default' },
      spec: { type: 'ClusterSetIP', ports: [] },
    });
    admin.put(EndpointSlice, {
      metadata: { name: 'theirs', namespace: 'default', labels: { [Label.mcsServiceName]: 'theirs' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.1.1'] }],
    });
  }
}

/** What one run of the story came to. */
export interface StoryRun {
  /** The state of the fleet after each step. */
  readonly states: readonly (readonly string[])[];
  readonly breaches: readonly string[];
  /** Writes of controllers, heartbeats aside. */
  readonly writes: number;
  readonly deaths: number;
}

/** All that controllers may write in this story; anything else is not theirs. */
const theirs = [
  /^(POST|PATCH|DELETE) \/apis\/multicluster\.crd\.antrea\.io\/v1alpha1\/namespaces\/antrea-multicluster\//,
  /^PATCH \/apis\/multicluster\.crd\.antrea\.io\/v1alpha2\/namespaces\/(antrea-multicluster|kube-system)\/clustersets\/fleet/,
  /^PATCH \/apis\/multicluster\.x-k8s\.io\/v1beta1\/namespaces\/shop\/serviceexports\/cart\/status/,
  /^(POST|PATCH|DELETE) \/apis\/multicluster\.x-k8s\.io\/v1beta1\/namespaces\/shop\/serviceimports(\/cart)?/,
  /^(POST|PATCH|DELETE) \/api\/v1\/namespaces\/shop\/services(\/antrea-mc-cart)? /,
  /^(POST|PATCH|DELETE) \/apis\/discovery\.k8s\.io\/v1\/namespaces\/shop\/endpointslices(\/antrea-mc-cart-[a-z0-9-]+)? /,
];

/** Runs the story of walkthrough.md and notes every breach of a promise, at the moment of the write that breaks it. */
export async function runStory(onWrite?: (write: FleetWrite) => WriteVerdict): Promise<StoryRun> {
  let writes = 0;
  let deaths = 0;
  let counting = false;
  await using fleet = await createVirtualFleet({
    clusters: { north: 'leader', east: 'member', west: 'member' },
    onWrite(write) {
      if (!counting) return 'pass';
      // Heartbeats come by time, not by the story; dying at one is dying between two others.
      if (write.path.includes('memberclusterannounces')) return 'pass';
      writes += 1;
      const verdict = onWrite?.({ ...write, n: writes }) ?? 'pass';
      if (verdict !== 'pass') deaths += 1;
      return verdict;
    },
  });
  counting = true;
  putForeign(fleet);
  const breaches: string[] = [];
  let step: StoryStep | undefined;
  for (const cluster of fleet.clusters) {
    cluster.server.admin.onChange(({ key, before, after }) => {
      const foreign = before !== undefined && (key === 'default/antrea-mc-mine' || key === 'default/theirs');
      if (foreign) breaches.push(`${step?.name}: ${cluster.name}: ${key} was touched`);
      const imported =
        key === keyOf(derivedCart) || (key === keyOf(cart) && before !== undefined && before.kind === 'ServiceImport');
      if (!imported || before === undefined || after !== undefined) return;
      const exported = fleet.leader.server.admin
        .list(ResourceExport, leaderNamespace)
        .filter(({ spec, metadata }) => spec?.kind === 'Service' && metadata.deletionTimestamp === undefined);
      if (exported.length > 0)
        breaches.push(
          `${step?.name}: ${cluster.name}: ${before.kind} ${key} vanished while ${exported.map((object) => object.metadata.name).join()} stood`,
        );
    });
  }
  const states: (readonly string[])[] = [];
  for (step of cartStory) {
    const { name, holds } = step;
    step.act(fleet);
    await fleet.until(name, () => holds(fleet));
    await fleet.clock.advance(15_000);
    states.push(fleetState(fleet));
  }
  for (const line of fleet.requestLog()) {
    const [, user, method, path] = line.split(' ');
    if (user !== 'admin' && method !== 'GET' && !theirs.some((pattern) => pattern.test(`${method} ${path} `)))
      breaches.push(`written: ${line}`);
  }
  return { states, breaches, writes, deaths };
}
