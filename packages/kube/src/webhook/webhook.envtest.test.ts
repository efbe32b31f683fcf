import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  Namespace,
  ValidatingWebhookConfiguration,
} from '@isthmus/api';
import { createAuthority } from '@isthmus/sandbox';
import type { Authority } from '@isthmus/sandbox';
import { adminTransport, startApiServer, waitLimitMs } from '@isthmus/testkit';
import type { RealApiServer } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../client/client.ts';
import { createClient } from '../client/create-client.ts';
import type { MemoryLog } from '../log/log.ts';
import { memoryLog } from '../log/log.ts';
import { webhookMetrics } from '../metrics/metrics.ts';
import { createMetricsRegistry } from '../metrics/registry.ts';
import type { ServingCertificate } from '../serving/certificates.ts';
import type { HttpsServer } from '../serving/https-server.ts';
import { startHttpsServer } from '../serving/https-server.ts';
import { pushedCertificates } from '../serving/testing/pushed-certificates.ts';
import { systemClock } from '../world/node-world.ts';
import { Gadget, GadgetV2, gadgetDefinition, gadgetWebhooks, useGadgets } from './testing/gadgets.ts';
import type { WebhookServerAddress } from './webhook-configurations.ts';
import { webhookConfigurations } from './webhook-configurations.ts';
import { createWebhookHandler } from './webhook-handler.ts';

const clock = systemClock();
const namespace = 'webhook-test';
const stop = new AbortController();
const registry = createMetricsRegistry();
const certificates = pushedCertificates();

let apiServer: RealApiServer;
let client: Client;
let log: MemoryLog;
let webhookServer: HttpsServer;
let authority: Authority;

async function certificateOf(issuer: Authority): Promise<ServingCertificate> {
  const { certData, keyData } = await issuer.issueServing('webhooks', ['127.0.0.1']);
  return { certPem: certData, keyPem: keyData };
}

function serverAddress(caPem: string): WebhookServerAddress {
  return { at: { url: `https://127.0.0.1:${webhookServer.address.port}` }, caPem };
}

/** Writes the configurations and the definition with these authorities. */
async function trust(caPem: string): Promise<void> {
  const server = serverAddress(caPem);
  for (const configuration of webhookConfigurations(gadgetWebhooks, { name: 'gadgets', server })) {
    const type =
      configuration.kind === ValidatingWebhookConfiguration.kind
        ? ValidatingWebhookConfiguration
        : MutatingWebhookConfiguration;
    await client.patch(
      type,
      { name: 'gadgets' },
      { type: 'apply', body: configuration, fieldManager: 'test', force: true },
    );
  }
  const body = gadgetDefinition(server);
  const patch = { type: 'apply', body, fieldManager: 'test', force: true } as const;
  await client.patch(CustomResourceDefinition, { name: body.metadata.name }, patch);
}

/** The API server learns of configurations a moment after they are written. */
async function eventually(attempt: () => Promise<void>, withinMs = waitLimitMs()): Promise<void> {
  const from = clock.monotonic();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (clock.monotonic() - from > withinMs) throw error;
      await delay(100);
    }
  }
}

/** The serial number of the certificate that a new connection is shown. */
async function servedSerial(caPem: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: webhookServer.address.port, ca: caPem });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

beforeAll(async () => {
  log = memoryLog();
  authority = await createAuthority('webhooks-1');
  certificates.push(await certificateOf(authority));
  const handler = createWebhookHandler(gadgetWebhooks, { clock, log, metrics: registry.declare(webhookMetrics) });
  [apiServer, webhookServer] = await Promise.all([
    startApiServer({ name: 'webhooks' }),
    startHttpsServer({
      name: 'webhooks',
      bind: { host: '127.0.0.1', port: 0 },
      certificates: certificates.source,
      handler,
      clock,
      log,
      signal: stop.signal,
    }),
  ]);
  client = createClient({ transport: adminTransport(apiServer, 'isthmus-test'), clock, server: apiServer.url });
  await client.create(Namespace, { metadata: { name: namespace } });
  await trust(authority.caData);
  await eventually(async () => {
    const dryRun = client.create(
      Gadget,
      { metadata: { namespace, name: 'probe' }, spec: { size: 99 } },
      { dryRun: true },
    );
    await expect(dryRun).rejects.toThrow('denied the request');
    const found = await client.create(Gadget, { metadata: { namespace, name: 'probe' } }, { dryRun: true });
    expect(found.metadata.labels).toBeDefined();
  });
});

afterAll(async () => {
  stop.abort(new Error('the test is over'));
  await webhookServer?.ended;
  client?.close();
  await apiServer?.[Symbol.asyncDispose]();
});

describe('webhooks of a real API server', () => {
  it('accept, reject, change and convert as they are defined, over TLS on the loopback', async () => {
    await useGadgets(client, namespace);
    const text = await registry.render();
    expect(text).toMatch(/webhook="size\.gadgets\.example\.io",operation="CREATE",allowed="false",code="422"} \d/);
    expect(text).toMatch(/webhook="size\.gadgets\.example\.io",operation="CREATE",allowed="error",code="500"} \d/);
    expect(text).toMatch(/webhook="versions\.gadgets\.example\.io",operation="CONVERT",allowed="true",code="200"} \d/);
    expect(log.entries.filter(({ message }) => message.includes('malformed'))).toEqual([]);
  });

  it('review requests for another version of their types, converted first', async () => {
    const around = { metadata: { namespace, name: 'around' }, spec: { dimensions: { size: 30 } } };
    await expect(client.create(GadgetV2, around)).rejects.toThrow('spec.size: Invalid value: 30');
  });

  it('report the failure to the client, where one throws and failures count', async () => {
    const seven = client.create(Gadget, { metadata: { namespace, name: 'seven' }, spec: { size: 7 } });
    await expect(seven).rejects.toThrow('a bug at seven');
  });

  it('go on while their certificate and its authority are replaced, without a refused request', async () => {
    const old = authority;
    const next = await createAuthority('webhooks-2');
    const before = await servedSerial(old.caData);
    const over = new AbortController();
    let requests = 0;
    const traffic = (async () => {
      while (!over.signal.aborted) {
        await client.create(Gadget, { metadata: { namespace, name: `busy-${requests}` } }, { dryRun: true });
        requests++;
      }
    })();
    traffic.catch(() => {});
    const both = `${old.caData}\n${next.caData}`;
    await trust(both);
    await delay(2_000);
    certificates.push(await certificateOf(next));
    await eventually(async () => expect(await servedSerial(next.caData)).not.toBe(before));
    // From here on the API server believes the new authority alone, and dials again to ask it.
    await trust(next.caData);
    await delay(2_000);
    await expect(servedSerial(old.caData)).rejects.toThrow();
    over.abort();
    await traffic;
    expect(requests).toBeGreaterThan(20);
    await useGadgets(client, namespace);
  });
});
