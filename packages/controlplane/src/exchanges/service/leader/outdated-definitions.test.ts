import {
  Label,
  MemberClusterAnnounce,
  Namespace,
  ResourceExport,
  ResourceImport,
  memberAnnounceName,
} from '@isthmus/api';
import { createClient, createEventRecorder, memoryLog, noMetrics } from '@isthmus/kube';
import { rfc3339, seededRandom } from '@isthmus/machinery';
import { createSandbox } from '@isthmus/sandbox';
import type { SandboxImage } from '@isthmus/sandbox';
import { clusterAdmin, createVirtualClock, definitions } from '@isthmus/fleet-sim';
import { wireAtBeat } from '@isthmus/wire';
import { leaderAdmission } from '@isthmus/install';
import { describe, expect, it } from 'vitest';
import { createLeader } from '../../../leader/leader.ts';

const namespace = 'antrea-multicluster';

function exportsOf(clusterID: string, ip: string): readonly ResourceExport[] {
  const tuple = { namespace: 'shop', name: 'cart' };
  const ports = [{ name: 'http', port: 80, protocol: 'TCP' }];
  const payloads = {
    Service: { service: { serviceSpec: { ports } } },
    Endpoints: { endpoints: { subsets: [{ addresses: [{ ip }], ports }] } },
  };
  return (['Service', 'Endpoints'] as const).map((kind) => ({
    metadata: {
      name: `${clusterID}-shop-cart-${kind.toLowerCase()}`,
      namespace,
      labels: { sourceClusterID: clusterID },
    },
    spec: { clusterID, kind, ...tuple, ...payloads[kind] },
  }));
}

/**
 * The imports of `shop/cart` that a leader creates with these CRDs, and its warnings. `announces`:
 * the exporter announces itself.
 */
async function merged(image: SandboxImage, { announces }: { readonly announces: boolean }) {
  const clock = createVirtualClock({ startMs: Date.parse('2026-11-21T10:00:00Z') });
  const server = createSandbox({ name: 'north', clock, image });
  server.admin.put(Namespace, { metadata: { name: namespace } });
  for (const object of exportsOf('west', '10.97.0.10')) server.admin.put(ResourceExport, object);
  if (announces) {
    const touchTs = rfc3339(clock.now());
    server.admin.put(MemberClusterAnnounce, {
      metadata: {
        name: memberAnnounceName('west'),
        namespace,
        annotations: { 'touch-ts': touchTs, 'isthmus.dev/wire': wireAtBeat(touchTs) },
      },
      clusterID: 'west',
    });
  }
  const log = memoryLog();
  const world = { clock, random: seededRandom(1), log, metrics: noMetrics };
  const client = createClient({ transport: server.transport(clusterAdmin), clock });
  const end = new AbortController();
  const recorder = { ...world, client, component: 'isthmus-leader', instance: 'north', signal: end.signal };
  const events = createEventRecorder(recorder);
  const run = createLeader({
    client,
    namespace,
    version: '0.1.0',
    events,
    world,
    admission: leaderAdmission({ client, namespace, world }),
  }).run(end.signal);
  await clock.advance(5_000);
  const imports = server.admin.list(ResourceImport, namespace);
  end.abort();
  await clock.advance(60_000);
  await run;
  return { imports, warnings: log.entries.filter(({ level }) => level === 'warn').map(({ message }) => message) };
}

/** Members of 0.1.0 ignore imports with this label that contain merged endpoints. */
const kindLabel = (imports: readonly ResourceImport[], name: string) =>
  imports.find(({ metadata }) => metadata.name === name)?.metadata.labels?.[Label.sourceKind];

describe('a leader over resource definitions that lack what is ours', () => {
  it.each([false, true])(
    'leaves the merged endpoints without the label by which members pass them over, and warns once',
    async (announces) => {
      const { imports, warnings } = await merged(await definitions.antreas(), { announces });
      const slices = imports.find(({ metadata }) => metadata.name === 'shop-cart-endpoints.west');
      expect(slices?.spec).toEqual({ kind: 'EndpointSlices', namespace: 'shop', name: 'cart' });
      const list = imports.find(({ metadata }) => metadata.name === 'shop-cart-endpoints');
      expect([list?.spec?.clusterID, kindLabel(imports, 'shop-cart-endpoints')]).toEqual([undefined, undefined]);
      expect(warnings).toEqual([expect.stringContaining('apply the current resource definitions')]);
    },
  );

  it('labels them where the endpoints of each cluster are beside them', async () => {
    const { imports, warnings } = await merged(await definitions.ours(), { announces: false });
    expect(kindLabel(imports, 'shop-cart-endpoints')).toBe('Endpoints');
    expect(kindLabel(imports, 'shop-cart-endpoints.west')).toBe('EndpointSlices');
    expect(warnings).toEqual([]);
  });
});
