import { describe, expect, it } from 'vitest';
import { Refusal } from '../refusal/refusal.ts';
import { checkNumbers, checkVersionOfGet, isVersion, listOptionsOf } from './list-options.ts';

type Query = Readonly<Record<string, string>>;

/** The code and message of a rejection, or what was read. */
function outcome(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [error.status.code, error.message];
  }
}
const invalid = (why: string) => [422, `ListOptions.meta.k8s.io "" is invalid: ${why}`];
const none = {
  limit: 0,
  continueToken: undefined,
  resourceVersion: undefined,
  resourceVersionMatch: undefined,
  timeoutSeconds: undefined,
  allowWatchBookmarks: false,
  sendInitialEvents: undefined,
};

describe('the options of a list', () => {
  it.each<readonly [Query, object]>([
    [{}, none],
    [
      { limit: '5', timeoutSeconds: '+7' },
      { ...none, limit: 5, timeoutSeconds: 7 },
    ],
    [{ limit: '', continue: '', resourceVersion: '' }, none],
    [{ resourceVersion: '0' }, { ...none, resourceVersion: 0 }],
    [
      { resourceVersion: '9', resourceVersionMatch: 'Exact' },
      { ...none, resourceVersion: 9, resourceVersionMatch: 'Exact' },
    ],
    [
      { continue: 'abc', resourceVersion: '0' },
      { ...none, continueToken: 'abc', resourceVersion: 0 },
    ],
    [{ allowWatchBookmarks: '' }, { ...none, allowWatchBookmarks: true }],
    [{ allowWatchBookmarks: '0' }, none],
    [{ allowWatchBookmarks: 'false' }, none],
  ])('%j are read', (query, expected) => {
    expect(listOptionsOf(query, false)).toEqual(expected);
  });

  it.each<readonly [Query, readonly unknown[]]>([
    [{ limit: 'x' }, [400, 'strconv.ParseInt: parsing "x": invalid syntax']],
    [{ limit: '9223372036854775808' }, [400, 'strconv.ParseInt: parsing "9223372036854775808": value out of range']],
    [
      { resourceVersion: '-1' },
      [
        400,
        'invalid resource version: resourceVersion: Invalid value: "-1": strconv.ParseUint: parsing "-1": invalid syntax',
      ],
    ],
    [
      { continue: 'abc', resourceVersion: '9' },
      [400, 'specifying resource version is not allowed when using continue'],
    ],
    [
      { resourceVersionMatch: 'Exact' },
      invalid('resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided'),
    ],
    [
      { resourceVersionMatch: 'Exact', resourceVersion: '0' },
      invalid('resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
    ],
    [
      { resourceVersionMatch: 'Exact', resourceVersion: '9', continue: 'abc' },
      invalid('resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided'),
    ],
    [
      { resourceVersionMatch: 'Older', resourceVersion: '9' },
      invalid('resourceVersionMatch: Unsupported value: "Older": supported values: "Exact", "NotOlderThan", ""'),
    ],
    [{ sendInitialEvents: 'true' }, invalid('sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list')],
  ])('%j are rejected', (query, expected) => {
    expect(outcome(() => listOptionsOf(query, false))).toEqual(expected);
  });
});

describe('the options of a watch', () => {
  const needsMatch =
    'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
  const noMatch = 'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided';

  it.each<readonly [Query, object]>([
    [
      { continue: 'abc', resourceVersion: '9' },
      { ...none, continueToken: 'abc', resourceVersion: 9 },
    ],
    [
      { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' },
      { ...none, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true },
    ],
  ])('%j are read', (query, expected) => {
    expect(listOptionsOf(query, true)).toEqual(expected);
  });

  it.each<readonly [Query, readonly unknown[]]>([
    [{ sendInitialEvents: 'false' }, invalid(needsMatch)],
    [
      { sendInitialEvents: 'true', resourceVersionMatch: 'Exact' },
      invalid(`[${needsMatch}, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]`),
    ],
    [
      { resourceVersionMatch: 'NotOlderThan', resourceVersion: '9' },
      invalid(
        'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      ),
    ],
    [{ continue: 'abc' }, invalid(noMatch)],
    [{ continue: 'abc', resourceVersion: '0' }, invalid(noMatch)],
    [
      { resourceVersion: 'x' },
      [500, 'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax'],
    ],
  ])('%j are rejected', (query, expected) => {
    expect(outcome(() => listOptionsOf(query, true))).toEqual(expected);
  });
});

describe('the numbers of a query', () => {
  it.each<readonly [Query, unknown]>([
    [{ limit: '-1', timeoutSeconds: '5' }, undefined],
    [{ resourceVersion: 'x' }, undefined],
    [{ timeoutSeconds: '1s' }, [400, 'strconv.ParseInt: parsing "1s": invalid syntax']],
  ])('of %j are checked before the rest', (query, expected) => {
    expect(outcome(() => checkNumbers(query))).toEqual(expected);
  });

  it.each<readonly [Query, unknown]>([
    [{}, undefined],
    [{ resourceVersion: '' }, undefined],
    [{ resourceVersion: '7' }, undefined],
    [
      { resourceVersion: '18446744073709551616' },
      [
        500,
        'resourceVersion: Invalid value: "18446744073709551616": strconv.ParseUint: parsing "18446744073709551616": ' +
          'value out of range',
      ],
    ],
  ])('of a GET with %j: only the resourceVersion', (query, expected) => {
    expect(outcome(() => checkVersionOfGet(query))).toEqual(expected);
  });

  it.each([
    ['0', true],
    ['18446744073709551615', true],
    ['18446744073709551616', false],
    ['+1', false],
    ['', false],
    ['1.0', false],
  ])('%j is a resourceVersion: %s', (text, expected) => {
    expect(isVersion(text)).toBe(expected);
  });
});
