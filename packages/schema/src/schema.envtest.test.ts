import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileSchema } from './validation/compile.ts';
import type { CustomResourceDefinition } from './authoring/crd.ts';
import { formatFieldError } from './field-error.ts';
import { goJson } from './go-text.ts';
import type { JsonSchema } from './json-schema.ts';
import { startRealServer } from './testing/real-server.ts';
import type { Answer, RealServer } from './testing/real-server.ts';
import { shapeCases } from './testing/shape-cases.ts';
import { acceptedSchemas, refusedRoots, refusedSchemas, withoutEngine } from './testing/structural-cases.ts';
import { formatCases, patternCases } from './testing/text-cases.ts';
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

/** One field `c<n>` per case, with its schema for `x` inside. */
const fieldsOf = (cases: readonly (readonly [string, JsonSchema, ...unknown[]])[]) =>
  Object.fromEntries(cases.map(([, x], index) => [`c${index}`, { type: 'object', properties: { x } } as const]));

/** The same for one case, for our use. */
const compileField = (schema: JsonSchema, index: number) =>
  compileSchema({ type: 'object', properties: { [`c${index}`]: { type: 'object', properties: { x: schema } } } });

/**
 * The causes of a rejection as `field: message`, sorted; empty if the answer is not a rejection.
 */
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
    for (let attempt = 0; attempt < 6_000; attempt++) {
      if ((await server.send('GET', `/apis/${group}/v1/${plural}`)).status === 200) return;
      await delay(50);
    }
    throw new Error(`${plural} is not served after five minutes`);
  };

  it('on values', async () => {
    const cases = [...typeCases, ...limitCases, ...junctorCases, ...listCases];
    await define('values', fieldsOf(cases));
    const verdicts = await Promise.all(
      cases.map(async ([what, schema, value], index) => {
        const object = { [`c${index}`]: { x: value } };
        const answer = await server.send('POST', `/apis/${group}/v1/values`, {
          apiVersion: `${group}/v1`,
          kind: 'Kvalues',
          metadata: { name: `case-${index}` },
          ...object,
        });
        const compiled = compileField(schema, index);
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

  it('on what is pruned and defaulted, and on the names of unknown fields', async () => {
    await define('shapes', fieldsOf(shapeCases));
    const verdicts = await Promise.all(
      shapeCases.map(async ([what, schema, value], index) => {
        const post = (query: string) => {
          const head = { apiVersion: `${group}/v1`, kind: 'Kshapes', metadata: { name: `case-${index}` } };
          return server.send('POST', `/apis/${group}/v1/shapes?dryRun=All${query}`, {
            ...head,
            [`c${index}`]: { x: value },
          });
        };
        const kept = (await post('')).body as Readonly<Record<string, unknown>>;
        const strict = (await post('&fieldValidation=Strict')).body as { readonly message?: string };
        const named = [...(strict.message ?? '').matchAll(/unknown field "([^"]*)"/g)].map((match) => match[1]);
        const compiled = compileField(schema, index);
        const pruned = compiled.prune({ [`c${index}`]: { x: value } });
        const filled = compiled.applyDefaults(pruned.value) as Readonly<Record<string, unknown>>;
        return {
          theirs: { what, kept: goJson(kept[`c${index}`]), unknown: named },
          ours: { what, kept: goJson(filled[`c${index}`]), unknown: pruned.unknownFields },
        };
      }),
    );
    expect(verdicts.map(({ ours }) => ours)).toEqual(verdicts.map(({ theirs }) => theirs));
  });

  it.each([
    ['patterns', patternCases, (rule: string): JsonSchema => ({ type: 'string', pattern: rule })],
    ['formats', formatCases, (rule: string): JsonSchema => ({ type: 'string', format: rule })],
  ])('on %s', async (plural, cases, schemaOf) => {
    const fields = cases.map(([rule], index) => [`c${index}`, schemaOf(rule)] as const);
    await define(plural, Object.fromEntries(fields));
    const verdicts = cases.flatMap(([rule, right, wrong], index) =>
      [...right, ...wrong].map(async (text) => {
        const answer = await server.send('POST', `/apis/${group}/v1/${plural}?dryRun=All`, {
          apiVersion: `${group}/v1`,
          kind: `K${plural}`,
          metadata: { name: 'case' },
          [`c${index}`]: text,
        });
        return { rule, text, accepted: answer.status === 201, expected: right.includes(text) };
      }),
    );
    const differing = (await Promise.all(verdicts)).filter(({ accepted, expected }) => accepted !== expected);
    expect(differing).toEqual([]);
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
