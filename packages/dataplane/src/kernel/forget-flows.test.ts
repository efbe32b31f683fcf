import { expect, test } from 'vitest';
import { importedService } from '../testing/imported-service.ts';
import { forgetFlows } from './forget-flows.ts';

/** A flow in the format of `conntrack`. */
const flow = (to: string, by: string, port = 80) =>
  `udp      17 29 src=10.10.1.5 dst=${to} sport=40000 dport=${port} [UNREPLIED] src=${by} dst=10.10.1.5 sport=8080 dport=40000 mark=0 use=1`;

/** A flow that nothing has translated. */
const untranslated = (to: string) =>
  `udp      17 29 src=10.10.1.5 dst=${to} sport=40001 dport=80 [UNREPLIED] src=${to} dst=10.10.1.5 sport=80 dport=40001 mark=0 use=1`;

test('flows to endpoints that a Service does not have, and untranslated ones to the Service, are forgotten, each once, and no others', async () => {
  const flows = [
    flow('10.99.0.1', '10.20.1.5'),
    flow('10.99.0.1', '10.20.1.6'),
    flow('10.99.0.1', '10.20.1.5'),
    flow('10.99.0.1', '10.20.1.5', 81),
    flow('10.99.0.3', '10.20.1.5'),
    flow('10.99.0.2', '10.20.1.7'),
    untranslated('10.99.0.1'),
    untranslated('192.0.2.53'),
    'conntrack v1.4.7 (conntrack-tools): 6 flow entries have been shown.',
  ];
  const calls: string[] = [];
  const run = (program: string, args: readonly string[]) => {
    calls.push(`${program} ${args.join(' ')}`);
    return Promise.resolve({ code: 0, stdout: args.includes('-L') ? flows.join('\n') : '', stderr: '' });
  };
  const udp = (clusterIP: string, endpoints: readonly string[]) =>
    importedService(clusterIP, { protocol: 'UDP', endpoints });
  await forgetFlows([udp('10.99.0.1', ['10.20.1.6']), udp('10.99.0.2', [])], run);
  expect(calls).toEqual([
    'conntrack -L -f ipv4 -p udp',
    'conntrack -D -f ipv4 -p udp --orig-dst 10.99.0.1 --orig-port-dst 80 --reply-src 10.20.1.5 --reply-port-src 8080',
    'conntrack -D -f ipv4 -p udp --orig-dst 10.99.0.2 --orig-port-dst 80 --reply-src 10.20.1.7 --reply-port-src 8080',
    'conntrack -D -f ipv4 -p udp --orig-dst 10.99.0.1 --orig-port-dst 80 --reply-src 10.99.0.1 --reply-port-src 80',
  ]);
});
