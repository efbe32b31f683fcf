import { describe, expect, it } from 'vitest';
import { mergeService } from '../merge-service.ts';
import { exportOf, t1, t2 } from '../testing/exports.ts';
import { wholeFieldRows } from '../testing/whole-field-examples.ts';
import type { ConflictCondition, ExportedPort, ExportedService } from '../types.ts';
import { conflictReasons } from '../conflict-reasons.ts';

function conditionOf(exports: readonly ExportedService[]): ConflictCondition | undefined {
  const conditions = [...mergeService(exports).conflicts.values()];
  for (const condition of conditions) expect(condition).toEqual(conditions[0]);
  return conditions[0];
}

/** Cluster IDs c000, c001, …: in the order of their age if times are equal. */
function clusters(count: number, exported: (index: number) => ExportedService['service']): readonly ExportedService[] {
  return Array.from({ length: count }, (_, index) => ({
    clusterID: `c${String(index).padStart(3, '0')}`,
    firstExported: index === 0 ? t1 : t2,
    service: exported(index),
  }));
}

describe('the message', () => {
  it('counts who disagrees where more than two export', () => {
    const exports = [
      exportOf('west', t1, 'http TCP 80'),
      exportOf('east', t2, 'http TCP 8081'),
      exportOf('north', t2, 'http TCP 80'),
      exportOf('south', t2, 'http UDP 80'),
      exportOf('south-1', t2, 'http TCP 8081'),
    ];
    expect(conditionOf(exports)?.message).toBe(
      'Port http is TCP 80 in west (exported first), TCP 8081 in east, south-1 and UDP 80 in south; ' +
        'the endpoints of east, south, south-1 are not used for it; 3 of 5 clusters disagree',
    );
  });

  it('names those that a whole-value field counts out', () => {
    const exports = clusters(3, (index) => (index === 2 ? { trafficDistribution: 'PreferClose' } : {}));
    expect(conditionOf(exports)?.message).toBe(
      'Field trafficDistribution is not set in c000 (exported first) and PreferClose in c002; 1 of 3 clusters disagree',
    );
  });

  it('names which clusters have a port that others merely lack', () => {
    const exports = [
      exportOf('a', t1, 'http TCP 80'),
      exportOf('b', t2, 'http TCP 80, admin TCP 9000'),
      exportOf('c', t2, 'http TCP 80, admin TCP 9000'),
    ];
    expect(conditionOf(exports)).toMatchObject({
      reason: 'PortConflict',
      message: 'Port admin TCP 9000 is exposed by 2 of 3 clusters: b, c',
    });
  });

  it('cuts long lists and ends them with a count', () => {
    const exports = clusters(200, (index) => ({ ports: [{ name: 'http', port: 80 + (index % 50) }] }));
    expect(conditionOf(exports)?.message).toBe(
      'Port http is TCP 80 in c000 (exported first), TCP 81 in c001, c051, c101, c151, TCP 82 in c002, c052, c102, c152, ' +
        'TCP 83 in c003, c053, c103, c153 and 46 more values elsewhere; ' +
        'the endpoints of c001, c002, c003, c004 and 192 more are not used for it; 196 of 200 clusters disagree',
    );
  });

  it('spells out eight contradictions between ports and counts the others', () => {
    const service = (port: number) => ({
      ports: Array.from({ length: 25 }, (_, index) => ({ name: `p${index}`, port: port + index })),
    });
    const message = conditionOf(clusters(2, (index) => service(index === 0 ? 100 : 200)))?.message ?? '';
    expect(message.split('. ')).toHaveLength(9);
    expect(message).toMatch(
      /^Port p0 is TCP 100 in c000 \(exported first\) and TCP 200 in c001;.*\. 17 more contradictions between ports$/,
    );
  });

  it('spells out eight ports that some lack and counts the others', () => {
    const service = { ports: Array.from({ length: 25 }, (_, index) => ({ name: `p${index}`, port: 100 + index })) };
    const message = conditionOf(clusters(2, (index) => (index === 0 ? service : { ports: [] })))?.message ?? '';
    expect(message.split('. ').at(-1)).toBe('17 more ports are not exposed by all');
  });
});

describe('the limits of the API server', () => {
  // Everything is as long as possible: 63 characters of a name, 253 more of a prefix. Several
  // clusters have each value.
  const long = (text: unknown) => String(text).padStart(63, 'x');
  const qualified = (index: number) => `${'a.'.repeat(126)}a/${long(index % 7)}`;
  const portLists: Readonly<Record<string, (cluster: number, port: number) => ExportedPort>> = {
    'protocols of applications': (cluster, port) => ({
      name: long(port),
      port: 60_000 + port,
      appProtocol: qualified(cluster),
    }),
    numbers: (cluster, port) => ({ name: long(port), port: 60_000 + port + 1000 * -(cluster % 7) }),
    names: (cluster, port) => ({ name: long(port + 1000 * (cluster % 7)), port: 60_000 + port }),
  };
  const worst = (portOf: (cluster: number, port: number) => ExportedPort): readonly ExportedService[] =>
    Array.from({ length: 60 }, (_, index) => ({
      clusterID: long(index),
      firstExported: t1,
      service: {
        clusterIP: index === 0 ? 'None' : '',
        ports: Array.from({ length: 60 }, (__, port) => portOf(index, port)),
        ...Object.assign({}, ...wholeFieldRows.map(([, { longest }]) => longest(index % 7))),
        ipFamilies: index === 0 ? ['IPv4'] : ['IPv6'],
      },
      exportedLabels: { a: String(index) },
      exportedAnnotations: { a: String(index) },
    }));

  it.each(Object.entries(portLists))('hold however much the exports disagree, about %s of ports too', (_, portOf) => {
    const condition = conditionOf(worst(portOf));
    expect(condition?.reason.split(',')).toEqual(
      conflictReasons.filter((reason) => reason !== 'SessionAffinityConflict'),
    );
    expect(condition?.reason).toMatch(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/);
    const sentences = condition?.message.split('. ') ?? [];
    // Eight sentences about ports and a count of the rest, and one sentence for each other field.
    expect(sentences).toHaveLength(8 + 1 + (conflictReasons.length - 2));
    expect(Math.max(...sentences.map((sentence) => sentence.length))).toBeLessThanOrEqual(1750);
    expect(condition?.message.length).toBeGreaterThan(10_000);
    expect(condition?.message.length).toBeLessThanOrEqual(32_768);
  });

  it('hold for all reasons together', () => {
    expect(conflictReasons.join(',').length).toBeLessThanOrEqual(1024);
  });
});
