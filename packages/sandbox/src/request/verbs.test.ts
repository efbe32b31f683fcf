import { describe, expect, it } from 'vitest';
import { verbOf } from './verbs.ts';

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
