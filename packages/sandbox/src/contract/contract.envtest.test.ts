/**
 * The contract suite against a real API server. Its answers must equal the recorded ones.
 * `RECORD=1` (or `RECORD=<area>,…`) records them again, and the commit shows the difference.
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
import { needsServerAlone } from './contract-case.ts';
import type { ContractArea, ContractCase } from './contract-case.ts';
import type { Recording, Transcript } from './exchange.ts';
import { httpsWebhooks } from './https-webhooks.ts';
import { recordWanted } from './record-wanted.ts';
import { printRecording, recordedAnew } from './recording.ts';
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
 * The real server answers some requests with a delay and some in any order. A case that differs is
 * run up to twice more, in new Namespaces; a true difference remains.
 */
const patience = { retry: 2 };

const asked = recordWanted(
  env['RECORD'],
  areas.map(({ name }) => name),
);
const wantsRecord = ({ name }: ContractArea) => asked(name);

/** The answers that are recorded; none of an area that is new. */
function recordingOf({ name }: ContractArea): Recording {
  const path = recordingPath(name);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Recording) : {};
}

/** The answers of this run. */
const fresh = new Map<string, Transcript>();
let runs = 0;

async function check(area: ContractArea, one: ContractCase, { server, transport }: Served): Promise<void> {
  const recorded = recordingOf(area);
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
    namespaceOf(`${area.name}-${runId}-${runs++}`, area.cases.indexOf(one)),
  );
  fresh.set(`${area.name} ${one.title}`, transcript);
  if (!wantsRecord(area)) expect(transcript).toEqual(recorded[one.title]);
}

interface Served {
  readonly server: RealApiServer;
  readonly transport: Transport;
}

/**
 * A server as the cases of the area want it: the common one, or one of their own. It lives as long
 * as the suite around.
 */
function servedFor({ name, compactEveryMs, moreControllers }: ContractArea): () => Served {
  let served: Served;
  beforeAll(async () => {
    const flags = { 'kube-apiserver': { 'etcd-compaction-interval': `${compactEveryMs}ms` } };
    const server =
      compactEveryMs !== undefined
        ? await startApiServer({ name: 'forgetful', flags })
        : moreControllers !== undefined
          ? await startApiServer({ name, controllerManager: [...defaultControllers, ...moreControllers] })
          : common;
    served = { server, transport: adminTransport(server, 'contract/1') };
  });
  afterAll(async () => {
    served?.transport.close();
    if (served !== undefined && served.server !== common) await served.server[Symbol.asyncDispose]();
  });
  return () => served;
}

/**
 * The areas with the cases that do or do not want the server for themselves, without those that are
 * left with none.
 */
const withCases = (isAlone: boolean) =>
  areas
    .map((area) => ({
      area,
      name: area.name,
      cases: area.cases.filter((one) => needsServerAlone(area, one) === isAlone),
    }))
    .filter(({ cases }) => cases.length > 0);

// Cases mostly wait for delayed effects on the real server, so they run in parallel, each in its
// Namespace.
describe.each(withCases(true))('area $name, one case at a time', ({ area, cases }) => {
  const served = servedFor(area);
  it.each(cases)('$title', patience, (one) => check(area, one, served()));
});

describe.concurrent.each(withCases(false))('area $name', ({ area, cases }) => {
  const served = servedFor(area);
  it.concurrent.each(cases)('$title', patience, (one) => check(area, one, served()));
});

afterAll(() => {
  for (const area of areas.filter(wantsRecord)) {
    const path = recordingPath(area.name);
    mkdirSync(new URL('.', `file://${path}`), { recursive: true });
    const titles = area.cases.map(({ title }) => title);
    const answers = recordedAnew(titles, recordingOf(area), (title) => fresh.get(`${area.name} ${title}`));
    writeFileSync(path, printRecording(answers));
  }
});
