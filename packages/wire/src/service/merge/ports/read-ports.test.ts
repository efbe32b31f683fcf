import { describe, expect, it } from 'vitest';
import { mergeProblemsOf } from '../problems.ts';
import { readServicePorts } from './read-ports.ts';
import { ports } from '../testing/exports.ts';

describe('reading the ports of a Service', () => {
  const cases: readonly { readonly value: unknown; readonly kept: string; readonly problem: string }[] = [
    {
      value: 'http',
      kept: '',
      problem: 'ports of the Service: expected a list, got "http"; the Service is treated as having no ports',
    },
    { value: [7], kept: '', problem: 'ports[0] of the Service: expected an object, got 7; left out' },
    {
      value: [{ name: 'http' }],
      kept: '',
      problem: 'ports[0] of the Service: port nothing is not a number from 1 to 65535; left out',
    },
    {
      value: [{ port: 0 }],
      kept: '',
      problem: 'ports[0] of the Service: port 0 is not a number from 1 to 65535; left out',
    },
    {
      value: [{ port: 80.5 }],
      kept: '',
      problem: 'ports[0] of the Service: port 80.5 is not a number from 1 to 65535; left out',
    },
    {
      value: [{ port: '80' }],
      kept: '',
      problem: 'ports[0] of the Service: port "80" is not a number from 1 to 65535; left out',
    },
    {
      value: [{ port: 80, protocol: 'tcp' }],
      kept: '',
      problem: 'ports[0] of the Service: protocol "tcp" is not TCP, UDP or SCTP; left out',
    },
    {
      value: [{ port: 80, name: '__proto__' }],
      kept: '',
      problem: 'ports[0] of the Service: name "__proto__" is not a DNS label; left out',
    },
    {
      value: [{ port: 80, name: {} }],
      kept: '',
      problem: 'ports[0] of the Service: name an object is not a DNS label; left out',
    },
    {
      value: [{ port: 80, name: 'a'.repeat(64) }],
      kept: '',
      problem: `ports[0] of the Service: name "${'a'.repeat(64)}" is not a DNS label; left out`,
    },
    {
      value: [
        { port: 80, name: 'a' },
        { port: 81, name: 'a' },
      ],
      kept: 'a TCP 80',
      problem: 'ports[1] of the Service: name "a" is used by an earlier port; left out',
    },
    {
      value: [
        { port: 80, name: 'a' },
        { port: 80, name: 'b', protocol: 'TCP' },
      ],
      kept: 'a TCP 80',
      problem: 'ports[1] of the Service: TCP 80 is used by an earlier port; left out',
    },
    {
      value: [{ port: 80, appProtocol: '' }],
      kept: '- TCP 80',
      problem: 'ports[0] of the Service: appProtocol "" is not a qualified name; ignored',
    },
  ];

  it.each(cases)('keeps what can be valid of $value', ({ value, kept, problem }) => {
    const problems = mergeProblemsOf('east');
    const read = readServicePorts(value, problems).map(({ name, ...rest }) => ({
      ...(name === '' ? {} : { name }),
      ...rest,
    }));
    expect(read).toEqual(ports(kept));
    expect(problems.list()).toEqual([{ clusterID: 'east', message: problem }]);
  });

  it('takes no protocol for TCP, and null for absent', () => {
    const problems = mergeProblemsOf('east');
    const value = [{ name: null, protocol: null, port: 80, appProtocol: null }];
    expect(readServicePorts(value, problems)).toEqual([{ name: '', protocol: 'TCP', port: 80 }]);
    expect(readServicePorts(undefined, problems)).toEqual([]);
    expect(problems.list()).toEqual([]);
  });

  it('counts problems past the tenth instead of listing them', () => {
    const problems = mergeProblemsOf('east');
    readServicePorts(
      Array.from({ length: 1000 }, () => ({})),
      problems,
    );
    expect(problems.list()).toHaveLength(11);
    expect(problems.list().at(-1)?.message).toBe('and 990 more problems');
  });

  it('leaves out what comes after the thousandth port, and reports it', () => {
    const problems = mergeProblemsOf('east');
    const ports = Array.from({ length: 1001 }, (_, index) => ({ name: `p-${index}`, port: 1 + index }));
    expect(readServicePorts(ports, problems)).toHaveLength(1000);
    expect(problems.list().map(({ message }) => message)).toEqual([
      'ports of the Service: 1001 entries are too many; those after the first 1000 are left out',
    ]);
  });
});
