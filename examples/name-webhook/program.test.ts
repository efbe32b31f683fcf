import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MutatingWebhookConfiguration, Namespace, ValidatingWebhookConfiguration } from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { createClient, httpsTransport, noCredentials, systemClock } from '@isthmus/kube';
import { parseYaml } from '@isthmus/machinery';
import { createAuthority, createSandbox } from '@isthmus/sandbox';
import { clusterAdmin } from '@isthmus/fleet-sim';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, startProgram } from '../testing/program.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'isthmus-examples-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('examples/name-webhook', () => {
  it('serves webhooks that an API server calls with the configuration that it prints', async () => {
    const authority = await createAuthority('examples');
    const { certData, keyData } = await authority.issueServing('names', ['127.0.0.1']);
    for (const [name, text] of [
      ['ca.crt', authority.caData],
      ['tls.crt', certData],
      ['tls.key', keyData],
    ] as const)
      writeFileSync(join(folder, name), text, { mode: 0o600 });

    const program = startProgram('name-webhook/main.ts', [folder], { PORT: '0' });
    const port = await eventually(() => {
      const found = /listening .*port=(\d+)/.exec(program.written.err)?.[1];
      if (found === undefined) throw new Error(`it does not listen: ${program.written.err}`);
      return found;
    });
    const printer = startProgram('name-webhook/main.ts', [folder, '--print'], { PORT: port });
    expect(await printer.ended).toBe(0);

    const clock = systemClock();
    const sandbox = createSandbox({
      name: 'east',
      clock,
      async callWebhook({ url, caBundle = '' }, body) {
        const { origin, pathname } = new URL(url);
        const caPem = Buffer.from(caBundle, 'base64').toString('utf8');
        const transport = httpsTransport({ server: origin, caPem, credentials: noCredentials(), userAgent: 'sandbox' });
        const headers = { 'content-type': 'application/json' };
        const request = { method: 'POST', path: pathname, headers, body } as const;
        const response = await transport.send(request, new AbortController().signal);
        const chunks = await Array.fromAsync(response.body);
        transport.close();
        return { status: response.status, body: Buffer.concat(chunks).toString('utf8') };
      },
    });
    const client = createClient({ transport: sandbox.transport(clusterAdmin), clock });
    await configure(client, printer.written.out);

    const namespace = (name: string, team: string) => ({ metadata: { name, labels: { 'example.io/team': team } } });
    expect((await client.create(Namespace, namespace('shop-cart', 'shop'))).metadata.labels).toMatchObject({
      'example.io/costs': 'general',
    });
    await expect(client.create(Namespace, namespace('cart', 'shop'))).rejects.toThrow(
      'admission webhook "prefix.namespaces.example.io" denied the request: metadata.name: Invalid value: "cart"',
    );
    expect(await program.stop()).toBe(0);
  });

  it('ends with 0 where it is interrupted while it waits for its certificate', async () => {
    const program = startProgram('name-webhook/main.ts', [join(folder, 'not-issued')], { PORT: '0' });
    await eventually(() => expect(program.written.err).toContain('cannot read the serving certificate'));
    expect(await program.stop()).toBe(0);
  });
});

async function configure(client: Client, yaml: string): Promise<void> {
  const types = [ValidatingWebhookConfiguration, MutatingWebhookConfiguration];
  for (const { value } of parseYaml(yaml, { source: 'the printed objects' })) {
    const object = value as ValidatingWebhookConfiguration;
    const type = types.find(({ kind }) => kind === object.kind);
    if (type === undefined) throw new Error(`an object of kind ${object.kind} was printed`);
    await client.create(type, object);
  }
}
