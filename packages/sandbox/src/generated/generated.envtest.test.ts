/**
 * Generated objects against a real API server. Its verdicts must equal the recorded ones.
 * `RECORD=1` (or `RECORD=<kind>,…`) records them again, and the commit shows the difference.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { env } from 'node:process';
import { createClient, systemClock } from '@isthmus/kube';
import type { Transport } from '@isthmus/kube';
import type { RealApiServer } from '@isthmus/testkit';
import { adminTransport, startApiServer, waitLimitMs } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { recordWanted } from '../contract/record-wanted.ts';
import { haveSentTheSame, verdictsOf, whenSentDiffers } from './frame.ts';
import { generatedPath } from './generated-path.ts';
import { generatedKinds } from './kinds.ts';
import { policyVerdicts } from './policies/policy-verdicts.ts';
import { prepare } from './prepare.ts';

const asked = recordWanted(env['RECORD'], [...generatedKinds.map(({ name }) => name), 'policies']);

let server: RealApiServer;
let transport: Transport;

beforeAll(async () => {
  server = await startApiServer({ name: 'generated', controllerManager: true });
  transport = adminTransport(server, 'generated/1');
});

afterAll(async () => {
  transport?.close();
  await server?.[Symbol.asyncDispose]();
});

/** Records the lines, or compares them with the recorded ones. */
function compare(name: string, lines: readonly string[]): void {
  const path = generatedPath(name);
  if (asked(name)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${lines.join('\n')}\n`);
    return;
  }
  // The order of keys in a recorded line has no meaning.
  const recorded = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  const parsed = (each: readonly string[]): readonly unknown[] => each.map((line) => JSON.parse(line) as unknown);
  expect(haveSentTheSame(lines, recorded), whenSentDiffers(name)).toBe(true);
  expect(parsed(lines)).toEqual(parsed(recorded));
}

describe('generated objects get the verdicts that are recorded', () => {
  it.each(generatedKinds.map((kind) => ({ name: kind.name, kind })))('$name', async ({ name, kind }) => {
    const { signal } = new AbortController();
    const namespace = `generated-${name}`;
    await prepare(transport, kind, namespace, signal);
    compare(name, await verdictsOf(transport, kind, namespace, { signal }));
  });
});

it('requests get the recorded verdicts of our admission policies', async () => {
  const admin = createClient({ transport, clock: systemClock(), server: server.url });
  const wait = { timeout: waitLimitMs(), interval: 250 };
  const { lines } = await policyVerdicts({ transport, admin }, (isSo) =>
    vi.waitFor(async () => expect(await isSo()).toBe(true), wait),
  );
  compare('policies', lines);
});
