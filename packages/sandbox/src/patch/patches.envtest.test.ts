/**
 * The cases of patches against a real API server. Its answers must equal the recorded ones;
 * `RECORD=1` records them again.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '@isthmus/schema';
import type { Answer, PatchedServer } from '../ownership/testing/api-server.ts';
import { startPatchedServer } from '../ownership/testing/api-server.ts';
import { jsonPatchCases, patchBelow, patchedDocument } from './testing/json-patch-cases.ts';
import type { RecordedPatch, RecordedPatches } from './testing/recorded-patches.ts';
import {
  printRecorded,
  readRecorded,
  recordedJsonPatches,
  recordedStrategicPatches,
} from './testing/recorded-patches.ts';
import { strategicCases, strategicObjects } from './testing/strategic-cases.ts';

type Members = Readonly<Record<string, Json>>;

const group = 'patch.example.com';
const papers = `/apis/${group}/v1/namespaces/default/papers`;
const collections = {
  Deployment: '/apis/apps/v1/namespaces/default/deployments',
  Service: '/api/v1/namespaces/default/services',
} as const;

describe('a real API server answers to patches as recorded', () => {
  let server: PatchedServer;
  beforeAll(async () => {
    server = await startPatchedServer('patches');
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  it('to JSON patches', async () => {
    await definePapers(server);
    const answers: [string, RecordedPatch][] = [];
    for (const [name, patch] of jsonPatchCases) {
      const body = patchBelow('/spec/anything', patch);
      // Some patches make the API server's library crash, and the connection ends without an
      // answer.
      const answer = await server
        .send('PATCH', `${papers}/paper?dryRun=All`, JSON.stringify(body), 'application/json-patch+json')
        .catch((): Answer => ({ code: 0, body: { message: 'no answer' } }));
      answers.push([name, recordedOf(answer, (object) => (object['spec'] as Members)['anything'] as Json)]);
    }
    compareOrRecord(recordedJsonPatches, Object.fromEntries(answers));
  });

  it('to strategic merge patches', async () => {
    const answers: [string, RecordedPatch][] = [];
    for (const [kind, object] of Object.entries(strategicObjects)) {
      const created = await server.send('POST', collections[kind as 'Service'], object);
      expect(created, JSON.stringify(created.body)).toMatchObject({ code: 201 });
      answers.push([`the ${kind}`, recordedOf(created, patchedParts)]);
    }
    for (const [kind, name, patch] of strategicCases) {
      const path = `${collections[kind]}/patched?dryRun=All`;
      const answer = await server.send('PATCH', path, JSON.stringify(patch), 'application/strategic-merge-patch+json');
      answers.push([name, recordedOf(answer, patchedParts)]);
    }
    compareOrRecord(recordedStrategicPatches, Object.fromEntries(answers));
  });
});

function recordedOf({ code, body }: Answer, partsOf: (object: Members) => Json): RecordedPatch {
  const object = body as Members;
  if (code === 200 || code === 201) return { code, value: partsOf(object) };
  const { reason, message } = object as { readonly reason?: string; readonly message: string };
  return { code, ...(reason === undefined ? {} : { reason }), message };
}

/** The object without the values that the API server assigns. */
function patchedParts(object: Members): Json {
  const { metadata, spec } = object as { readonly metadata: Members; readonly spec: Members };
  const { labels, annotations, finalizers, ownerReferences } = metadata;
  const { clusterIP: _, clusterIPs: __, ...rest } = spec;
  return JSON.parse(
    JSON.stringify({ metadata: { labels, annotations, finalizers, ownerReferences }, spec: rest }),
  ) as Json;
}

function compareOrRecord(file: URL, answers: RecordedPatches): void {
  if (process.env['RECORD'] === '1') writeFileSync(file, printRecorded(answers));
  expect(answers).toEqual(readRecorded(file));
}

async function definePapers(server: PatchedServer): Promise<void> {
  const anything = { 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { type: 'object', properties: { spec: { type: 'object', properties: { anything } } } };
  const created = await server.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `papers.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Paper', plural: 'papers' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  });
  expect(created, JSON.stringify(created.body)).toMatchObject({ code: 201 });
  const paper = {
    apiVersion: `${group}/v1`,
    kind: 'Paper',
    metadata: { name: 'paper' },
    spec: { anything: patchedDocument },
  };
  for (let attempt = 0; attempt < 3_000; attempt++) {
    if ((await server.send('POST', papers, paper)).code === 201) return;
    await delay(100);
  }
  throw new Error('the API server does not serve papers');
}
