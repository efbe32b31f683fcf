import fc from 'fast-check';
import { fields, metadata, objects, oneOf } from '../arbitraries.ts';
import type { GeneratedKind } from '../frame.ts';
import { mutated } from '../mutations.ts';

const key = oneOf(
  'a',
  'b.txt',
  'C_D',
  'k-1',
  '.x',
  '..',
  'a b',
  'username',
  'password',
  'ssh-privatekey',
  'tls.crt',
  'tls.key',
  '.dockercfg',
  '.dockerconfigjson',
);
const json = Buffer.from('{"auths":{}}').toString('base64');
const data = fc.dictionary(key, oneOf('', 'YWJj', json, json, 'YQ==', 'YWI=', '', 'YWJj', 'YWJj', 'YWJ', '?'), {
  maxKeys: 4,
  noNullPrototype: true,
});
const stringData = fc.dictionary(key, oneOf('', 'text', '{}', 'ä'), { maxKeys: 3, noNullPrototype: true });
const type = oneOf(
  'Opaque',
  '',
  'example.com/own',
  'kubernetes.io/service-account-token',
  'kubernetes.io/dockercfg',
  'kubernetes.io/dockerconfigjson',
  'kubernetes.io/basic-auth',
  'kubernetes.io/ssh-auth',
  'kubernetes.io/tls',
  'bootstrap.kubernetes.io/token',
);
const ofAccount = fields({
  name: oneOf('token'),
  annotations: fields({}, { 'kubernetes.io/service-account.name': oneOf('none', '') }),
});

export const secrets: GeneratedKind = {
  name: 'secrets',
  path: (namespace) => `/api/v1/namespaces/${namespace}/secrets`,
  objects: mutated(
    objects(
      'v1',
      'Secret',
      fields({}, { type, data, stringData, immutable: oneOf(true, false) }),
      fc.oneof({ weight: 4, arbitrary: metadata }, { weight: 1, arbitrary: ofAccount }),
    ),
    { borders: ['kubernetes.io/tls', 'YWJj'] },
  ),
  count: 200,
};
