import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigMap, Namespace } from '@isthmus/api';
import { createClient, systemClock } from '@isthmus/kube';
import { createSandbox, serveHttps } from '@isthmus/sandbox';
import { clusterAdmin } from '@isthmus/fleet-sim';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, startProgram } from '../testing/program.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'isthmus-examples-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('examples/config-copy', () => {
  it('runs as a program against the API server of a kubeconfig, and ends when it is asked to', async () => {
    const clock = systemClock();
    const sandbox = createSandbox({ name: 'east', clock });
    await using served = await serveHttps(sandbox);
    const { certData, keyData } = await served.authority.issueClient({ user: 'admin', groups: ['system:masters'] });
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const kubeconfig = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'east',
      contexts: [{ name: 'east', context: { cluster: 'east', user: 'admin' } }],
      clusters: [
        { name: 'east', cluster: { server: served.url, 'certificate-authority-data': base64(served.caData) } },
      ],
      users: [
        { name: 'admin', user: { 'client-certificate-data': base64(certData), 'client-key-data': base64(keyData) } },
      ],
    };
    const path = join(folder, 'kubeconfig');
    writeFileSync(path, JSON.stringify(kubeconfig), { mode: 0o600 });
    const client = createClient({ transport: sandbox.transport(clusterAdmin), clock });
    await client.create(Namespace, { metadata: { name: 'shared' } });
    await client.create(ConfigMap, { metadata: { namespace: 'shared', name: 'settings' }, data: { color: 'green' } });
    const annotations = { 'example.io/copy-from': 'shared/settings' };
    await client.create(Namespace, { metadata: { name: 'shop', annotations } });

    const program = startProgram('config-copy/main.ts', [], { KUBECONFIG: path, PORT: '0' });
    const copy = await eventually(() => client.get(ConfigMap, { namespace: 'shop', name: 'settings' }));
    expect(copy.data).toEqual({ color: 'green' });
    expect([await program.stop(), program.written.out]).toEqual([0, '']);
  });
});
