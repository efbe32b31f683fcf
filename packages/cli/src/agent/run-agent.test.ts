import { expect, test } from 'vitest';
import { madeUpIo } from '../testing/made-up-io.ts';
import { UsageError } from '../command/usage-error.ts';
import { runAgent } from './run-agent.ts';

const kubeconfig = `
apiVersion: v1
kind: Config
current-context: it
clusters: [{ name: it, cluster: { server: 'https://192.0.2.1:6443' } }]
users: [{ name: it, user: {} }]
contexts: [{ name: it, context: { cluster: it, user: it } }]
`;

test('an agent whose kubeconfig makes no connection possible ends as with a wrong flag, before it writes anything', async () => {
  const io = madeUpIo({
    files: { kubeconfig },
    runTool: () => Promise.reject(new Error('nothing may run')),
  });
  const network = { ...io.network, connect: () => Promise.reject(new Error('cannot read ca.crt: no such file')) };
  await expect(runAgent({ ...io, network }, flagsOf({ kubeconfig: 'kubeconfig', node: 'node-1' }))).rejects.toThrow(
    new UsageError('cannot read ca.crt: no such file'),
  );
});

test.each([
  ['a file that is missing', 'missing.conf', /^--config: .*missing\.conf/],
  ['a file with a value that is not valid', 'antrea-agent.conf', /trafficEncryptionMode is "ipsec"/],
])('an agent with %s for its configuration ends as with a wrong flag', async (_, config, message) => {
  const files = { kubeconfig, 'antrea-agent.conf': 'multicluster: {trafficEncryptionMode: ipsec}' };
  const io = madeUpIo({ files, runTool: () => Promise.reject(new Error('nothing may run')) });
  const running = runAgent(io, flagsOf({ kubeconfig: 'kubeconfig', node: 'node-1', config }));
  await expect(running).rejects.toThrow(UsageError);
  await expect(running).rejects.toThrow(message);
});

test.each([
  [{ 'underlay-mtu': 90_000 }, '--underlay-mtu is 90000. It must be at most 65535.'],
  [
    { 'tunnel-port': 51_821, 'traffic-encryption-mode': 'wireGuard' },
    '--tunnel-port and --wireguard-port are both 51821. They must be different: a port of the Node has one listener.',
  ],
  [
    { 'tunnel-port': 8484 },
    '--tunnel-port is 8484. Use another port: agents answer questions of other clusters on this one.',
  ],
  [
    { 'wireguard-port': 8484, 'traffic-encryption-mode': 'wireGuard' },
    '--wireguard-port is 8484. Use another port: agents answer questions of other clusters on this one.',
  ],
  [{ namespace: 'Kube_System' }, /^"Kube_System" is not a valid name of a Namespace: /],
])('an agent with %o ends before it writes anything', async (given, message) => {
  const io = madeUpIo({ files: { kubeconfig }, runTool: () => Promise.reject(new Error('nothing may run')) });
  const running = runAgent(io, flagsOf({ kubeconfig: 'kubeconfig', node: 'node-1', ...given }));
  await expect(running).rejects.toThrow(UsageError);
  await expect(running).rejects.toThrow(message);
});

const beyondPorts = (flag: string, port: number) => `--${flag} is ${port}. It must be a number from 1 to 65535.`;
const accepted = 'cannot read ca.crt: no such file';

test.each([
  ['tunnel-port', -1, beyondPorts('tunnel-port', -1)],
  ['tunnel-port', 0, beyondPorts('tunnel-port', 0)],
  ['tunnel-port', 1, accepted],
  ['tunnel-port', 65_535, accepted],
  ['tunnel-port', 65_536, beyondPorts('tunnel-port', 65_536)],
  ['wireguard-port', 0, beyondPorts('wireguard-port', 0)],
  ['wireguard-port', 1, accepted],
  ['wireguard-port', 65_535, accepted],
  ['wireguard-port', 65_536, beyondPorts('wireguard-port', 65_536)],
  ['underlay-mtu', 1_399, /^--underlay-mtu is 1399\. It must be at least 1400: /],
  ['underlay-mtu', 1_400, accepted],
  ['underlay-mtu', 65_535, accepted],
  ['underlay-mtu', 65_536, '--underlay-mtu is 65536. It must be at most 65535.'],
])('an agent takes --%s %i, or rejects it before it connects: %s', async (flag, value, message) => {
  const io = madeUpIo({ files: { kubeconfig }, runTool: () => Promise.reject(new Error('nothing may run')) });
  const network = { ...io.network, connect: () => Promise.reject(new Error(accepted)) };
  const given = { kubeconfig: 'kubeconfig', node: 'node-1', 'traffic-encryption-mode': 'wireGuard', [flag]: value };
  await expect(runAgent({ ...io, network }, flagsOf(given))).rejects.toThrow(message);
});

test('an agent whose port for its health is taken, as by another agent on the Node, reports it', async () => {
  const io = madeUpIo({ files: { kubeconfig }, runTool: () => Promise.reject(new Error('nothing may run')) });
  const network = {
    ...io.network,
    listen: () => Promise.reject(new Error('listening on 127.0.0.1:8482: another process uses this port')),
  };
  await expect(runAgent({ ...io, network }, flagsOf({ kubeconfig: 'kubeconfig', node: 'node-1' }))).rejects.toThrow(
    'another process uses this port. If it is another agent, use only that one: a Node has one',
  );
});

const flagsOf = (given: Readonly<Record<string, string | number>>) =>
  given as unknown as Parameters<typeof runAgent>[1];
