import { expect, test } from 'vitest';
import { madeUpIo } from '../testing/made-up-io.ts';
import { UsageError } from '../usage-error.ts';
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

const flagsOf = (given: Readonly<Record<string, string>>) => given as unknown as Parameters<typeof runAgent>[1];
