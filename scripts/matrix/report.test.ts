import { describe, expect, it } from 'vitest';
import type { Outcome } from './report.ts';
import { combinationTable, failureLines, summaryTable, withResults } from './report.ts';

const outcome = (parts: Partial<Outcome>): Outcome => ({
  client: { cluster: 'east', place: 'other', network: 'Node' },
  server: { cluster: 'west', place: 'gateway', network: 'Pod' },
  target: 'Service',
  protocol: 'TCP',
  family: 'IPv4',
  expected: ['west-gateway-pod 10.10.2.0'],
  answer: 'west-gateway-pod 10.10.2.0',
  ...parts,
});
const outcomes = [
  outcome({}),
  outcome({ client: { cluster: 'north', place: 'other', network: 'Node' }, answer: 'no answer' }),
  outcome({ protocol: 'SCTP', family: 'IPv6' }),
];

describe('the tables of the matrix', () => {
  it('have a row for each client, server and target, and count in each cell what passed of the pairs of clusters', () => {
    expect(combinationTable(outcomes)).toEqual([
      '| client | server | target | TCP IPv4 | UDP IPv4 | SCTP IPv4 | TCP IPv6 | UDP IPv6 | SCTP IPv6 |',
      '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
      '| network of other Node | Pod on gateway | Service | 1/2 | – | – | – | – | 1/1 |',
    ]);
  });

  it('have the configurations side by side in the summary', () => {
    const configuration = {
      kubeProxy: 'iptables',
      endpointIPType: 'PodIP',
      encryption: 'wireGuard',
      masquerades: 'all',
    } as const;
    expect(summaryTable([{ configuration, outcomes }])).toEqual([
      '|  | configuration | passed |',
      '| --- | --- | --- |',
      '| A | kube-proxy iptables, PodIP, WireGuard, the CNI masquerades on all devices | 2/3 |',
      '',
      '| client | server | target | A |',
      '| --- | --- | --- | --- |',
      '| network of other Node | Pod on gateway | Service | 2/3 |',
    ]);
  });

  it('name what did not pass, with what was expected and what came', () => {
    expect(failureLines(outcomes)).toEqual([
      'north-other-node → west-gateway-pod, Service, TCP, IPv4: expected "west-gateway-pod 10.10.2.0", got "no answer"',
    ]);
  });
});

describe('withResults', () => {
  it('replaces what is below the heading, and keeps the rest of the page', () => {
    expect(withResults('# Packets\n\nText.\n\n## Results\n\nold\n', 'new')).toBe(
      '# Packets\n\nText.\n\n## Results\n\nnew\n',
    );
    expect(() => withResults('# Packets\n', 'new')).toThrow('no line "## Results"');
  });
});
