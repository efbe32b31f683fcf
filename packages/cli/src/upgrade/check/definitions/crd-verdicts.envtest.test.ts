import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '@isthmus/machinery';
import type { CustomResourceDefinition, JsonSchema } from '@isthmus/schema';
import { rulesEngine } from '@isthmus/schema/cel';
import { checkDefinition, checkObjects, writeJudge } from '@isthmus/upgrade';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRealServer } from '../testing/real-server.ts';
import type { Answer, RealServer } from '../testing/real-server.ts';
import { madeUpTriples } from '../testing/triples.ts';
import type { Triple } from '../testing/triples.ts';
import { refusedCases } from '../testing/refused-cases.ts';

const group = 'triples.example.com';
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const server136 = { server: { minor: '1.36' }, compileRules: rulesEngine } as const;

const definition = (plural: string, schema: JsonSchema): CustomResourceDefinition => ({
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

/** Many triples in one kind: each has a field of its own, which only its objects hold. */
const schemaOf = (triples: readonly Triple[], side: 'old' | 'next'): JsonSchema => ({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        ...Object.fromEntries(triples.map((triple, index) => [`t${index}`, triple[side]])),
        // Marks the schema that answers: objects that are read under the new one have it.
        ...(side === 'next' && { marker: { type: 'string', default: 'new' } as const }),
      },
    },
  },
});

/** The report of the check of stored objects about the one object of a triple. */
function report(triple: Triple | undefined, value: unknown) {
  const [old, next] = (['old', 'next'] as const).map((side) =>
    definition('alone', schemaOf(triple === undefined ? [] : [triple], side)),
  );
  const object = { apiVersion: `${group}/v1`, kind: 'Kalone', metadata: { name: 'o' }, spec: { t0: value } };
  return checkObjects(old, next ?? definition('alone', {}), [object], server136);
}

const messageOf = ({ body }: Answer) => String(body['message']);

describe('verdicts on CRDs and stored objects are those of a real API server', () => {
  let server: RealServer;
  beforeAll(async () => {
    server = await startRealServer('crd-verdicts');
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  const until = async (what: string, holds: () => Promise<boolean>) => {
    for (let attempt = 0; attempt < 6_000; attempt++) {
      if (await holds()) return;
      await delay(50);
    }
    throw new Error(`not within five minutes: ${what}`);
  };

  /** Puts a CRD in the place of the one of its name, again where a controller was quicker. */
  const replace = async (definition: CustomResourceDefinition) => {
    const path = `${crds}/${definition.metadata.name}`;
    let answer: Answer | undefined;
    await until(`${definition.metadata.name} is replaced`, async () => {
      const { metadata } = (await server.send('GET', path)).body as { metadata: object };
      answer = await server.send('PUT', path, { ...definition, metadata });
      return answer.status !== 409;
    });
    return answer as Answer;
  };

  it('300 made-up changes of schemas: create, update with the offending part as it was, and update of the part itself', async () => {
    const perKind = 60;
    const triples = madeUpTriples(300, seededRandom(20261121));
    const shares = { created: 0, refusedCreates: 0, updated: 0, refusedUpdates: 0, changed: 0, refusedChanges: 0 };
    const differing: unknown[] = [];
    for (let from = 0; from < triples.length; from += perKind) {
      const batch = triples.slice(from, from + perKind);
      const plural = `t${from}`;
      const objects = `/apis/${group}/v1/${plural}`;
      const old = definition(plural, schemaOf(batch, 'old'));
      const next = definition(plural, schemaOf(batch, 'next'));
      expect((await server.send('POST', crds, old)).status).toBe(201);
      await until(`${plural} is served`, async () => (await server.send('GET', objects)).status === 200);
      const objectOf = (name: string, index: number, value: unknown) => ({
        apiVersion: `${group}/v1`,
        kind: `K${plural}`,
        metadata: { name },
        spec: { [`t${index}`]: value },
      });
      for (const [index, { value }] of batch.entries()) {
        const stored = await server.send('POST', objects, objectOf(`o${index}`, index, value));
        expect(stored.status, `${JSON.stringify(batch[index])}: ${messageOf(stored)}`).toBe(201);
      }
      const replaced = await replace(next);
      expect(replaced.status, messageOf(replaced)).toBe(200);
      await until(`the new schema of ${plural} answers`, async () => {
        const { body } = await server.send('GET', `${objects}/o0`);
        return (body as { spec: { marker?: string } }).spec.marker === 'new';
      });
      const judge = writeJudge(schemaOf(batch, 'next'), server136);
      for (const [index, { value, touched, changed }] of batch.entries()) {
        const created = await server.send('POST', objects, objectOf(`n${index}`, index, value));
        const ofCreate = judge.judge(objectOf(`n${index}`, index, value)).errors;
        const stored = (await server.send('GET', `${objects}/o${index}`)).body as { metadata: object; spec: object };
        const update = { ...objectOf(`o${index}`, index, touched), metadata: stored.metadata };
        const updated = await server.send('PUT', `${objects}/o${index}`, update);
        const ofUpdate = judge.judge(objectOf(`o${index}`, index, touched), objectOf(`o${index}`, index, value)).errors;
        shares[created.status === 201 ? 'created' : 'refusedCreates'] += 1;
        shares[updated.status === 200 ? 'updated' : 'refusedUpdates'] += 1;
        if ((created.status === 201) !== (ofCreate.length === 0))
          differing.push(['create', batch[index], messageOf(created), ofCreate]);
        if ((updated.status === 200) !== (ofUpdate.length === 0))
          differing.push(['update', batch[index], messageOf(updated), ofUpdate]);
        // The report about the stored object agrees: a part that blocks only its own change lets
        // this update pass. If the part itself changes, its present problem counts, whatever it was
        // before: after an update that passed, or none.
        const last = updated.status === 200 ? touched : value;
        const current = (await server.send('GET', `${objects}/o${index}`)).body as { metadata: object };
        const change = { ...objectOf(`o${index}`, index, changed), metadata: current.metadata };
        const replaced = await server.send('PUT', `${objects}/o${index}`, change);
        const ofChange = judge.judge(change, objectOf(`o${index}`, index, last)).errors;
        shares[replaced.status === 200 ? 'changed' : 'refusedChanges'] += 1;
        if ((replaced.status === 200) !== (ofChange.length === 0))
          differing.push(['change', batch[index], messageOf(replaced), ofChange]);
        const { groups } = report(batch[index], value);
        const blocks = groups.filter(({ effect }) => effect.startsWith('blocks'));
        const isForgiven = blocks.length > 0 && blocks.every(({ effect }) => effect !== 'blocks-any-write');
        if (blocks.length > 0 !== (created.status !== 201) || (isForgiven && updated.status !== 200)) {
          differing.push(['report', batch[index], messageOf(created), groups]);
        }
      }
    }
    process.stdout.write(`envtest: ${triples.length} triples: ${JSON.stringify(shares)}\n`);
    expect(differing.map((one) => JSON.stringify(one))).toEqual([]);
    expect(shares.refusedCreates).toBeGreaterThan(75);
    expect(shares.created).toBeGreaterThan(75);
    expect(shares.refusedUpdates).toBeGreaterThan(2);
    expect(shares.updated).toBeGreaterThan(200);
    expect(shares.refusedChanges).toBeGreaterThan(75);
  });

  it('a list that becomes a set while an object holds an item twice: which updates pass and which do not', async () => {
    const [plural, kind] = ['sets', 'Ksets'];
    const objects = `/apis/${group}/v1/${plural}`;
    const text: JsonSchema = { type: 'string' };
    const schema = (list: JsonSchema, more: JsonSchema['properties'] = {}): JsonSchema => ({
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { a: { type: 'array', items: text, ...list }, b: text, ...more } },
      },
    });
    const objectOf = (name: string, spec: object, metadata: object = {}) => ({
      apiVersion: `${group}/v1`,
      kind,
      metadata: { ...metadata, name },
      spec,
    });
    expect((await server.send('POST', crds, definition(plural, schema({})))).status).toBe(201);
    await until(`${plural} is served`, async () => (await server.send('GET', objects)).status === 200);
    for (const name of ['put', 'apply', 'applied']) {
      const twice = objectOf(name, { a: ['x', 'x'] });
      const stored =
        name === 'applied'
          ? await server.apply(`${objects}/${name}`, 'owner', twice)
          : await server.send('POST', objects, twice);
      expect(stored.status, messageOf(stored)).toBe(201);
    }
    const marked = { marker: { type: 'string', default: 'new' } } as const;
    await replace(definition(plural, schema({ 'x-kubernetes-list-type': 'set' }, marked)));
    await until(`the new schema of ${plural} answers`, async () => {
      const { body } = await server.send('GET', `${objects}/put`);
      return (body as { spec: { marker?: string } }).spec.marker === 'new';
    });
    const put = async (spec: object) => {
      const { metadata } = (await server.send('GET', `${objects}/put`)).body as { metadata: object };
      return (await server.send('PUT', `${objects}/put`, objectOf('put', spec, metadata))).status;
    };
    const apply = async (name: string, manager: string, spec: object) =>
      (await server.apply(`${objects}/${name}`, manager, objectOf(name, spec))).status;
    const twice = (await server.send('POST', objects, objectOf('new', { a: ['x', 'x'] }))).status;
    expect({
      'create with an item twice': twice,
      'update of another field': await put({ a: ['x', 'x'], b: '1' }),
      'update of the list, with an item twice as before': await put({ a: ['x', 'x', 'y'], b: '1' }),
      'update that takes one of them away': await put({ a: ['x', 'y'], b: '1' }),
      'update that brings it back': await put({ a: ['x', 'y', 'x'], b: '1' }),
      'apply of another field by another manager': await apply('apply', 'other', { b: '1' }),
      'apply by the manager of the list, as before': await apply('applied', 'owner', { a: ['x', 'x'] }),
      'apply by the manager of the list, with the item once': await apply('applied', 'owner', { a: ['x'] }),
    }).toEqual({
      'create with an item twice': 422,
      'update of another field': 200,
      'update of the list, with an item twice as before': 200,
      'update that takes one of them away': 200,
      'update that brings it back': 422,
      'apply of another field by another manager': 200,
      // What makes it block on every server: who applies what is in Git fails, and not with a
      // refusal even.
      'apply by the manager of the list, as before': 500,
      'apply by the manager of the list, with the item once': 200,
    });
  });

  it('what only another served version rejects stays as it is in an update at that version (KEP-4008)', async () => {
    const [plural, kind] = ['pairs', 'Kpairs'];
    const schema = (most: number): JsonSchema => ({
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { a: { type: 'string', maxLength: most }, b: { type: 'string' } } },
      },
    });
    const single = definition(plural, schema(5));
    const [wide] = single.spec.versions;
    if (wide === undefined) throw new Error('a version is missing');
    const narrow = { ...wide, name: 'v2', storage: false, schema: { openAPIV3Schema: schema(2) } };
    const both = { ...single, spec: { ...single.spec, versions: [wide, narrow] } };
    expect((await server.send('POST', crds, both)).status).toBe(201);
    const at = (version: string) => `/apis/${group}/${version}/${plural}`;
    await until(`${plural} is served`, async () => (await server.send('GET', at('v2'))).status === 200);
    const objectOf = (version: string, name: string, spec: object, metadata: object = {}) => ({
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { ...metadata, name },
      spec,
    });
    const put = async (spec: object) => {
      const { metadata } = (await server.send('GET', `${at('v2')}/o`)).body as { metadata: object };
      return (await server.send('PUT', `${at('v2')}/o`, objectOf('v2', 'o', spec, metadata))).status;
    };
    expect((await server.send('POST', at('v1'), objectOf('v1', 'o', { a: 'long' }))).status).toBe(201);
    expect({
      'create at the narrow version': (await server.send('POST', at('v2'), objectOf('v2', 'n', { a: 'long' }))).status,
      'update of another field': await put({ a: 'long', b: '1' }),
      'update of the field': await put({ a: 'more', b: '1' }),
    }).toEqual({ 'create at the narrow version': 422, 'update of another field': 200, 'update of the field': 422 });
    const { findings } = checkDefinition(single, both, {
      ...server136,
      waivers: [],
      today: '2026-11-21',
      companions: [],
    });
    const pair = findings.filter(({ comparedWith }) => comparedWith !== undefined);
    expect(pair.map(({ rule, severity }) => `${rule} ${severity}`)).toEqual(['F12 R']);
  });

  it('a value whose type only another served version rejects is returned as it is, and an update leaves it, which no typed client can read (F03)', async () => {
    const [plural, kind] = ['kinds', 'Kkinds'];
    const schema = (a: JsonSchema): JsonSchema => ({
      type: 'object',
      properties: { spec: { type: 'object', properties: { a, b: { type: 'string' } } } },
    });
    const single = definition(plural, schema({ type: 'string' }));
    const [texts] = single.spec.versions;
    if (texts === undefined) throw new Error('a version is missing');
    const numbers = { ...texts, name: 'v2', storage: false, schema: { openAPIV3Schema: schema({ type: 'integer' }) } };
    const both = { ...single, spec: { ...single.spec, versions: [texts, numbers] } };
    expect((await server.send('POST', crds, both)).status).toBe(201);
    const at = (version: string) => `/apis/${group}/${version}/${plural}`;
    await until(`${plural} is served`, async () => (await server.send('GET', at('v2'))).status === 200);
    const objectOf = (version: string, name: string, spec: object, metadata: object = {}) => ({
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { ...metadata, name },
      spec,
    });
    const read = async () => (await server.send('GET', `${at('v2')}/o`)).body as { metadata: object; spec: object };
    const put = async (spec: object) =>
      (await server.send('PUT', `${at('v2')}/o`, objectOf('v2', 'o', spec, (await read()).metadata))).status;
    expect((await server.send('POST', at('v1'), objectOf('v1', 'o', { a: 'x' }))).status).toBe(201);
    expect({
      'what v2 returns': (await read()).spec,
      'create with a text at v2': (await server.send('POST', at('v2'), objectOf('v2', 'n', { a: 'x' }))).status,
      'update of another field': await put({ a: 'x', b: '1' }),
      'update of the field with another text': await put({ a: 'y', b: '1' }),
      'update of the field with a number': await put({ a: 1, b: '1' }),
      // Nothing converts the number that is stored then.
      'what v1 returns': ((await server.send('GET', `${at('v1')}/o`)).body as { spec: object }).spec,
    }).toEqual({
      'what v2 returns': { a: 'x' },
      'create with a text at v2': 422,
      'update of another field': 200,
      'update of the field with another text': 422,
      'update of the field with a number': 200,
      'what v1 returns': { a: 1, b: '1' },
    });
    const { findings } = checkDefinition(single, both, {
      ...server136,
      waivers: [],
      today: '2026-11-21',
      companions: [],
    });
    const pair = findings.filter(({ comparedWith }) => comparedWith !== undefined);
    expect(pair.map(({ rule, severity }) => `${rule} ${severity}`)).toEqual(['F03 B']);
  });

  it.each(refusedCases)('$rule · refuses $what, as we do', async ({ rule, steps, next, says }) => {
    const { name } = next.metadata;
    let live: CustomResourceDefinition | undefined;
    for (const step of steps) {
      const answer = live === undefined ? await server.send('POST', crds, step) : await replace(step);
      expect([200, 201], messageOf(answer)).toContain(answer.status);
      await until(`${name} is established`, async () => {
        live = (await server.send('GET', `${crds}/${name}`)).body as unknown as CustomResourceDefinition;
        return (
          live.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true
        );
      });
    }
    const { findings } = checkDefinition(live, next, {
      ...server136,
      waivers: [],
      today: '2026-11-21',
      companions: [],
      clientSideApply: true,
    });
    const reported = findings.filter((finding) => finding.rule === rule);
    expect(reported[0]?.severity).toBe('X');
    const applied = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(next) };
    const sent = says.annotation === true ? { ...next, metadata: { ...next.metadata, annotations: applied } } : next;
    const answer = live === undefined ? await server.send('POST', crds, sent) : await replace(sent);
    expect(answer.status, messageOf(answer)).toBe(says.status ?? 422);
    expect(messageOf(answer)).toContain(says.server);
    if (says.ours !== false) expect(reported.map(({ message }) => message).join('\n')).toContain(says.server);
    if (live !== undefined) await server.send('DELETE', `${crds}/${name}`);
  });
});
