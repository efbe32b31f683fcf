import { createVirtualClock } from '@isthmus/fleet-sim';
import { expect, it } from 'vitest';
import { admin } from '../authentication/authenticator.ts';
import { createSandbox } from '../sandbox.ts';

/** A sandbox that knows one token, and how it answers a POST: the code, and the object. */
function knowing(token: string) {
  const defects: unknown[] = [];
  const sandbox = createSandbox({
    name: 'credentials',
    clock: createVirtualClock({ startMs: 0 }),
    tokens: { [token]: { username: 'carol', groups: [] } },
    onDefect: (_, error) => defects.push(error),
  });
  const send = async (method: 'POST' | 'DELETE', path: string, body: object, bearer?: string) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await sandbox.answer(
      { method, path, headers, body: JSON.stringify(body) },
      bearer === undefined ? { kind: 'user', user: admin } : { kind: 'token', token: bearer },
    );
    return { code: answer.status, body: JSON.parse(typeof answer.body === 'string' ? answer.body : '') };
  };
  const post = (path: string, body: object, bearer?: string) => send('POST', path, body, bearer);
  return { defects, post, send };
}

const authentication = '/apis/authentication.k8s.io/v1';

it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', ''])(
  'the token %j, which every object of JavaScript has, is nobody’s',
  async (token) => {
    const { defects, post } = knowing('secret');
    expect((await post(`${authentication}/selfsubjectreviews`, {}, token)).code).toBe(401);
    const { body } = await post(`${authentication}/tokenreviews`, { spec: { token: token || 'valueOf' } });
    expect(body.status.authenticated).not.toBe(true);
    expect(defects).toEqual([]);
  },
);

it('a token of a ServiceAccount with one sign more, a part more, or another algorithm is not valid', async () => {
  const { post } = knowing('secret');
  const path = '/api/v1/namespaces/default/serviceaccounts';
  await post(path, { metadata: { name: 'robot' } });
  const { token } = (await post(`${path}/robot/token`, { spec: {} })).body.status;
  const code = async (text: string) => (await post(`${authentication}/selfsubjectreviews`, {}, text)).code;
  const [header = '', claims = '', signature = ''] = token.split('.');
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const other = encoded({ ...JSON.parse(Buffer.from(claims, 'base64url').toString()), exp: 9e9 });
  expect(await code(token)).toBe(201);
  for (const forged of [
    `${token}x`,
    `${token}.`,
    `${token}.x`,
    `${header}.${claims}.`,
    `${header}.${claims}`,
    `${header}.${other}.${signature}`,
    `${encoded({ alg: 'none' })}.${claims}.`,
    `${encoded({ alg: 'none', typ: 'JWT' })}.${claims}.${signature}`,
    '..',
  ]) {
    expect([forged, await code(forged)]).toEqual([forged, 401]);
  }
});

it.each(['Secret', 'Pod'])(
  'a token that is bound to a %s dies with it, also where another takes the name',
  async (kind) => {
    const { post, send } = knowing('secret');
    const core = '/api/v1/namespaces/default';
    const objects = `${core}/${kind.toLowerCase()}s`;
    const bound = {
      metadata: { name: 'bound' },
      ...(kind === 'Pod' && { spec: { containers: [{ name: 'c', image: 'i' }] } }),
    };
    await post(`${core}/serviceaccounts`, { metadata: { name: 'default' } });
    await post(`${core}/serviceaccounts`, { metadata: { name: 'robot' } });
    expect((await post(objects, bound)).code).toBe(201);
    const boundObjectRef = { apiVersion: 'v1', kind, name: 'bound' };
    const { token } = (await post(`${core}/serviceaccounts/robot/token`, { spec: { boundObjectRef } })).body.status;
    const code = async () => (await post(`${authentication}/selfsubjectreviews`, {}, token)).code;
    expect(await code()).toBe(201);
    await send('DELETE', `${objects}/bound`, { gracePeriodSeconds: 0 });
    expect(await code()).toBe(401);
    await post(objects, bound);
    expect(await code()).toBe(401);
    await send('DELETE', `${core}/serviceaccounts/robot`, {});
    await post(`${core}/serviceaccounts`, { metadata: { name: 'robot' } });
    expect(await code()).toBe(401);
  },
);
