import { describe, expect, it } from 'vitest';
import { mergeService } from './merge-service.ts';
import { readServicePorts } from './ports.ts';
import { problemsOf } from './problems.ts';
import { exportOf, ports, t1, t2 } from './testing/exports.ts';

const t3 = '2026-03-01T00:00:02Z';

describe('the union of ports over three exporters', () => {
  const cases: readonly { readonly title: string; readonly exports: readonly [string, string, string]; readonly merged: string }[] = [
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
    { title: 'takes the unnamed port for one more name', exports: ['- TCP 80', 'http TCP 81', '- TCP 82'], merged: '- TCP 80, http TCP 81' },
    { title: 'fills in from any exporter where the oldest has no port', exports: ['', 'b TCP 2', 'a TCP 1'], merged: 'a TCP 1, b TCP 2' },
  ];

  it.each(cases)('$title', ({ exports, merged }) => {
    const [first, second, third] = exports;
    const result = mergeService([
      exportOf('c', t3, third),
      exportOf('b', t2, second),
      exportOf('a', t1, first),
    ]);
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

describe('reading the ports of a Service', () => {
  const cases: readonly { readonly value: unknown; readonly kept: string; readonly problem: string }[] = [
    { value: 'http', kept: '', problem: 'ports of the Service: expected a list, got "http"; the Service counts as one without ports' },
    { value: [7], kept: '', problem: 'ports[0] of the Service: expected an object, got 7; left out' },
    { value: [{ name: 'http' }], kept: '', problem: 'ports[0] of the Service: port nothing is no number from 1 to 65535; left out' },
    { value: [{ port: 0 }], kept: '', problem: 'ports[0] of the Service: port 0 is no number from 1 to 65535; left out' },
    { value: [{ port: 80.5 }], kept: '', problem: 'ports[0] of the Service: port 80.5 is no number from 1 to 65535; left out' },
    { value: [{ port: '80' }], kept: '', problem: 'ports[0] of the Service: port "80" is no number from 1 to 65535; left out' },
    { value: [{ port: 80, protocol: 'tcp' }], kept: '', problem: 'ports[0] of the Service: protocol "tcp" is none of TCP, UDP and SCTP; left out' },
    { value: [{ port: 80, name: '__proto__' }], kept: '', problem: 'ports[0] of the Service: name "__proto__" is no DNS label; left out' },
    { value: [{ port: 80, name: {} }], kept: '', problem: 'ports[0] of the Service: name an object is no DNS label; left out' },
    {
      value: [{ port: 80, name: 'a'.repeat(64) }],
      kept: '',
      problem: `ports[0] of the Service: name "${'a'.repeat(64)}" is no DNS label; left out`,
    },
    {
      value: [{ port: 80, name: 'a' }, { port: 81, name: 'a' }],
      kept: 'a TCP 80',
      problem: 'ports[1] of the Service: name "a" is taken by an earlier port; left out',
    },
    {
      value: [{ port: 80, name: 'a' }, { port: 80, name: 'b', protocol: 'TCP' }],
      kept: 'a TCP 80',
      problem: 'ports[1] of the Service: TCP 80 is taken by an earlier port; left out',
    },
    {
      value: [{ port: 80, appProtocol: '' }],
      kept: '- TCP 80',
      problem: 'ports[0] of the Service: appProtocol "" is no qualified name; ignored',
    },
  ];

  it.each(cases)('keeps what can be valid of $value', ({ value, kept, problem }) => {
    const problems = problemsOf('east');
    const read = readServicePorts(value, problems).map(({ name, ...rest }) => ({ ...(name === '' ? {} : { name }), ...rest }));
    expect(read).toEqual(ports(kept));
    expect(problems.list()).toEqual([{ clusterID: 'east', message: problem }]);
  });

  it('takes no protocol for TCP, and null for absent', () => {
    const problems = problemsOf('east');
    const value = [{ name: null, protocol: null, port: 80, appProtocol: null }];
    expect(readServicePorts(value, problems)).toEqual([{ name: '', protocol: 'TCP', port: 80 }]);
    expect(readServicePorts(undefined, problems)).toEqual([]);
    expect(problems.list()).toEqual([]);
  });

  it('counts problems past the tenth instead of listing them', () => {
    const problems = problemsOf('east');
    readServicePorts(Array.from({ length: 3000 }, () => ({})), problems);
    expect(problems.list()).toHaveLength(11);
    expect(problems.list().at(-1)?.message).toBe('and 2990 more problems');
  });
});
