import { createVirtualClock } from '@isthmus/fleet-sim';
import { beforeAll, describe, expect, it } from 'vitest';
import { createHostileWorld } from './hostile-world.ts';
import type { HostileWorld, Step } from './hostile-world.ts';

const maps = '/api/v1/namespaces/ns/configmaps';
const things = '/apis/hostile.example.com/v1/namespaces/ns/things';
const json = 'application/json';
const patches = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

let world: HostileWorld;

beforeAll(async () => {
  world = await createHostileWorld(createVirtualClock({ startMs: Date.parse('2026-11-21T10:00:00Z') }), new Map());
  await send('POST', maps, json, '{"metadata":{"name":"a"},"data":{"a":"b"}}');
  await send('POST', things, json, thing('a', '{"x":{"y":"text"}}'));
});

function send(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  target: string,
  type?: string,
  body?: string,
): Promise<Step> {
  const [path = '', query = ''] = target.split('?');
  return world.send({
    method,
    path,
    query: Object.fromEntries(new URLSearchParams(query)),
    ...(type !== undefined && { headers: { 'content-type': type } }),
    ...(body !== undefined && { body }),
  });
}

const message = ({ text }: Step) => (JSON.parse(text) as { readonly message?: string }).message;
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const thing = (name: string, spec: string) =>
  `{"apiVersion":"hostile.example.com/v1","kind":"Thing","metadata":{"name":"${name}"},"spec":${spec}}`;
const inMap = (value: string) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"x":${value}}`;

/** Nothing was a defect, and everything stored is whole and can be read. */
async function expectUnharmed(): Promise<void> {
  expect(world.complaints()).toEqual([]);
  expect(await world.disagreements()).toEqual([]);
}

describe('a body of too many levels', () => {
  const levels = 100_000;
  const pointer = '/spec/a'.repeat(levels);
  it.each([
    ['POST', maps, json, inMap(nested(levels)), 'exceeded max depth'],
    ['POST', things, json, thing('deep', nested(levels)), 'exceeded max depth'],
    ['PUT', `${maps}/a`, json, inMap(nested(levels)), 'exceeded max depth'],
    [
      'PATCH',
      `${maps}/a`,
      patches.merge,
      inMap(nested(levels)),
      "error decoding patch: invalid character '[' exceeded max depth",
    ],
    ['PATCH', `${maps}/a`, patches.strategic, inMap(nested(levels)), 'exceeded max depth'],
    ['PATCH', `${maps}/a`, patches.json, `[{"op":"add","path":"/x","value":${nested(levels)}}]`, 'exceeded max depth'],
    [
      'PATCH',
      `${things}/a`,
      patches.json,
      `[{"op":"add","path":"${pointer}","value":1}]`,
      'the server rejected our request',
    ],
    ['PATCH', `${maps}/a?fieldManager=m`, patches.apply, inMap(nested(10_001)), 'yaml: exceeded max depth of 10000'],
    ['POST', maps, 'application/yaml', inMap(nested(10_001)), 'yaml: exceeded max depth of 10000'],
    ['DELETE', `${maps}/a`, json, nested(levels), 'exceeded max depth'],
  ] as const)('%s %s %s is refused', async (method, path, type, body, why) => {
    const answer = await send(method, path, type, body);
    expect(message(answer)).toContain(why);
    expect(answer.status).toBe(why.startsWith('the server') ? 422 : 400);
    await expectUnharmed();
  });

  it('is stored and read where it has no more than the server holds', async () => {
    expect((await send('POST', things, json, thing('nearly', `{"b":${nested(990)}}`))).status).toBe(201);
    expect((await send('PATCH', `${things}/nearly`, patches.merge, `{"spec":{"a":${nested(980)}}}`)).status).toBe(200);
    expect((await send('GET', things)).status).toBe(200);
    await expectUnharmed();
  });
});

describe('a JSON patch that copies what it copied', () => {
  it('is refused before it fills the memory', async () => {
    const copies = Array.from({ length: 60 }, (_, i) => ({ op: 'copy', from: '/spec', path: `/spec/c${i}` }));
    const answer = await send('PATCH', `${things}/a`, patches.json, JSON.stringify(copies));
    expect([answer.status, message(answer)]).toEqual([
      422,
      'the server rejected our request due to an error in our request',
    ]);
    await expectUnharmed();
  });

  it('is refused where it would fill the stack', async () => {
    const copies = Array.from({ length: 14 }, (_, i) => ({
      op: 'copy',
      from: '/spec',
      path: `/spec${'/x'.repeat(2 ** i)}`,
    }));
    expect((await send('PATCH', `${things}/a`, patches.json, JSON.stringify(copies))).status).toBe(422);
    await expectUnharmed();
  });
});

describe('keys that mean something to JavaScript are data', () => {
  const bad =
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1,"hasOwnProperty":null}';
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];
  const texts = `{${names.map((name) => `"${name}":"x"`).join()}}`;

  it('in labels, annotations and data', async () => {
    const body = `{"metadata":{"name":"keys","annotations":${texts.replace('__proto__', 'x')}},"data":${texts}}`;
    const answer = await send('POST', maps, json, body);
    expect(answer.status).toBe(201);
    expect(Object.keys((JSON.parse(answer.text) as { readonly data: object }).data).toSorted()).toEqual(
      names.toSorted(),
    );
    expect((await send('GET', `${maps}?labelSelector=__proto__%3Dx`)).status).toBe(400);
    expect((await send('GET', `${maps}?labelSelector=constructor`)).text).toContain('"items":[]');
    await expectUnharmed();
  });

  it('in a kind that keeps unknown fields, and in all four kinds of patches of it', async () => {
    expect((await send('POST', things, json, thing('keys', bad))).text).toContain('"__proto__":{"polluted":true}');
    const target = `${things}/keys`;
    await send(
      'PATCH',
      target,
      patches.merge,
      `{"spec":{"__proto__":{"more":1},"constructor":null},"__proto__":{"polluted":1}}`,
    );
    await send(
      'PATCH',
      target,
      patches.json,
      '[{"op":"add","path":"/spec/__proto__/polluted","value":1},{"op":"add","path":"/spec/list","value":{}}]',
    );
    await send('PATCH', target, patches.json, '[{"op":"add","path":"/__proto__/polluted","value":1}]');
    await send('PATCH', target, patches.json, '[{"op":"add","path":"/spec/constructor/prototype/polluted","value":1}]');
    await send('PATCH', `${target}?fieldManager=m&force=true`, patches.apply, thing('keys', bad));
    await send(
      'PATCH',
      `${maps}/a`,
      patches.strategic,
      `{"metadata":{"labels":${texts}},"data":${texts},"__proto__":{"polluted":1}}`,
    );
    await expectUnharmed();
  });

  it.each(names)('%s in options and headers', async (name) => {
    const query = `${name}=x&fieldManager=${name}&labelSelector=${name}&fieldSelector=${name}%3Da&continue=${name}&dryRun=${name}`;
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const path = method === 'GET' || method === 'POST' ? maps : `${maps}/${name}`;
      expect((await send(method, `${path}?${query}`, name, '{}')).status).toBeGreaterThanOrEqual(400);
    }
    const accept = `application/json;as=${name};v=v1;g=meta.k8s.io`;
    expect((await world.send({ method: 'GET', path: maps, headers: { accept } })).status).toBe(406);
    await expectUnharmed();
  });
});

describe('what is sent to an action is judged as strictly as an object', () => {
  const pods = '/api/v1/namespaces/ns/pods';
  const token = '/api/v1/namespaces/ns/serviceaccounts/default/token';
  it.each([
    [
      `${pods}/p/binding`,
      '{"metadata":{"name":"p"},"target":{"name":5}}',
      'Binding in version "v1" cannot be handled as a Binding: json: cannot unmarshal number into Go struct field ObjectReference.target.name of type string',
    ],
    [`${pods}/p/binding`, 'null', 'name in URL does not match name in Binding object'],
    [
      `${pods}/p/eviction`,
      '{"kind":"Foo","metadata":{"name":"p"}}',
      'Foo in version "v1" cannot be handled as a Eviction: no kind "Foo" is registered for version "policy/v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      token,
      '{"spec":"x"}',
      'TokenRequest in version "v1" cannot be handled as a TokenRequest: json: cannot unmarshal string into Go struct field TokenRequest.spec of type v1.TokenRequestSpec',
    ],
    [
      token,
      '{"metadata":{"name":"other"}}',
      'TokenRequest.authentication.k8s.io "default" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
    ],
  ])('%s %s', async (path, body, why) => {
    expect(message(await send('POST', path, json, body))).toBe(why);
    await expectUnharmed();
  });

  it('binds a Pod that a Binding of the collection names', async () => {
    await send('POST', pods, json, '{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}');
    const answer = await send(
      'POST',
      '/api/v1/namespaces/ns/bindings',
      json,
      '{"metadata":{"name":"p"},"target":{"name":"n"}}',
    );
    expect([answer.status, (JSON.parse(answer.text) as { readonly kind: string }).kind]).toEqual([201, 'Status']);
    expect((await send('GET', `${pods}/p`)).text).toContain('"nodeName":"n"');
    await expectUnharmed();
  });
});

it.each([
  ['{"kind":"Foo"}', 'no kind "Foo" is registered for version "meta.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"'],
  [
    '{"preconditions":5}',
    'json: cannot unmarshal number into Go struct field DeleteOptions.preconditions of type v1.Preconditions',
  ],
  ['{"dryRun":{"a":1}}', 'json: cannot unmarshal object into Go struct field DeleteOptions.dryRun of type []string'],
])('a DELETE with %s deletes nothing', async (body, why) => {
  const answer = await send('DELETE', `${maps}/a`, json, body);
  expect([answer.status, message(answer)]).toEqual([400, why]);
  expect((await send('GET', `${maps}/a`)).status).toBe(200);
});

it('a patch may not make an object another kind, nor apply make one below a subresource', async () => {
  const changed = await send('PATCH', `${maps}/a`, patches.merge, '{"kind":"Foo"}');
  expect([changed.status, message(changed)]).toEqual([
    422,
    expect.stringContaining('no kind "Foo" is registered for version "v1"'),
  ]);
  const applied = await send('PATCH', `${things}/none/status?fieldManager=m`, patches.apply, thing('none', '{}'));
  expect(applied.status).toBe(404);
});

it.each([
  [
    'resourceVersion=99999999999999999999',
    'invalid resource version: resourceVersion: Invalid value: "99999999999999999999": strconv.ParseUint: parsing "99999999999999999999": value out of range',
  ],
  ['limit=999999999999999999999', 'strconv.ParseInt: parsing "999999999999999999999": value out of range'],
  [
    'continue=bnVsbA',
    'invalid continue token: continue key is not valid: server does not recognize this encoded version ',
  ],
  [
    'continue=MQ',
    'invalid continue token: continue key is not valid: json: cannot unmarshal number into Go value of type storage.continueToken',
  ],
  ['continue=x', 'invalid continue token: continue key is not valid: illegal base64 data at input byte 0'],
])('a list with %s is refused', async (query, why) => {
  const answer = await send('GET', `${maps}?${query}`);
  expect([answer.status, message(answer)]).toEqual([400, why]);
});

it('a resourceVersion is refused of what is created, unless it is empty or nothing is written', async () => {
  const create = (version: string, query = '') =>
    send('POST', `${maps}${query}`, json, `{"metadata":{"generateName":"v","resourceVersion":"${version}"}}`);
  const statuses = [
    await create('7'),
    await create('007'),
    await create('0'),
    await create('x'),
    await create('7', '?dryRun=All'),
  ];
  expect(statuses.map(({ status }) => status)).toEqual([500, 500, 201, 201, 201]);
  await expectUnharmed();
});
