import { describe, expect, it } from 'vitest';
import { formerPortNames, portNamesOf, stillEverywhere, stillSomewhere, underFormerNames } from './renamed-ports.ts';
import { ports } from '../testing/exports.ts';

const renamed = (now: string, before: string) => Object.fromEntries(formerPortNames(ports(now), ports(before)));

describe('a renamed port', () => {
  it.each([
    ['is found by protocol and number', 'web TCP 80, m TCP 90', 'http TCP 80, m TCP 90', { web: 'http' }],
    ['may have had no name', 'http TCP 80, m TCP 90', '- TCP 80', { http: '' }],
    ['is not one of another number', 'web TCP 81', 'http TCP 80', {}],
    ['is not one of another protocol', 'web UDP 80', 'http TCP 80', {}],
    ['is not one that swapped its name with another', 'b TCP 80, a TCP 81', 'a TCP 80, b TCP 81', {}],
    ['is not one of a chain: each name had another number', 'b TCP 80, c TCP 81', 'a TCP 80, b TCP 81', {}],
    ['is not one whose former name another port has', 'b TCP 80, a TCP 81', 'a TCP 80, c TCP 81', {}],
  ])('%s', (_, now, before, expected) => {
    expect(renamed(now, before)).toEqual(expected);
  });
});

describe('endpoints that still have the former name alone', () => {
  const web = new Map([['web', 'http']]);
  const groups = (...lists: readonly string[]) => lists.map((list) => portNamesOf(ports(list)));
  it.each([
    ['all of them', groups('http TCP 8080'), true, true],
    ['some of them', groups('http TCP 8080', 'web TCP 8080'), true, false],
    ['none: they have both', groups('http TCP 8080, web TCP 8080'), false, false],
    ['none: they have the new one', groups('web TCP 8080'), false, false],
    ['none: they have neither', groups('m TCP 90'), false, false],
    ['none: there are no endpoints', [], false, false],
  ])('%s', (_, list, somewhere, everywhere) => {
    expect(stillSomewhere(web, list).size > 0).toBe(somewhere);
    expect(stillEverywhere(web, list).size > 0).toBe(everywhere);
  });
});

it('ports are put under their former names, unless they have both', () => {
  const web = new Map([['web', 'http']]);
  expect(underFormerNames(ports('web TCP 80, m TCP 90'), web)).toEqual(ports('http TCP 80, m TCP 90'));
  expect(underFormerNames(ports('web TCP 80, http TCP 80'), web)).toEqual(ports('web TCP 80, http TCP 80'));
});
