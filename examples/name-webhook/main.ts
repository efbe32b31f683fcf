/**
 * `npx node examples/name-webhook/main.ts <folder>`: serves the webhooks with `tls.crt` and
 * `tls.key` of that folder, as a mounted Secret has them.
 * `npx node examples/name-webhook/main.ts <folder> --print`: prints the objects that have an API
 * server on this machine call them.
 */
import { join } from 'node:path';
import {
  certificateFiles,
  createLog,
  createWebhookHandler,
  readFile,
  startHttpsServer,
  systemClock,
  webhookConfigurations,
} from '@isthmus/kube';
import { printYamlDocuments } from '@isthmus/machinery';
import { webhooks } from './webhooks.ts';

const [folder, print] = process.argv.slice(2);
if (folder === undefined) throw new Error('name the folder that has tls.crt, tls.key and ca.crt');
const port = Number(process.env['PORT'] ?? 9443);
const clock = systemClock();
const log = createLog({ destination: process.stderr, format: 'text', clock });

if (print === '--print') {
  const { text: caPem } = await readFile(join(folder, 'ca.crt'));
  const server = { at: { url: `https://127.0.0.1:${port}` }, caPem };
  process.stdout.write(printYamlDocuments(webhookConfigurations(webhooks, { name: 'names.example.io', server })));
} else {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(new Error(signal)));
  const paths = { certPath: join(folder, 'tls.crt'), keyPath: join(folder, 'tls.key') };
  try {
    const server = await startHttpsServer({
      name: 'names',
      bind: { host: '127.0.0.1', port },
      certificates: certificateFiles({ ...paths, readFile, clock, log }),
      handler: createWebhookHandler(webhooks, { clock, log }),
      signal: stop.signal,
      clock,
      log,
    });
    await server.ended;
  } catch (error) {
    // It was asked to end while it waited for its first certificate.
    if (!stop.signal.aborted) throw error;
  }
}
