import { describe, expect, it } from 'vitest';
import { resourceVerbs, verbForms, verbOf } from './verbs.ts';

describe('the verb of a request', () => {
  it.each([
    ['GET', false, false, 'list'],
    ['GET', false, true, 'watch'],
    ['GET', true, true, 'get'],
    ['HEAD', true, false, 'get'],
    ['POST', false, false, 'create'],
    ['POST', true, false, 'create'],
    ['PUT', false, false, 'update'],
    ['PATCH', true, true, 'patch'],
    ['DELETE', true, false, 'delete'],
    ['DELETE', false, true, 'deletecollection'],
    ['OPTIONS', false, false, ''],
  ])('%s, named: %s, with a watch: %s, is %j', (method, isNamed, watches, verb) => {
    expect(verbOf(method, { isNamed, watches })).toBe(verb);
  });
});

it('every verb is reached by requests of its own form, which no other verb has', () => {
  const forms = resourceVerbs.map((verb) => {
    const { method, on, streams = false } = verbForms[verb];
    return `${method} ${on} ${streams ? 'stream' : 'answer'}`;
  });
  expect(new Set(forms).size).toBe(forms.length);
  for (const verb of resourceVerbs) {
    const { method, on, streams = false } = verbForms[verb];
    expect(verbOf(method, { isNamed: on === 'object', watches: streams })).toBe(verb);
  }
});
