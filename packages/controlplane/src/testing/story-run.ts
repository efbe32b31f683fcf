import { ResourceExport, Service } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { keyOf } from '@isthmus/machinery';
import type { FleetWrite, StoryStep, VirtualCluster, WriteVerdict } from '@isthmus/fleet-sim';
import {
  cart,
  cartStory,
  createVirtualFleet,
  derivedCart,
  fleetState,
  isClean,
  leaderNamespace,
} from '@isthmus/fleet-sim';
import { putForeign } from './foreign-objects.ts';
import { watchOutages } from './import-outages.ts';

/** The result of one run of the story. */
export interface StoryRun {
  /** The state of the fleet after each step. */
  readonly states: readonly (readonly string[])[];
  readonly breaches: readonly string[];
  /**
   * Writes of controllers in each step, without heartbeats. Writes before the first step count for
   * the first step.
   */
  readonly writes: readonly number[];
  readonly deaths: number;
}

const area = '/apis/multicluster\\.crd\\.antrea\\.io/v1alpha1/namespaces/antrea-multicluster';
const shop = '/apis/multicluster\\.x-k8s\\.io/v1beta1/namespaces/shop';

/**
 * Everything that controllers may write in this story, as `method path`. Other paths do not belong
 * to them.
 */
const theirs = [
  `POST ${area}/(resourceexports|resourceimports)`,
  `(PATCH|DELETE) ${area}/resourceexports/(east|west)-shop-cart-(service|endpoints)`,
  `PATCH ${area}/resourceexports/(east|west)-shop-cart-(service|endpoints)/status`,
  // The leader reports here that it does not merge ResourceExports of that kind.
  `PATCH ${area}/resourceexports/strict/status`,
  `(PATCH|DELETE) ${area}/resourceimports/shop-cart-(service|endpoints|endpoints\\.(east|west))`,
  `POST ${area}/memberclusterannounces`,
  `PATCH ${area}/memberclusterannounces/member-announce-from-(east|west)(/status)?`,
  'PATCH /apis/multicluster\\.crd\\.antrea\\.io/v1alpha2/namespaces/(antrea-multicluster|kube-system)/clustersets/fleet(/status)?',
  // If a controller dies between the two writes of a withdrawal, it is held for a while, and
  // reported.
  '(POST|PATCH) /api/v1/namespaces/(antrea-multicluster|kube-system)/events(/[^/]+)?',
  // A problem of an export in the story causes an Event beside it.
  '(POST|PATCH) /api/v1/namespaces/shop/events(/[^/]+)?',
  `PATCH ${shop}/serviceexports/cart/status`,
  `POST ${shop}/serviceimports`,
  `(PATCH|DELETE) ${shop}/serviceimports/cart`,
  `PATCH ${shop}/serviceimports/cart/status`,
  'POST /api/v1/namespaces/shop/services',
  '(PATCH|DELETE) /api/v1/namespaces/shop/services/antrea-mc-cart',
  'POST /apis/discovery\\.k8s\\.io/v1/namespaces/shop/endpointslices',
  '(PATCH|DELETE) /apis/discovery\\.k8s\\.io/v1/namespaces/shop/endpointslices/antrea-mc-cart-(east|west)-[a-z0-9]{7}-ipv4-[0-9]+(-x)?',
].map((pattern) => new RegExp(`^${pattern}$`));

/** The steps that take away everything that a cluster serves, with that cluster. */
const takenFrom: Readonly<Record<string, string>> = {
  // The only port of east that others accept is replaced by two ports that it did not serve before.
  'east takes the ports of west': 'east',
  'west withdraws': 'west',
  'east withdraws': 'east',
};

/**
 * The API server deletes the Endpoints of a Service with it, no matter which client created them.
 */
function goesWithService(
  { server: { admin } }: VirtualCluster,
  { kind, metadata: { namespace, name } }: KubernetesObject,
  after: KubernetesObject | undefined,
): boolean {
  return kind === 'Endpoints' && after === undefined && admin.get(Service, { namespace, name }) === undefined;
}

/** A write of a controller in the story. */
export interface StoryWrite extends FleetWrite {
  /** The step, from 0. */
  readonly step: number;
  /** Counts the writes of the step, from 1. */
  readonly ofStep: number;
}

/**
 * Runs the story of docs/spec/wire.md §8. Records every broken guarantee at the moment of the write
 * that breaks it. It ends after `steps` steps, by default at its end.
 */
export async function runStory(onWrite?: (write: StoryWrite) => WriteVerdict, steps?: number): Promise<StoryRun> {
  let ofStep = 0;
  const writes: number[] = [];
  let deaths = 0;
  let counting = false;
  await using fleet = await createVirtualFleet({
    clusters: { north: 'leader', east: 'member', west: 'member' },
    onWrite(write) {
      if (!counting) return 'pass';
      // Heartbeats depend on time, not on the story. A death at a heartbeat is the same as one
      // between two other writes.
      if (write.path.includes('memberclusterannounces')) return 'pass';
      ofStep += 1;
      const verdict = onWrite?.({ ...write, step: writes.length, ofStep }) ?? 'pass';
      if (verdict !== 'pass') deaths += 1;
      return verdict;
    },
  });
  counting = true;
  const foreign = putForeign(fleet);
  const breaches: string[] = [];
  let step: StoryStep | undefined;
  for (const cluster of fleet.clusters) {
    cluster.server.admin.onChange(({ key, before, after }) => {
      if (
        before !== undefined &&
        foreign.has(before) &&
        !foreign.isReportOf(before, after) &&
        !goesWithService(cluster, before, after)
      )
        breaches.push(`${step?.name}: ${cluster.name}: ${key} was touched`);
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
    watchOutages(
      cluster,
      (source) => takenFrom[step?.name ?? ''] === source,
      (what) => breaches.push(`${step?.name}: ${what}`),
    );
  }
  // All controllers have seen the foreign objects before the story begins.
  await fleet.clock.advance(1_000);
  const states: (readonly string[])[] = [];
  for (step of cartStory.slice(0, steps)) {
    const { name, holds } = step;
    step.act(fleet);
    await fleet.until(name, () => (holds === isClean ? isClean(fleet, foreign.has) : holds(fleet)));
    // A ServiceImport is Ready until what is wrong has lasted for ten seconds.
    await fleet.clock.advance(25_000);
    states.push(fleetState(fleet));
    writes.push(ofStep);
    ofStep = 0;
  }
  for (const line of fleet.requestLog()) {
    const [, user, method, path] = line.split(' ');
    if (
      user?.startsWith('system:serviceaccount:') === true &&
      method !== 'GET' &&
      !theirs.some((pattern) => pattern.test(`${method} ${path}`))
    )
      breaches.push(`written: ${line}`);
  }
  breaches.push(...foreign.touched().map((what) => `at the end: ${what} is not what it was`));
  return { states, breaches, writes, deaths };
}
