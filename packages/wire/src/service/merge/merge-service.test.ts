import { describe, expect, it } from 'vitest';
import { mergeService } from './merge-service.ts';
import { exportOf, ports, servedBy, t1, t2 } from './testing/exports.ts';
import type { ExportedService } from './types.ts';

const headless = { clusterIP: 'None' } as const;

/** Both clusters serve each of their own ports, west at 10.97.0.10 and east at 10.96.0.20. */
function bothServing(older: ExportedService, younger: ExportedService): readonly ExportedService[] {
  return [older, younger].map((exported, index) => ({
    ...exported,
    endpoints: {
      subsets: [{ addresses: [{ ip: ['10.97.0.10', '10.96.0.20'][index] ?? '' }], ports: exported.service.ports }],
    },
  }));
}

describe('the port rules of docs/spec/merge.md §3', () => {
  const rows: readonly {
    readonly row: string;
    readonly older: string;
    readonly younger: string;
    readonly merged: string;
    readonly east: readonly string[];
    readonly message?: string;
  }[] = [
    { row: '1', older: 'http TCP 80', younger: 'http TCP 80', merged: 'http TCP 80', east: ['http'] },
    {
      row: '2',
      older: 'http TCP 80',
      younger: 'http TCP 8081',
      merged: 'http TCP 80',
      east: [],
      message:
        "Port http is TCP 80 in west (exported first) and TCP 8081 in east; east's endpoints are not used for it",
    },
    {
      row: '3',
      older: 'http TCP 80',
      younger: 'web TCP 80',
      merged: 'http TCP 80',
      east: [],
      message: "Port TCP 80 is http in west (exported first) and web in east; east's endpoints are not used for it",
    },
    {
      row: '4',
      older: 'http TCP 80',
      younger: 'admin TCP 9000',
      merged: 'http TCP 80, admin TCP 9000',
      east: ['admin'],
      message: 'Port http TCP 80 is exposed only by west. Port admin TCP 9000 is exposed only by east',
    },
    {
      row: '5',
      older: 'http TCP 80, m TCP 90',
      younger: 'm TCP 90, http TCP 80',
      merged: 'http TCP 80, m TCP 90',
      east: ['http', 'm'],
    },
    {
      row: '6',
      older: 'http TCP 80',
      younger: 'http UDP 80',
      merged: 'http TCP 80',
      east: [],
      message: "Port http is TCP 80 in west (exported first) and UDP 80 in east; east's endpoints are not used for it",
    },
    {
      row: '7',
      older: 'dns UDP 53',
      younger: 'dns-tcp TCP 53',
      merged: 'dns UDP 53, dns-tcp TCP 53',
      east: ['dns-tcp'],
      message: 'Port dns UDP 53 is exposed only by west. Port dns-tcp TCP 53 is exposed only by east',
    },
    { row: '8', older: '- TCP 80', younger: '- TCP 80', merged: '- TCP 80', east: [''] },
    {
      row: '9',
      older: '- TCP 80',
      younger: '- TCP 81',
      merged: '- TCP 80',
      east: [],
      message:
        "The unnamed port is TCP 80 in west (exported first) and TCP 81 in east; east's endpoints are not used for it",
    },
    {
      row: '10',
      older: 'http TCP 80 h2c',
      younger: 'http TCP 80',
      merged: 'http TCP 80 h2c',
      east: ['http'],
      message: 'The appProtocol of port http is h2c in west (exported first) and not set in east',
    },
  ];

  it.each(rows)('row $row: $older, then $younger', ({ older, younger, merged: expected, east, message }) => {
    const merged = mergeService(bothServing(exportOf('west', t1, older), exportOf('east', t2, younger)));
    expect(merged.import).toEqual({ type: 'ClusterSetIP', ports: ports(expected) });
    expect(merged.accepted.get('west')).toEqual(new Set(ports(older).map((port) => port.name ?? '')));
    expect(merged.accepted.get('east')).toEqual(new Set(east));
    expect(merged.subsets.some(({ addresses }) => addresses[0]?.ip === '10.96.0.20')).toBe(east.length > 0);
    const condition =
      message === undefined
        ? { type: 'Conflict', status: 'False', reason: 'NoConflicts', message: 'All exports of the Service agree' }
        : { type: 'Conflict', status: 'True', reason: 'PortConflict', message };
    expect([...merged.conflicts]).toEqual([
      ['east', condition],
      ['west', condition],
    ]);
    expect(merged.problems).toEqual([]);
  });

  it('row 11: a headless export wins over a younger ClusterSetIP one, whose endpoints serve where they are Pod IPs', () => {
    const west = servedBy(exportOf('west', t1, 'http TCP 80', headless), '10.20.1.5', 'http TCP 8080');
    const east = servedBy(exportOf('east', t2, 'http TCP 80'), '10.96.0.20', 'http TCP 80');

    const withClusterIPs = mergeService([west, east]);
    expect(withClusterIPs.import?.type).toBe('Headless');
    expect(withClusterIPs.accepted.get('east')).toEqual(new Set());
    expect(withClusterIPs.subsets.flatMap(({ addresses }) => addresses)).toEqual([{ ip: '10.20.1.5' }]);
    expect(withClusterIPs.perCluster.get('east')).toEqual([]);
    expect(withClusterIPs.conflicts.get('west')).toEqual({
      type: 'Conflict',
      status: 'True',
      reason: 'TypeConflict',
      message: "The type is Headless in west (exported first) and ClusterSetIP in east; east's endpoints are not used",
    });

    const withPodIPs = mergeService([west, { ...east, endpointIPType: 'PodIP' }]);
    expect(withPodIPs.accepted.get('east')).toEqual(new Set(['http']));
    expect(withPodIPs.subsets.flatMap(({ addresses }) => addresses)).toEqual([
      { ip: '10.96.0.20' },
      { ip: '10.20.1.5' },
    ]);
    expect(withPodIPs.conflicts.get('east')).toEqual({
      type: 'Conflict',
      status: 'True',
      reason: 'TypeConflict',
      message: 'The type is Headless in west (exported first) and ClusterSetIP in east',
    });
  });

  it('row 11 turned round: the Pod IPs of a younger headless export serve under ClusterSetIP', () => {
    const west = servedBy(exportOf('west', t1, 'http TCP 80'), '10.97.0.10', 'http TCP 80');
    const east = servedBy(exportOf('east', t2, 'http TCP 80', headless), '10.10.3.4', 'http TCP 8080');
    const merged = mergeService([west, east]);
    expect(merged.import?.type).toBe('ClusterSetIP');
    expect(merged.subsets).toEqual([
      { addresses: [{ ip: '10.10.3.4' }], ports: ports('http TCP 8080') },
      { addresses: [{ ip: '10.97.0.10' }], ports: ports('http TCP 80') },
    ]);
    expect(merged.conflicts.get('east')?.reason).toBe('TypeConflict');
  });

  it('row 12: when the older export goes, the younger one is all there is', () => {
    const merged = mergeService([exportOf('east', t2, 'http TCP 8081')]);
    expect(merged.import?.ports).toEqual(ports('http TCP 8081'));
    expect(merged.conflicts.get('east')).toMatchObject({ status: 'False', reason: 'NoConflicts' });
  });
});

describe('the example of docs/spec/wire.md §8.2', () => {
  const service = { sessionAffinity: 'None', internalTrafficPolicy: 'Cluster', ipFamilies: ['IPv4'] } as const;
  const clusterIPExport = (clusterID: string, firstExported: string, ip: string, portList: string): ExportedService => {
    const exposed = ports(portList);
    return {
      clusterID,
      firstExported,
      service: { ...service, ports: exposed.map((port) => ({ ...port, targetPort: 8080 })) },
      endpoints: {
        subsets: [{ addresses: [{ ip }], ports: exposed }],
        endpointSlices: [
          { addressType: 'IPv4', endpoints: [{ addresses: [ip], conditions: { ready: true } }], ports: exposed },
        ],
      },
    };
  };
  const west = clusterIPExport('west', t1, '10.97.0.10', 'http TCP 80, metrics TCP 9090');
  const east = clusterIPExport('east', t2, '10.96.0.20', 'http TCP 8081, admin TCP 9000');

  it.each([
    ['west first', [west, east]],
    ['east first', [east, west]],
  ])('comes out word for word, the exports given %s', (_, exports) => {
    const conflict = {
      type: 'Conflict',
      status: 'True',
      reason: 'PortConflict',
      message:
        "Port http is TCP 80 in west (exported first) and TCP 8081 in east; east's endpoints are not used for it",
    };
    const ready = (ip: string) => [{ addresses: [ip], conditions: { ready: true } }];
    expect(mergeService(exports)).toStrictEqual({
      import: {
        type: 'ClusterSetIP',
        ports: ports('http TCP 80, metrics TCP 9090, admin TCP 9000'),
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
      },
      accepted: new Map([
        ['east', new Set(['admin'])],
        ['west', new Set(['http', 'metrics'])],
      ]),
      subsets: [
        { addresses: [{ ip: '10.96.0.20' }], ports: ports('admin TCP 9000') },
        { addresses: [{ ip: '10.97.0.10' }], ports: ports('http TCP 80, metrics TCP 9090') },
      ],
      perCluster: new Map([
        ['east', [{ addressType: 'IPv4', endpoints: ready('10.96.0.20'), ports: ports('admin TCP 9000') }]],
        [
          'west',
          [{ addressType: 'IPv4', endpoints: ready('10.97.0.10'), ports: ports('http TCP 80, metrics TCP 9090') }],
        ],
      ]),
      conflicts: new Map([
        ['east', conflict],
        ['west', conflict],
      ]),
      problems: [],
    });
  });
});

describe('precedence', () => {
  it('goes by the cluster ID, bytewise, where times are equal, however they are written', () => {
    const merged = mergeService([
      exportOf('east1', '2026-03-01T00:00:00Z', 'http TCP 81'),
      exportOf('east-1', '2026-03-01T01:00:00+01:00', 'http TCP 80'),
    ]);
    expect(merged.import?.ports).toEqual(ports('http TCP 80'));
    expect(merged.conflicts.get('east1')?.message).toBe(
      "Port http is TCP 80 in east-1 (exported first; ties go to the lower cluster ID) and TCP 81 in east1; east1's endpoints are not used for it",
    );
  });

  it('reports it where it decides against only one of several', () => {
    const merged = mergeService([
      exportOf('a', t1, 'http TCP 80'),
      exportOf('b', t1, 'http TCP 81'),
      exportOf('c', t2, 'http TCP 82'),
    ]);
    expect(merged.conflicts.get('a')?.message).toContain('in a (exported first; ties go to the lower cluster ID)');
  });

  it('puts an export whose time cannot be read last, and reports it', () => {
    const merged = mergeService([exportOf('a', 'yesterday', 'http TCP 81'), exportOf('z', t2, 'http TCP 80')]);
    expect(merged.import?.ports).toEqual(ports('http TCP 80'));
    expect(merged.problems).toEqual([
      {
        clusterID: 'a',
        message: 'time of the first export: "yesterday" is not an RFC 3339 time; the export counts as the youngest',
      },
    ]);
  });
});

it('reports to a cluster that its endpoints have more sets of ports than others import, and publishes them', () => {
  const withSets = (count: number) =>
    mergeService([
      {
        ...exportOf('a', t1, 'http TCP 80'),
        endpoints: {
          endpointSlices: Array.from({ length: count }, (_, index) => ({
            addressType: 'IPv4' as const,
            endpoints: [{ addresses: ['10.20.1.5'] }],
            ports: [{ name: 'http', port: 1 + index, protocol: 'TCP' }],
          })),
        },
      },
    ]);
  expect(withSets(100).problems).toEqual([]);
  const merged = withSets(101);
  expect(merged.perCluster.get('a')).toHaveLength(101);
  expect(merged.problems).toEqual([
    {
      clusterID: 'a',
      message:
        'the endpoints have 101 sets of ports; other clusters leave out those after the first 100. Give the Pods of the Service the same target ports',
    },
  ]);
});

it('gives no import where there is no export', () => {
  const nothing = { accepted: new Map(), subsets: [], perCluster: new Map(), conflicts: new Map(), problems: [] };
  expect(mergeService([])).toStrictEqual(nothing);
});

describe('a port that one exporter has renamed', () => {
  const west = (name: string, endpoints: string) =>
    servedBy(exportOf('west', t1, `${name} TCP 80`), '10.1.0.1', `${endpoints} TCP 8080`);
  const published = ports('http TCP 80');

  it('keeps the published name until the endpoints have the new one', () => {
    expect(mergeService([west('web', 'http')], published)).toEqual(mergeService([west('http', 'http')]));
    expect(mergeService([west('web', 'web')], published)).toEqual(mergeService([west('web', 'web')]));
  });

  it('has the new name at once where nothing is published, and where there are no endpoints', () => {
    expect(mergeService([west('web', 'http')]).import?.ports).toEqual(ports('web TCP 80'));
    const unserved = mergeService([exportOf('west', t1, 'web TCP 80')], published);
    expect(unserved.import?.ports).toEqual(ports('web TCP 80'));
  });
});
