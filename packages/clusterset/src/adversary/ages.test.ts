import type { ResourceExport, ResourceImport } from '@isthmus/api';
import { Annotation, Namespace, ResourceImport as ResourceImportType, ServiceExport } from '@isthmus/api';
import {
  createVirtualFleet,
  exportCondition,
  exportService,
  importedPorts,
  leaderNamespace,
  putService,
  unexportService,
} from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { decideService } from '../leader/service/decide.ts';

const http = (port: number) => [{ name: 'http', protocol: 'TCP', port, targetPort: 8080 }];
const webApi = { namespace: 'prod', name: 'web-api' };
const api = { namespace: 'prod-web', name: 'api' };

function serviceExport(clusterID: string, ref: typeof api, created: string): ResourceExport {
  return {
    metadata: { name: `${clusterID}-${ref.namespace}-${ref.name}-service`, uid: clusterID, creationTimestamp: created },
    spec: { clusterID, kind: 'Service', ...ref, service: { serviceSpec: { ports: http(80) } } },
  };
}

describe('two Services that share a name on the leader', () => {
  it('do not inherit the age that the leader has noted for the other', () => {
    const stamped: ResourceImport = {
      metadata: {
        name: 'prod-web-api-endpoints.west',
        labels: { 'app.kubernetes.io/managed-by': 'isthmus' },
        annotations: { [Annotation.firstExported]: '2026-11-21T10:00:00Z' },
      },
      spec: { kind: 'EndpointSlices', ...api, endpointSlices: [] },
    };
    const { wanted } = decideService({
      exports: [
        serviceExport('west', webApi, '2026-11-21T10:02:00Z'),
        serviceExport('east', api, '2026-11-21T10:01:00Z'),
      ],
      imports: [stamped],
      now: '2026-11-21T10:03:00Z',
      mayBeIncomplete: () => false,
    });
    expect(wanted.map(({ object }) => object.spec?.namespace)).toEqual(['prod-web', 'prod-web', 'prod-web']);
  });

  it('do not echo the age of the other either', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' } });
    const west = fleet.cluster('west');
    west.server.admin.put(Namespace, { metadata: { name: 'prod' } });
    // Both ServiceExports are as old; only the first has a Service.
    exportService(west, webApi);
    putService(west, http(80), api);
    exportService(west, api);
    await fleet.until('the one is exported', () => exportCondition(west, 'Ready', api) === 'True Exported');
    await fleet.clock.advance(60_000);
    unexportService(west, api);
    putService(west, http(81), webApi);
    await fleet.until('the other is exported', () => importedPorts(west, webApi).join() === 'http TCP 81');
    const { admin } = fleet.leader.server;
    const noted = admin.get(ResourceImportType, { namespace: leaderNamespace, name: 'prod-web-api-endpoints.west' });
    const made = admin.get(ServiceExport, webApi)?.metadata.creationTimestamp ?? '';
    expect((noted?.metadata.annotations?.[Annotation.firstExported] ?? '') > made).toBe(true);
  });
});
