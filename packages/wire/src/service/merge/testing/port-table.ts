/**
 * The table of ports of docs/spec/merge.md §3 as cases whose results are written by hand.
 * Test-only.
 */
import { exporter } from './exporters.ts';
import type { Exporter, ExporterPort, Verdict } from './oracle.ts';

const pods = (address: string, ports: readonly ExporterPort[]): Exporter['groups'][number] => ({
  addressType: 'IPv4',
  ready: [address],
  notReady: [],
  ports: ports.map(({ name, protocol, targetPort }) => ({ name, protocol, port: targetPort })),
});

/** Two exporters with Pods: `west` older at 10.1.0.1, `east` younger at 10.2.0.1. */
const older = (ports: readonly ExporterPort[], overrides: Partial<Exporter> = {}): Exporter =>
  exporter('west', '2026-03-01T00:00:00Z', {
    ports,
    addresses: 'PodIP',
    groups: [pods('10.1.0.1', ports)],
    ...overrides,
  });
const younger = (ports: readonly ExporterPort[], overrides: Partial<Exporter> = {}): Exporter =>
  exporter('east', '2026-03-01T00:00:01Z', {
    ports,
    addresses: 'PodIP',
    groups: [pods('10.2.0.1', ports)],
    ...overrides,
  });

/**
 * `http/TCP/80`, `/TCP/80` for the unnamed one, `http/TCP/80/h2c` with an appProtocol. All target
 * 8080.
 */
const ports = (text: string): readonly ExporterPort[] =>
  text.split(' ').map((one) => {
    const [name, protocol, port, appProtocol] = one.split('/');
    return { ...(name === '' ? {} : { name }), protocol, port: Number(port), appProtocol, targetPort: 8080 };
  });

export interface PortRow {
  readonly row: string;
  readonly exporters: readonly Exporter[];
  readonly merged: string;
  readonly reason: string;
  /** Names of the ports that each cluster's endpoints serve. */
  readonly accepted: Readonly<Record<string, readonly string[]>>;
}

const headless = { headless: true };

/** docs/spec/merge.md §3, by hand. */
export const portRows: readonly PortRow[] = [
  {
    row: '1: equal ports agree',
    exporters: [older(ports('http/TCP/80')), younger(ports('http/TCP/80'))],
    merged: 'http/TCP/80',
    reason: 'NoConflicts',
    accepted: { west: ['http'], east: ['http'] },
  },
  {
    row: '2: a name with another number loses',
    exporters: [older(ports('http/TCP/80')), younger(ports('http/TCP/8081'))],
    merged: 'http/TCP/80',
    reason: 'PortConflict',
    accepted: { west: ['http'], east: [] },
  },
  {
    row: '3: a number with another name loses',
    exporters: [older(ports('http/TCP/80')), younger(ports('web/TCP/80'))],
    merged: 'http/TCP/80',
    reason: 'PortConflict',
    accepted: { west: ['http'], east: [] },
  },
  {
    row: '4: disjoint ports unite',
    exporters: [older(ports('http/TCP/80')), younger(ports('admin/TCP/9000'))],
    merged: 'http/TCP/80 admin/TCP/9000',
    reason: 'PortConflict',
    accepted: { west: ['http'], east: ['admin'] },
  },
  {
    row: '5: order does not count',
    exporters: [older(ports('http/TCP/80 m/TCP/90')), younger(ports('m/TCP/90 http/TCP/80'))],
    merged: 'http/TCP/80 m/TCP/90',
    reason: 'NoConflicts',
    accepted: { west: ['http', 'm'], east: ['http', 'm'] },
  },
  {
    row: '6: a name with another protocol loses',
    exporters: [older(ports('http/TCP/80')), younger(ports('http/UDP/80'))],
    merged: 'http/TCP/80',
    reason: 'PortConflict',
    accepted: { west: ['http'], east: [] },
  },
  {
    row: '7: one number under two protocols does not clash',
    exporters: [older(ports('dns/UDP/53')), younger(ports('dns-tcp/TCP/53'))],
    merged: 'dns/UDP/53 dns-tcp/TCP/53',
    reason: 'PortConflict',
    accepted: { west: ['dns'], east: ['dns-tcp'] },
  },
  {
    row: '8: equal unnamed ports agree',
    exporters: [older(ports('/TCP/80')), younger(ports('/TCP/80'))],
    merged: '/TCP/80',
    reason: 'NoConflicts',
    accepted: { west: [''], east: [''] },
  },
  {
    row: '9: the empty name is a name',
    exporters: [older(ports('/TCP/80')), younger(ports('/TCP/81'))],
    merged: '/TCP/80',
    reason: 'PortConflict',
    accepted: { west: [''], east: [] },
  },
  {
    row: '10: another appProtocol conflicts but serves',
    exporters: [older(ports('http/TCP/80/h2c')), younger(ports('http/TCP/80'))],
    merged: 'http/TCP/80/h2c',
    reason: 'PortConflict',
    accepted: { west: ['http'], east: ['http'] },
  },
  {
    row: '11: under a headless import Pod IPs of another type serve',
    exporters: [older(ports('http/TCP/80'), headless), younger(ports('http/TCP/80'))],
    merged: 'http/TCP/80',
    reason: 'TypeConflict',
    accepted: { west: ['http'], east: ['http'] },
  },
  {
    row: '11: under a headless import a ClusterIP does not serve',
    exporters: [older(ports('http/TCP/80'), headless), younger(ports('http/TCP/80'), { addresses: 'ClusterIP' })],
    merged: 'http/TCP/80',
    reason: 'TypeConflict',
    accepted: { west: ['http'], east: [] },
  },
  {
    row: '12: once the older export is gone, the younger stands alone',
    exporters: [younger(ports('http/TCP/8081'))],
    merged: 'http/TCP/8081',
    reason: 'NoConflicts',
    accepted: { east: ['http'] },
  },
  {
    row: "2 and 3 with a third: a port that lost takes nobody's place",
    exporters: [
      older(ports('http/TCP/80')),
      younger(ports('web/TCP/80')),
      exporter('north', '2026-03-01T00:00:02Z', { ports: ports('web/TCP/81') }),
    ],
    merged: 'http/TCP/80 web/TCP/81',
    reason: 'PortConflict',
    accepted: { west: ['http'], east: [], north: ['web'] },
  },
];

export const inWords = (
  verdict: Verdict,
): Omit<PortRow, 'row' | 'exporters'> & { readonly reasons: readonly string[] } => ({
  merged: verdict.import.ports
    .map(({ name, protocol, port, appProtocol }) =>
      [name, protocol, port, ...(appProtocol === undefined ? [] : [appProtocol])].join('/'),
    )
    .join(' '),
  reason: Object.values(verdict.clusters)[0]?.reason ?? '',
  reasons: [...new Set(Object.values(verdict.clusters).map(({ reason }) => reason))],
  accepted: Object.fromEntries(
    Object.entries(verdict.clusters).map(([clusterID, { accepted }]) => [clusterID, accepted]),
  ),
});
