import { describe, expect, it } from 'vitest';
import { mergeService } from '../merge-service.ts';
import { exportOf, t1, t2 } from '../testing/exports.ts';
import { clientIP, wholeFieldRows } from '../testing/whole-field-examples.ts';
import type { ExportedService, ExportedServiceSpec, Merged } from '../types.ts';

type Fields = ExportedServiceSpec & Pick<ExportedService, 'exportedLabels' | 'exportedAnnotations'>;

/** West is the older exporter, and east exports other values; both have the same port. */
function merged(west: Fields, east: Fields): Merged {
  return mergeService([of('east', t2, east), of('west', t1, west)]);
}

function of(clusterID: string, firstExported: string, fields: Fields): ExportedService {
  const { exportedLabels, exportedAnnotations, ...spec } = fields;
  return { ...exportOf(clusterID, firstExported, 'http TCP 80', spec), exportedLabels, exportedAnnotations };
}

describe('a field in which exports differ', () => {
  const cases: readonly {
    readonly title: string;
    readonly west: Fields;
    readonly east: Fields;
    /** The fields that members import, beside ports and type. */
    readonly imported: ExportedServiceSpec;
    readonly reason: string;
    readonly message: string;
  }[] = [
    ...wholeFieldRows.map(([title, { differ }]) => ({ title, ...differ })),
    {
      title: 'sessionAffinity and its time-out',
      west: {},
      east: clientIP(10),
      imported: {},
      reason: 'SessionAffinityConflict,SessionAffinityConfigConflict',
      message:
        'Field sessionAffinity is None in west (exported first) and ClientIP in east. ' +
        'Field sessionAffinityConfig.clientIP.timeoutSeconds is 10800 in west (exported first) and 10 in east',
    },
    {
      title: 'ipFamilies, of which one lacks a family',
      west: { ipFamilies: ['IPv6', 'IPv4'] },
      east: { ipFamilies: ['IPv4'] },
      imported: {},
      reason: 'IPFamilyConflict',
      message: 'Field ipFamilies is IPv4 and IPv6 in west (exported first) and IPv4 in east',
    },
  ];

  it.each(cases)('is the older one’s as a whole and reported: $title', ({ west, east, imported, reason, message }) => {
    const result = merged(west, east);
    const { type: _type, ports: _ports, ...rest } = result.import ?? { type: 'Headless', ports: [] };
    expect(rest).toStrictEqual(imported);
    expect(result.conflicts.get('east')).toEqual({ type: 'Conflict', status: 'True', reason, message });
    expect(result.conflicts.get('west')).toEqual(result.conflicts.get('east'));
  });

  it('is not merged key by key: exported labels and annotations', () => {
    const result = merged(
      { exportedLabels: { team: 'a' }, exportedAnnotations: { note: 'x' } },
      { exportedLabels: { team: 'b', tier: 'web' } },
    );
    expect(result.exportedLabels).toEqual({ team: 'a' });
    expect(result.exportedAnnotations).toEqual({ note: 'x' });
    expect(result.conflicts.get('east')).toMatchObject({
      reason: 'AnnotationsConflict,LabelsConflict',
      message:
        'The exported annotations come from west (exported first); they differ in east. ' +
        'The exported labels come from west (exported first); they differ in east',
    });
  });

  it('is absent where the older export has none, whatever the younger one has', () => {
    const result = merged({}, { exportedLabels: { team: 'b' } });
    expect(result).not.toHaveProperty('exportedLabels');
    expect(result.conflicts.get('west')?.reason).toBe('LabelsConflict');
  });
});

describe('exports that mean the same in another form agree', () => {
  const cases: readonly (readonly [string, Fields, Fields])[] = [
    ...wholeFieldRows.flatMap(([, { agree }]) => agree),
    ['no families and IPv4', {}, { ipFamilies: ['IPv4'] }],
    ['families in another order', { ipFamilies: ['IPv4', 'IPv6'] }, { ipFamilies: ['IPv6', 'IPv4'] }],
    ['no labels and empty labels', {}, { exportedLabels: {}, exportedAnnotations: {} }],
    ['labels in another order', { exportedLabels: { a: '1', b: '2' } }, { exportedLabels: { b: '2', a: '1' } }],
    ['clusterIP None and clusterIPs None', { clusterIP: 'None' }, { clusterIPs: ['None'] }],
    [
      'different ClusterIPs and types of Service',
      { clusterIP: '10.96.0.1' },
      { clusterIP: '10.97.0.1', type: 'NodePort' },
    ],
  ];

  it.each(cases)('%s', (_, west, east) => {
    expect(merged(west, east).conflicts.get('west')?.reason).toBe('NoConflicts');
    expect(merged(east, west).conflicts.get('west')?.reason).toBe('NoConflicts');
  });
});

describe('a value that cannot be valid counts as absent and is reported', () => {
  const cases: readonly (readonly [string, unknown, string])[] = [
    ...wholeFieldRows.flatMap(([, { invalid }]) => invalid),
    ['ipFamilies', { ipFamilies: 'IPv4' }, 'ipFamilies of the Service: expected a list, got "IPv4"; ignored'],
    ['a family', { ipFamilies: ['IPv5'] }, 'ipFamilies of the Service: "IPv5" is neither IPv4 nor IPv6; left out'],
    ['labels', { exportedLabels: [] }, 'exportedLabels: expected an object, got a list; ignored'],
    [
      'a label key',
      { exportedLabels: JSON.parse('{"__proto__":"x"}') },
      'exportedLabels: "__proto__" is not a valid key; left out',
    ],
    [
      'a label value',
      { exportedLabels: { a: 'not valid' } },
      'exportedLabels: the value of "a" is not valid; left out',
    ],
    [
      'an annotation',
      { exportedAnnotations: { a: 1 } },
      'exportedAnnotations: the value of "a" is not valid; left out',
    ],
    [
      'annotations over 32 KiB of JSON',
      { exportedAnnotations: { a: `${'ü'.repeat(16_000)}${'\n'.repeat(381)}` } },
      'exportedAnnotations: 32770 bytes of JSON exceed the limit of 32768; ignored',
    ],
    [
      'more than 100 labels',
      { exportedLabels: Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`a${index}`, ''])) },
      'exportedLabels: 101 keys exceed the limit of 100; ignored',
    ],
    [
      'a label that would claim the import',
      { exportedLabels: { 'app.kubernetes.io/managed-by': 'Helm' } },
      'exportedLabels: "app.kubernetes.io/managed-by" is reserved; left out',
    ],
    [
      'an annotation that a controller acts on',
      { exportedAnnotations: { 'external-dns.alpha.kubernetes.io/hostname': 'bank.example' } },
      'exportedAnnotations: "external-dns.alpha.kubernetes.io/hostname" is reserved; left out',
    ],
  ];

  it.each(cases)('%s', (_, fields, message) => {
    const sane = merged(
      { sessionAffinity: (fields as Fields).sessionAffinity === 'ClientIP' ? 'ClientIP' : undefined },
      {},
    );
    const result = merged(fields as Fields, {});
    expect(result.problems).toEqual([{ clusterID: 'west', message }]);
    expect({ ...result, problems: [] }).toEqual({ ...sane, problems: [] });
  });

  it('keeps the valid labels beside a bad one', () => {
    const result = merged({ exportedLabels: JSON.parse('{"a":"1","constructor":"x","-":"y"}') }, {});
    expect(result.exportedLabels).toEqual({ a: '1', constructor: 'x' });
    expect(result.problems).toHaveLength(1);
  });

  it('accepts annotation keys in capitals, as the API server does', () => {
    expect(merged({ exportedAnnotations: { 'Example.com/Note': 'any text\n' } }, {}).exportedAnnotations).toEqual({
      'Example.com/Note': 'any text\n',
    });
  });
});
