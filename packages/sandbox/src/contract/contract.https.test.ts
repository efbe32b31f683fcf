/**
 * A part of the contract suite over a socket and in real time: parts that HTTPS could change must
 * also equal the recording.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transport } from '@isthmus/kube';
import { httpsTransport, noCredentials, staticToken, systemClock } from '@isthmus/kube';
import { sweepOf } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpsSandbox } from '../https/serve-https.ts';
import { serveHttps } from '../https/serve-https.ts';
import { createSandbox } from '../sandbox.ts';
import { areas } from './areas.ts';
import type { Recording } from './exchange.ts';
import { recordingPath } from './recording-path.ts';
import { namespaceOf, runCase } from './run-case.ts';

/** Paths, methods, bodies, media types, pages and bearer tokens. */
const overHttps: ReadonlySet<string> = new Set(['http', 'negotiation', 'lists', 'tokens']);

const all = areas
  .filter(({ name }) => overHttps.has(name))
  .flatMap((area) => area.cases.map((one, index) => ({ area, title: one.title, one, index })));
const visited = sweepOf(all, { oneIn: 10, kindOf: ({ area }) => area.name });

const userAgent = 'contract/1';
const defects: unknown[] = [];
let server: HttpsSandbox;
let transport: Transport;

beforeAll(async () => {
  const onDefect = (_: unknown, error: unknown) => defects.push(error);
  server = await serveHttps(createSandbox({ name: 'contract', clock: systemClock(), onDefect }));
  const pair = await server.authority.issueClient({ user: 'admin', groups: ['system:masters'] });
  const clientCertificate = { certPem: pair.certData, keyPem: pair.keyData };
  transport = httpsTransport({
    server: server.url,
    caPem: server.caData,
    clientCertificate,
    credentials: noCredentials(),
    userAgent,
  });
});

afterAll(async () => {
  transport?.close();
  await server?.[Symbol.asyncDispose]();
});

describe.each(areas.filter(({ name }) => overHttps.has(name)))('area $name over HTTPS', (area) => {
  const { name } = area;
  const recorded = JSON.parse(readFileSync(recordingPath(name), 'utf8')) as Recording;

  it.each(visited.filter((point) => point.area === area))('$title', async ({ title, one, index }) => {
    const withToken = (token: string) =>
      httpsTransport({ server: server.url, caPem: server.caData, credentials: staticToken(token), userAgent });
    const time = { pass: (ms: number) => sleep(ms), during: <T>(work: Promise<T>) => work };
    const transcript = await runCase({ transport, withToken, time }, one, namespaceOf(name, index));
    expect(transcript).toEqual(recorded[title]);
    expect(defects).toEqual([]);
  });
});
