/**
 * A program that `record.ts` runs in a checkout of an earlier version, whose packages it then
 * imports: prints the objects of a fleet by cluster, as a JSON document, after its members have
 * imported all.
 */
import * as api from '@isthmus/api';
import type { ResourceType } from '@isthmus/machinery';
import { apiVersionOf } from '@isthmus/machinery';
import { createVirtualFleet, eastPorts, exportService, putService, westPorts } from '@isthmus/fleet-sim';
import { clusters, exported, recordedKinds } from './fleet.ts';

await using fleet = await createVirtualFleet({ clusters, endpointIPType: 'PodIP' });
for (const [index, { name, by }] of exported.entries())
  for (const [place, cluster] of by.entries()) {
    const at = fleet.cluster(cluster);
    const ref = { namespace: 'shop', name };
    putService(at, place === 0 ? westPorts : eastPorts, ref);
    const [node] = at.server.admin.list(api.Node);
    const podIP = `10.${cluster === 'west' ? 20 : 10}.1.${index + 1}`;
    at.server.admin.put(api.Pod, {
      metadata: { name: `${name}-1`, namespace: 'shop', labels: { app: name } },
      spec: { nodeName: node?.metadata.name, containers: [{ name: 'main', image: 'cart' }] },
      status: { phase: 'Running', podIP, podIPs: [{ ip: podIP }], conditions: [{ type: 'Ready', status: 'True' }] },
    });
    exportService(at, ref);
    await fleet.clock.advance(5_000);
  }
await fleet.clock.advance(120_000);

// An earlier version may lack some of them.
const types = recordedKinds.flatMap((kind) => {
  const type = (api as unknown as Readonly<Record<string, ResourceType | undefined>>)[kind];
  return type === undefined ? [] : [type];
});
const objects = fleet.clusters.map(({ name, server }) => [
  name,
  types.flatMap((type) =>
    server.admin.list(type).map((object) => ({ ...object, apiVersion: apiVersionOf(type), kind: type.kind })),
  ),
]);
process.stdout.write(JSON.stringify(Object.fromEntries(objects)));
