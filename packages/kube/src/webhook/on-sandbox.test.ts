import { CustomResourceDefinition, Namespace } from '@isthmus/api';
import { createSandbox } from '@isthmus/sandbox';
import { clusterAdmin, createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { createClient } from '../client/create-client.ts';
import { memoryLog } from '../log/log.ts';
import { webhookMetrics } from '../metrics/metrics.ts';
import { createMetricsRegistry } from '../metrics/registry.ts';
import { gadgetDefinition, gadgetWebhooks, useGadgets } from './testing/gadgets.ts';
import { webhookConfigurations } from './webhook-configurations.ts';
import { createWebhookHandler } from './webhook-handler.ts';

describe('webhooks on a sandbox, in virtual time', () => {
  it('accept, reject, change and convert as they are defined, and count what they did', async () => {
    const clock = createVirtualClock({ startMs: Date.UTC(2026, 0, 1) });
    const log = memoryLog();
    const registry = createMetricsRegistry();
    const handler = createWebhookHandler(gadgetWebhooks, { clock, log, metrics: registry.declare(webhookMetrics) });
    const sandbox = createSandbox({
      name: 'hooks',
      clock,
      async callWebhook({ url }, body) {
        const { pathname, search } = new URL(url);
        const headers = { 'content-type': 'application/json' };
        const request = { method: 'POST', url: `${pathname}${search}`, headers, body };
        const { headers: sent, ...answer } = await handler.handle(request, new AbortController().signal);
        return { ...answer, contentType: sent['content-type'] };
      },
    });
    const client = createClient({ transport: sandbox.transport(clusterAdmin), clock });
    const server = { at: { url: 'https://hooks.example.io' }, caPem: undefined };
    await client.create(Namespace, { metadata: { name: 'shop' } });
    await client.create(CustomResourceDefinition, gadgetDefinition(server));
    await clock.settle();
    for (const configuration of webhookConfigurations(gadgetWebhooks, { name: 'gadgets', server }))
      sandbox.admin.put(typeOf(configuration.kind), configuration);
    await useGadgets(client, 'shop');

    const counted = (await registry.render())
      .split('\n')
      .filter((line) => line.startsWith('isthmus_webhook_request_t'));
    expect(counted.map((line) => line.replace('isthmus_webhook_request_total', ''))).toMatchInlineSnapshot(`
      [
        "{webhook="default.gadgets.example.io",operation="CREATE",allowed="true",code="200"} 5",
        "{webhook="size.gadgets.example.io",operation="CREATE",allowed="true",code="200"} 3",
        "{webhook="optional.gadgets.example.io",operation="CREATE",allowed="true",code="200"} 4",
        "{webhook="size.gadgets.example.io",operation="CREATE",allowed="false",code="422"} 1",
        "{webhook="size.gadgets.example.io",operation="CREATE",allowed="error",code="500"} 1",
        "{webhook="optional.gadgets.example.io",operation="CREATE",allowed="error",code="500"} 1",
        "{webhook="versions.gadgets.example.io",operation="CONVERT",allowed="true",code="200"} 2",
        "{webhook="versions.gadgets.example.io",operation="CONVERT",allowed="error",code="500"} 1",
      ]
    `);
    const failures = log.entries.filter(({ level }) => level === 'error');
    expect(failures.map(({ fields, error }) => [fields['webhook'], (error as Error).message])).toMatchInlineSnapshot(`
      [
        [
          "size.gadgets.example.io",
          "a bug at seven",
        ],
        [
          "optional.gadgets.example.io",
          "a bug at eight",
        ],
        [
          "versions.gadgets.example.io",
          "nine has no other shape",
        ],
      ]
    `);
  });
});

function typeOf(kind: string | undefined) {
  const plural = `${kind?.toLowerCase()}s`;
  return { group: 'admissionregistration.k8s.io', version: 'v1', kind: kind ?? '', plural, namespaced: false };
}
