import { describe, expect, it } from 'vitest';
import {
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelValueErrors,
  portNameErrors,
  portNumberErrors,
  qualifiedNameErrors,
} from './names.ts';

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const label1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const key =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const value =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

type Case = readonly [value: string, errors: readonly string[]];

const rules: readonly (readonly [
  title: string,
  errors: (value: string) => readonly string[],
  cases: readonly Case[],
])[] = [
  [
    'a DNS label of RFC 1123',
    dns1123LabelErrors,
    [
      ['a', []],
      ['9', []],
      ['my-name', []],
      ['a'.repeat(63), []],
      ['a'.repeat(64), ['must be no more than 63 bytes']],
      ['a.b', ['must not contain dots']],
      [`${'a'.repeat(62)}.b`, ['must be no more than 63 bytes', 'must not contain dots']],
      ['', [label]],
      ['-a', [label]],
      ['a-', [label]],
      ['A', [label]],
      ['a\n', [label]],
      // 22 characters of three bytes each.
      ['日'.repeat(22), ['must be no more than 63 bytes', label]],
      ['日'.repeat(21), [label]],
    ],
  ],
  [
    'a DNS subdomain of RFC 1123',
    dns1123SubdomainErrors,
    [
      ['a.b-c.9', []],
      ['a'.repeat(253), []],
      ['a'.repeat(254), ['must be no more than 253 bytes']],
      ['a..b', [subdomain]],
      ['.a', [subdomain]],
      ['a.', [subdomain]],
      ['a/b', [subdomain]],
      ['', [subdomain]],
    ],
  ],
  [
    'a DNS label of RFC 1035',
    dns1035LabelErrors,
    [
      ['a9', []],
      ['9a', [label1035]],
      ['a.b', [label1035]],
      ['a'.repeat(64), ['must be no more than 63 bytes']],
    ],
  ],
  [
    'a label value',
    labelValueErrors,
    [
      ['', []],
      ['A_b.c-9', []],
      ['a b', [value]],
      ['-a', [value]],
      ['a'.repeat(64), ['must be no more than 63 bytes']],
    ],
  ],
  [
    'a qualified name',
    qualifiedNameErrors,
    [
      ['a', []],
      ['example.com/My_name.1', []],
      ['/a', ['prefix part must be non-empty']],
      ['a/', ['name part must be non-empty', `name part ${key}`]],
      ['', ['name part must be non-empty', `name part ${key}`]],
      ['Example.com/a', [`prefix part ${subdomain}`]],
      [`a/${'b'.repeat(64)}`, ['name part must be no more than 63 bytes']],
      ['a/b/c', [`a valid label key ${key} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]],
    ],
  ],
  [
    'a port name',
    portNameErrors,
    [
      ['http', []],
      ['h2c-9', []],
      ['a'.repeat(16), ['must be no more than 15 bytes']],
      ['80', ['must contain at least one letter (a-z)']],
      ['a--b', ['must not contain consecutive hyphens']],
      ['-a', ['must not begin or end with a hyphen']],
      ['Http', ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']],
      [
        '',
        [
          'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
          'must contain at least one letter (a-z)',
        ],
      ],
    ],
  ],
];

describe.each(rules)('%s', (_title, errors, cases) => {
  it.each(cases)('%j has the errors of the API server', (text, expected) => {
    expect(errors(text)).toEqual(expected);
  });
});

describe('a port number', () => {
  it.each([1, 65_535])('may be %d', (port) => {
    expect(portNumberErrors(port)).toEqual([]);
  });

  it.each([0, -1, 65_536, 1.5, Number.NaN])('may not be %d', (port) => {
    expect(portNumberErrors(port)).toEqual(['must be between 1 and 65535, inclusive']);
  });
});
