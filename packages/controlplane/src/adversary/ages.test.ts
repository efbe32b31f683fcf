import type { ResourceExport, ResourceImport } from '@isthmus/api';
import { Annotation, ResourceExport as ResourceExportType, ResourceImport as ResourceImportType } from '@isthmus/api';
import { createVirtualFleet, exportService, leaderNamespace, putService } from '@isthmus/fleet-sim';
import { unknownReaders } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import { noAnswers } from '../common-area/write-imports.ts';
import { decideService } from '../exchanges/service/leader/decide.ts';

const http = (port: number) => [{ name: 'http', protocol: 'TCP', port, targetPort: 8080 }];
const webApi = { namespace: 'prod', name: 'web-api' };
const api = { namespace: 'prod-web', name: 'api' };

function serviceExport(clusterID: string, ref: typeof api, created: string): ResourceExport {
  return {
    metadata: {
      name: `${clusterID}-${ref.namespace}-${ref.name}-service`,
      uid: clusterID,
      creationTimestamp: created,
      labels: { sourceClusterID: clusterID },
    },
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
      readers: unknownReaders,
      incompleteForMs: new Map(['west', 'east'].map((uid) => [uid, 60_000])),
      ...noAnswers,
    });
    expect(wanted.map(({ spec }) => spec?.namespace)).toEqual([
      ...Array.from({ length: 3 }, () => 'prod-web'),
      ...Array.from({ length: 3 }, () => 'prod'),
    ]);
  });

  it('do not echo the age of the other either', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', west: 'member' } });
    const west = fleet.cluster('west');
    const { admin } = fleet.leader.server;
    fleet.leader.kill();
    admin.put(ResourceImportType, {
      metadata: {
        name: 'prod-web-api-endpoints.west',
        namespace: leaderNamespace,
        labels: { sourceClusterID: 'west' },
        annotations: { [Annotation.firstExported]: '2026-11-21T12:00:00Z' },
      },
      spec: { kind: 'EndpointSlices', ...api, endpointSlices: [] },
    });
    putService(west, http(80), webApi);
    exportService(west, webApi);
    const exported = () =>
      admin.get(ResourceExportType, { namespace: leaderNamespace, name: 'west-prod-web-api-service' });
    await fleet.until('it is exported', () => exported() !== undefined);
    expect(exported()?.metadata.annotations?.[Annotation.firstExported]).toBeUndefined();
  });
});
