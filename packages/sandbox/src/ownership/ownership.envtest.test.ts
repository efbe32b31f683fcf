/**
 * The cases of ownership against a real API server. Its answers must equal the recorded ones;
 * `RECORD=1` records them again. All cases advance step by step together, and no two steps are
 * within one second, since managed fields carry times in seconds.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PatchedServer } from './testing/api-server.ts';
import { startPatchedServer } from './testing/api-server.ts';
import { ownershipCases, thingSchema } from './testing/ownership-cases.ts';
import type { OwnershipCase, OwnershipStep } from './testing/ownership-cases.ts';
import type { RecordedAnswer, RecordedOwnership } from './testing/recorded-ownership.ts';
import {
  comparableObject,
  comparableStatus,
  printOwnership,
  recordedOwnership,
  recordedOwnershipFile,
} from './testing/recorded-ownership.ts';
import type { JsonObject } from './shape.ts';

const group = 'test.example.com';

describe('a real API server answers as recorded', () => {
  let server: PatchedServer;
  let answers: RecordedOwnership = {};
  beforeAll(async () => {
    server = await startPatchedServer('ownership');
    await defineThings(server);
    answers = await answersOf(server);
    if (process.env['RECORD'] === '1') writeFileSync(recordedOwnershipFile, printOwnership(answers));
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  it.each(ownershipCases)('$title', ({ title }) => {
    expect(answers[title]).toEqual(recordedOwnership()[title]);
  });
});

async function defineThings(server: PatchedServer): Promise<void> {
  const version = (name: string) => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema: thingSchema },
    subresources: { status: {} },
  });
  const created = await server.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Thing', plural: 'things' },
      versions: [version('v1'), version('v2')],
    },
  });
  expect(created, JSON.stringify(created.body)).toMatchObject({ code: 201 });
  for (let attempt = 0; attempt < 3_000; attempt++) {
    if ((await server.send('GET', `/apis/${group}/v2/things`)).code === 200) return;
    await delay(100);
  }
  throw new Error('the API server does not serve things');
}

async function answersOf(server: PatchedServer): Promise<RecordedOwnership> {
  const answers = new Map<string, RecordedAnswer[]>(ownershipCases.map(({ title }) => [title, []]));
  const starts: string[] = [];
  const nameOfTime = (time: string) => `step ${starts.findLastIndex((start) => start <= time)}`;
  const rounds = Math.max(...ownershipCases.map(({ steps }) => steps.length));
  for (let round = 0; round < rounds; round++) {
    await untilNextSecond();
    starts.push(`${new Date().toISOString().slice(0, 19)}Z`);
    const send = async (theCase: OwnershipCase, index: number) => {
      const step = theCase.steps[round];
      if (step === undefined) return;
      const name = `case-${index}`;
      const { code, body } = await sendStep(server, [theCase, name], step);
      const object = JSON.parse(JSON.stringify(body).replaceAll(name, 'x')) as JsonObject;
      answers
        .get(theCase.title)
        ?.push(
          code < 300
            ? { code, object: comparableObject(object, nameOfTime) }
            : { code, status: comparableStatus(object) },
        );
    };
    await Promise.all(ownershipCases.map(send));
  }
  return Object.fromEntries(answers);
}

async function sendStep(server: PatchedServer, [theCase, name]: readonly [OwnershipCase, string], step: OwnershipStep) {
  const { kind = 'Thing' } = theCase;
  const version = kind === 'Thing' ? `${group}/${step.version ?? 'v1'}` : 'v1';
  const collection =
    kind === 'Thing' ? `/apis/${version}/namespaces/default/things` : '/api/v1/namespaces/default/configmaps';
  const path = `${collection}/${name}${step.status === true ? '/status' : ''}`;
  const whole = (body: JsonObject) => ({
    ...body,
    apiVersion: version,
    kind,
    metadata: { ...(body['metadata'] as JsonObject | undefined), name },
  });
  const by = `fieldManager=${step.by}`;
  if ('create' in step) return server.send('POST', `${collection}?${by}`, whole(step.create));
  if ('patch' in step) return server.send('PATCH', `${path}?${by}`, step.patch, 'application/merge-patch+json');
  const force = step.force === true ? '&force=true' : '';
  return server.send('PATCH', `${path}?${by}${force}`, whole(step.apply), 'application/apply-patch+yaml');
}

async function untilNextSecond(): Promise<void> {
  await delay(1000 - (new Date().getTime() % 1000) + 5);
}
