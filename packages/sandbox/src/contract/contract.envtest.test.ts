/**
 * The contract suite against a real API server. Its answers must be those that are recorded; `RECORD=1` (or `RECORD=<area>`) records them
 * anew, which the commit then shows.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { env } from 'node:process';
import type { Transport } from '@isthmus/kube';
import { httpsTransport, staticToken } from '@isthmus/kube';
import type { RealApiServer } from '@isthmus/testkit';
import { adminTransport, defaultControllers, startApiServer } from '@isthmus/testkit';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { areas } from './areas.ts';
import type { CaseApiOptions } from './case-api.ts';
import type { Recording, Transcript } from './exchange.ts';
import { httpsWebhooks } from './https-webhooks.ts';
import { printRecording } from './recording.ts';
import { recordingPath } from './recording-path.ts';
import { namespaceOf, runCase } from './run-case.ts';

let common: RealApiServer;
let openWebhook: NonNullable<CaseApiOptions['openWebhook']>;

beforeAll(async () => {
  common = await startApiServer({ name: 'contract', controllerManager: true });
  openWebhook = await httpsWebhooks();
});

afterAll(async () => {
  await common?.[Symbol.asyncDispose]();
});

const runId = Date.now().toString(36);

/**
 * The real server says some things a moment later, and some in any order: what differs is asked twice more, in Namespaces of its own. A true
 * difference stays.
 */
const patience = { retry: 2 };

describe.each(areas)('area $name', ({ name, cases, compactEveryMs, moreControllers }) => {
  const path = recordingPath(name);
  const recorded = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Recording) : {};
  const records = env['RECORD'] === '1' || env['RECORD'] === name;
  const fresh: Record<string, Transcript> = {};
  let runs = 0;
  let server: RealApiServer;
  let transport: Transport;

  beforeAll(async () => {
    const flags = { 'kube-apiserver': { 'etcd-compaction-interval': `${compactEveryMs}ms` } };
    if (compactEveryMs !== undefined) server = await startApiServer({ name: 'forgetful', flags });
    else if (moreControllers === undefined) server = common;
    else server = await startApiServer({ name, controllerManager: [...defaultControllers, ...moreControllers] });
    transport = adminTransport(server, 'contract/1');
  });

  afterAll(async () => {
    transport?.close();
    if (server !== common) await server?.[Symbol.asyncDispose]();
  });

  it.each(cases.map((one, index) => ({ title: one.title, one, index })))(
    '$title',
    patience,
    async ({ title, one, index }) => {
      const time = { pass: (ms: number) => sleep(ms), during: <T>(work: Promise<T>) => work };
      const withToken = (token: string) =>
        httpsTransport({
          server: server.url,
          caPem: server.caData,
          credentials: staticToken(token),
          userAgent: 'contract/1',
        });
      const transcript = await runCase(
        { transport, openWebhook, withToken, time },
        one,
        namespaceOf(`${name}-${runId}-${runs++}`, index),
      );
      fresh[title] = transcript;
      if (!records) expect(transcript).toEqual(recorded[title]);
    },
  );

  afterAll(() => {
    if (!records) return;
    mkdirSync(new URL('.', `file://${path}`), { recursive: true });
    writeFileSync(path, printRecording(fresh));
  });
});
