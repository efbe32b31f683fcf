import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../command/usage-error.ts';
import { readDockerConfig } from './docker-config.ts';

const auth = (user: string, password: string) => ({ auth: Buffer.from(`${user}:${password}`).toString('base64') });
const credential = (config: object, host: string, repository = 'a/b') =>
  readDockerConfig(JSON.stringify(config), 'config.json')(host, repository);

describe('the credentials of a docker config', () => {
  it.each([
    ['by host', { 'r.example': auth('u', 'p:q') }],
    ['by URL', { 'https://r.example/v1/': auth('u', 'p:q') }],
    [
      'by the longest folder',
      { 'r.example': auth('x', 'x'), 'r.example/a': auth('u', 'p:q'), 'r.example/a/bc': auth('y', 'y') },
    ],
    ['as user and password', { 'r.example': { username: 'u', password: 'p:q' } }],
  ])('are found %s', (_how, auths) => {
    expect(credential({ auths }, 'r.example')).toEqual({ kind: 'basic', user: 'u', password: 'p:q' });
  });

  it('are found for Docker Hub under its old address', () => {
    const auths = { 'https://index.docker.io/v1/': auth('u', 'p') };
    expect(credential({ auths }, 'docker.io', 'library/nginx')).toMatchObject({ user: 'u' });
    expect(credential({ auths }, 'r.example')).toEqual({ kind: 'none' });
  });

  it.each([
    [
      { identitytoken: 't', auth: '' },
      { kind: 'identity', token: 't' },
    ],
    [{ registrytoken: 't' }, { kind: 'bearer', token: 't' }],
  ])('may be a token: %#', (entry, expected) => {
    expect(credential({ auths: { 'r.example': entry } }, 'r.example')).toEqual(expected);
  });

  it('are with a helper where the config names one, and nowhere else', () => {
    const config = {
      auths: { 'r.example': {}, 'own.example': auth('u', 'p') },
      credHelpers: { 'ecr.example': 'ecr-login' },
      credsStore: 'desktop',
    };
    expect(credential(config, 'ecr.example')).toEqual({ kind: 'helper', name: 'ecr-login' });
    expect(credential(config, 'r.example')).toEqual({ kind: 'helper', name: 'desktop' });
    expect(credential(config, 'own.example')).toMatchObject({ kind: 'basic' });
  });

  it.each([
    ['{"auths": {"r.example": {"auth": "c2VjcmV0"}}}', 'the entry of "r.example" in auths cannot be read'],
    ['{"auths": ["secret"]}', 'auths is not an object'],
    ['{"credHelpers": "secret"}', 'credHelpers is not an object'],
    ['secret', 'it is not a JSON object'],
  ])('are refused without being quoted: %#', (text, message) => {
    const reading = () => readDockerConfig(text, 'config.json');
    expect(reading).toThrow(UsageError);
    expect(reading).toThrow(`config.json: ${message}`);
    expect(reading).not.toThrow(/secret|c2Vj/);
  });
});
