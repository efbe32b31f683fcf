import { describe, expect, it } from 'vitest';
import { mergeService } from './merge-service.ts';
import { exportOf, ports, t1, t2 } from './testing/exports.ts';
import type { ExportedService } from './types.ts';

const good = exportOf('west', t2, 'http TCP 80');

describe('an export that cannot be used is left out and reported', () => {
  const cases: readonly (readonly [string, unknown, string, string])[] = [
    ['nothing', null, '', 'cluster ID nothing is not a DNS subdomain of at most 63 characters; its export is left out'],
    [
      'a cluster ID in capitals',
      { ...good, clusterID: 'East' },
      'East',
      'cluster ID "East" is not a DNS subdomain of at most 63 characters; its export is left out',
    ],
    [
      'a cluster ID of 64 characters',
      { ...good, clusterID: 'a'.repeat(64) },
      'a'.repeat(63),
      `cluster ID "${'a'.repeat(64)}" is not a DNS subdomain of at most 63 characters; its export is left out`,
    ],
    [
      'no Service',
      { clusterID: 'east', firstExported: t1 },
      'east',
      'the export does not describe the Service; left out',
    ],
    [
      'ExternalName',
      exportOf('east', t1, 'http TCP 81', { type: 'ExternalName' }),
      'east',
      'a Service of type ExternalName cannot be exported; left out',
    ],
  ];

  it.each(cases)('%s', (_, bad, clusterID, message) => {
    const merged = mergeService([bad as ExportedService, good]);
    expect(merged).toEqual({ ...mergeService([good]), problems: [{ clusterID, message }] });
  });
});

describe('two exports of one cluster', () => {
  const older = exportOf('east', t1, 'http TCP 80');
  const younger = exportOf('east', t2, 'http TCP 81');

  it('count as the older one', () => {
    const merged = mergeService([younger, older]);
    expect(merged.import?.ports).toEqual(ports('http TCP 80'));
    expect(merged.conflicts.get('east')?.reason).toBe('NoConflicts');
    expect(merged.problems).toEqual([
      {
        clusterID: 'east',
        message: 'the cluster exports the Service more than once; only the oldest of these exports counts',
      },
    ]);
  });

  it('count alike in either order where they are equally old', () => {
    const twin = { ...younger, firstExported: t1 };
    expect(mergeService([twin, older])).toEqual(mergeService([older, twin]));
  });
});

it('reports a Service that has no port and is not headless', () => {
  expect(mergeService([exportOf('east', t1, '')]).problems).toEqual([
    { clusterID: 'east', message: 'the Service has no valid port' },
  ]);
  expect(mergeService([exportOf('east', t1, '', { clusterIP: 'None' })]).problems).toEqual([]);
});
