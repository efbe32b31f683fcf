import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import { ResourceExport, ServiceImport, ValidatingWebhookConfiguration } from '@isthmus/api';
import type { ServicePort } from '@isthmus/api';
import {
  allow,
  createMetricsRegistry,
  createWebhookHandler,
  defineWebhook,
  deny,
  memoryLog,
  startHttpsServer,
  systemClock,
  webhookConfigurations,
  webhookMetrics,
} from '@isthmus/kube';
import type { HttpsServer, ServingCertificate } from '@isthmus/kube';
import { createAuthority } from '@isthmus/sandbox';
import type { Authority } from '@isthmus/sandbox';
import type { RealFleet } from '@isthmus/testkit';
import { leaderNamespace } from '@isthmus/fleet-sim';
import { checksAllPoints, startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

/**
 * Hundreds of Services are exported while a webhook of the leader's API server judges every export.
 * It is a webhook of another product, since Isthmus has none. It denies, answers too late, and
 * changes its certificate, and the admission policies are installed again.
 */
const part = checksAllPoints() ? 1 : 2;
const count = 500 / part;
const http: readonly ServicePort[] = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const clock = systemClock();
const stop = new AbortController();
const log = memoryLog();
const certificates: ServingCertificate[] = [];
let wake = (): void => {};
let fleet: RealFleet;
let server: HttpsServer;
let authority: Authority;
let answer: 'allow' | 'deny' | 'late' = 'allow';
const answered = { allow: 0, deny: 0, late: 0 };

const west = () => fleet.cluster('west');
const east = () => fleet.cluster('east');
const north = () => fleet.leader;

const webhook = defineWebhook({
  kind: 'validating',
  name: 'exports.example.io',
  path: '/validate-exports',
  rules: [{ types: [ResourceExport], operations: ['CREATE', 'UPDATE'] }],
  failurePolicy: 'Fail',
  sideEffects: 'None',
  timeoutSeconds: 10,
  access: [],
  async review(_request, { signal }) {
    answered[answer]++;
    if (answer === 'deny') return deny('not now');
    if (answer === 'late') await delay(10_500, undefined, { signal, ref: false }).catch(() => {});
    return allow();
  },
});

async function issue(): Promise<void> {
  const { certData, keyData } = await authority.issueServing('webhooks', ['127.0.0.1']);
  certificates.push({ certPem: certData, keyPem: keyData });
  wake();
}

/** The serial of the certificate that a new connection gets. */
async function servedSerial(): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: server.address.port, ca: authority.caData });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

async function install(): Promise<void> {
  const at = { url: `https://127.0.0.1:${server.address.port}` };
  const options = { name: 'exports', server: { at, caPem: authority.caData } };
  for (const body of webhookConfigurations([webhook], options))
    await north().admin.patch(
      ValidatingWebhookConfiguration,
      { name: 'exports' },
      { type: 'apply', body, fieldManager: 'test', force: true },
    );
}

beforeAll(async () => {
  authority = await createAuthority('webhooks');
  await issue();
  const metrics = createMetricsRegistry().declare(webhookMetrics);
  [fleet, server] = await Promise.all([
    startRealFleet({ clusters: { north: 'leader', west: 'member', east: 'member' } }),
    startHttpsServer({
      name: 'webhooks',
      bind: { host: '127.0.0.1', port: 0 },
      certificates: async function* source(signal) {
        signal.addEventListener('abort', () => wake(), { once: true });
        while (!signal.aborted) {
          const next = certificates.shift();
          if (next === undefined) await new Promise<void>((resolve) => (wake = resolve));
          else yield next;
        }
      },
      handler: createWebhookHandler([webhook], { clock, log, metrics }),
      clock,
      log,
      signal: stop.signal,
    }),
  ]);
  await Promise.all([west(), east()].map((cluster) => cluster.user.namespace('shop')));
  await install();
});

afterAll(async () => {
  stop.abort(new Error('the test is over'));
  await fleet?.[Symbol.asyncDispose]();
  await server?.ended;
});

it('loses none of hundreds of exports, and names who rejects one on its ServiceExport', async () => {
  const refOf = (index: number) => ({ namespace: 'shop', name: `web-${index}` });
  const exportTo = async (from: number, to: number) => {
    for (let index = from; index < to; index++)
      await west().user.exportService(refOf(index), http, `10.20.${Math.floor(index / 250)}.${(index % 250) + 1}`);
  };
  const imported = async () => (await east().admin.list(ServiceImport, { namespace: 'shop' })).items.length;
  const has = async (number: number) => (await imported()) >= number;

  const [admitted, denied, late, more] = [100 / part, 200 / part, 220 / part, 300 / part];
  await exportTo(0, admitted);
  await fleet.until('the webhook is asked', async () => answered.allow > 0);

  answer = 'deny';
  await exportTo(admitted, denied);
  const last = refOf(denied - 1);
  await fleet.eventually('a denial is reported', () => west().view.exported(last, 'Ready'), 'False Failed');
  expect(await west().view.exportMessage(last, 'Ready')).toContain('exports.example.io');

  answer = 'late';
  await exportTo(denied, late);
  await fleet.until('answers are late', async () => answered.late >= 5);
  answer = 'allow';
  await exportTo(late, more);

  const serial = await servedSerial();
  await issue();
  const policies = `validatingadmissionpolicies,validatingadmissionpolicybindings -l served-in=${leaderNamespace}`;
  const exporting = exportTo(more, count);
  await north().shell(`kubectl delete ${policies}`);
  await north().shell('kubectl apply -f -', await north().manifest('deploy/leader.yaml'));
  await install();
  await exporting;

  await fleet.until('all are imported', () => has(count));
  await fleet.eventually('and the one that was denied', () => east().view.imported(last), 'True Ready');
  await fleet.eventually('which the exporter knows', () => west().view.exported(last, 'Ready'), 'True Exported');
  const exports = (await north().admin.list(ResourceExport, { namespace: leaderNamespace })).items;
  expect(exports.filter(({ spec }) => spec?.clusterID === 'west')).toHaveLength(2 * count);
  expect(answered.deny).toBeGreaterThan(0);
  expect(await servedSerial()).not.toBe(serial);
});
