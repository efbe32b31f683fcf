import { expect, it } from 'vitest';
import { runCli } from '../run-cli.ts';
import { madeUpIo } from '../testing/made-up-io.ts';

const kubeconfig = `
apiVersion: v1
kind: Config
current-context: it
clusters: [{ name: it, cluster: { server: 'http://192.0.2.1:6443' } }]
users: [{ name: it, user: { token: secret-token } }]
contexts: [{ name: it, context: { cluster: it, user: it } }]
`;

it.each([
  'dns',
  'agent run --node node-1',
  'agent trace 10.10.1.2 shop/cart',
  'handover leader',
  'handover member',
  'upgrade snapshot',
  'upgrade snapshot --all-contexts',
])('isthmus %s warns of what is unsafe in the kubeconfig, without its secrets', async (line) => {
  const io = madeUpIo({ files: { k: kubeconfig } });
  const network = { ...io.network, connect: () => Promise.reject(new Error('not here')) };
  expect(await runCli({ ...io, network }, [...line.split(' '), '--kubeconfig', 'k'])).toBe(2);
  expect(io.err).toContain('sends its token unencrypted to http://192.0.2.1:6443: use https');
  expect(`${io.out}${io.err}`).not.toContain('secret-token');
});
