import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileSchema } from './compile.ts';
import type { CustomResourceDefinition } from './crd.ts';
import { formatFieldError } from './field-error.ts';
import type { JsonSchema } from './json-schema.ts';
import { startRealServer } from './testing/real-server.ts';
import type { Answer, RealServer } from './testing/real-server.ts';
import { acceptedSchemas, refusedRoots, refusedSchemas, withoutEngine } from './testing/structural-cases.ts';
import { junctorCases, limitCases, listCases, typeCases } from './testing/validation-cases.ts';

const group = 'probe.example.com';

/** A kind with that schema. */
const probe = (plural: string, schema: JsonSchema): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Cluster',
    names: { kind: `K${plural}`, plural },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});

/** The causes of a refusal as `field: message`, sorted; empty where the answer is none. */
const causesOf = ({ body }: Answer): readonly string[] => {
  const { details } = body as {
    readonly details?: { readonly causes?: readonly { readonly field?: string; readonly message: string }[] };
  };
  return (details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`).sort();
};

describe('our verdicts are those of a real API server', () => {
  let server: RealServer;
  beforeAll(async () => {
    server = await startRealServer('schema');
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const define = async (plural: string, fields: Readonly<Record<string, JsonSchema>>) => {
    const created = await server.send('POST', crds, probe(plural, { type: 'object', properties: fields }));
    expect(created, JSON.stringify(created.body)).toMatchObject({ status: 201 });
    for (let attempt = 0; attempt < 100; attempt++) {
      if ((await server.send('GET', `/apis/${group}/v1/${plural}`)).status === 200) return;
      await delay(50);
    }
    throw new Error(`${plural} is not served after 5 s`);
  };

  it('on values', async () => {
    const cases = [...typeCases, ...limitCases, ...junctorCases, ...listCases];
    const fields = cases.map(([, x], index) => [`c${index}`, { type: 'object', properties: { x } }] as const);
    await define('values', Object.fromEntries(fields));
    const verdicts = await Promise.all(
      cases.map(async ([what, schema, value], index) => {
        const object = { [`c${index}`]: { x: value } };
        const answer = await server.send('POST', `/apis/${group}/v1/values`, {
          apiVersion: `${group}/v1`,
          kind: 'Kvalues',
          metadata: { name: `case-${index}` },
          ...object,
        });
        const field: JsonSchema = { type: 'object', properties: { x: schema } };
        const compiled = compileSchema({ type: 'object', properties: { [`c${index}`]: field } });
        const ours = compiled
          .validate(compiled.applyDefaults(compiled.prune(object).value))
          .map(formatFieldError)
          .sort();
        return {
          theirs: { what, accepted: answer.status === 201, texts: causesOf(answer) },
          ours: { what, accepted: ours.length === 0, texts: ours },
        };
      }),
    );
    expect(verdicts.map(({ ours }) => ours)).toEqual(verdicts.map(({ theirs }) => theirs));
  });

  const judge = async (root: JsonSchema) => {
    const answer = await server.send('POST', `${crds}?dryRun=All`, probe('schemas', root));
    const texts = causesOf(answer).map((text) =>
      withoutEngine(text.replaceAll('spec.validation.openAPIV3Schema', 'S')),
    );
    return { status: answer.status, texts };
  };
  const withField = (x: JsonSchema): JsonSchema => ({ type: 'object', properties: { x } });

  it.each(refusedSchemas)('on a schema that %s', async (_what, field, errors) => {
    const { texts } = await judge(withField(field));
    const short = (text: string) => text.replaceAll('S.properties[x]', 'x');
    expect(texts.map(short)).toEqual(errors.map(short).sort());
  });

  it.each(refusedRoots)('on a schema that %s', async (_what, root, errors) => {
    expect((await judge(root)).texts).toEqual([...errors].sort());
  });

  it.each(acceptedSchemas)('on a schema that %s', async (_what, field) => {
    expect(await judge(withField(field))).toEqual({ status: 201, texts: [] });
  });
});
