import { describe, expect, it } from 'vitest';
import { mergeService } from '../merge-service.ts';
import { exportOf, ports, t1, t2 } from '../testing/exports.ts';

const t3 = '2026-03-01T00:00:02Z';

describe('the union of ports over three exporters', () => {
  const cases: readonly {
    readonly title: string;
    readonly exports: readonly [string, string, string];
    readonly merged: string;
  }[] = [
    {
      title: 'keeps the order of the oldest and sorts all others together by protocol and number',
      exports: ['z TCP 90, a TCP 80', 'd UDP 7, c TCP 9000', 'b TCP 443, e SCTP 9'],
      merged: 'z TCP 90, a TCP 80, e SCTP 9, b TCP 443, c TCP 9000, d UDP 7',
    },
    {
      title: 'lets a port that stayed out by its number keep nobody out by its name',
      exports: ['http TCP 80', 'web TCP 80', 'web TCP 81'],
      merged: 'http TCP 80, web TCP 81',
    },
    {
      title: 'lets a port that stayed out by its name keep nobody out by its number',
      exports: ['http TCP 80', 'http TCP 81', 'web TCP 81'],
      merged: 'http TCP 80, web TCP 81',
    },
    {
      title: 'goes by the name where name and number belong to two older ports',
      exports: ['a TCP 1, b TCP 2', 'a TCP 2', 'b TCP 2'],
      merged: 'a TCP 1, b TCP 2',
    },
    {
      title: 'takes the unnamed port for one more name',
      exports: ['- TCP 80', 'http TCP 81', '- TCP 82'],
      merged: '- TCP 80, http TCP 81',
    },
    {
      title: 'fills in from any exporter where the oldest has no port',
      exports: ['', 'b TCP 2', 'a TCP 1'],
      merged: 'a TCP 1, b TCP 2',
    },
  ];

  it.each(cases)('$title', ({ exports, merged }) => {
    const [first, second, third] = exports;
    const result = mergeService([exportOf('c', t3, third), exportOf('b', t2, second), exportOf('a', t1, first)]);
    expect(result.import?.ports).toEqual(ports(merged));
  });

  it('gives each cluster only the ports that it exposes under that name and number', () => {
    const result = mergeService([
      exportOf('a', t1, 'http TCP 80'),
      exportOf('b', t2, 'web TCP 80, admin TCP 9000'),
      exportOf('c', t3, 'http TCP 80, admin TCP 9001'),
    ]);
    expect([...result.accepted]).toEqual([
      ['a', new Set(['http'])],
      ['b', new Set(['admin'])],
      ['c', new Set(['http'])],
    ]);
  });
});
