import { describe, expect, it } from 'vitest';
import { strictDecodingError, unhandledBody, unrecognizedBody } from './body-errors.ts';
import { parseJson } from './parse-json.ts';
import { parseYamlBody } from './parse-yaml-body.ts';
import { typeMetaOf } from './type-meta.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('what the server reports of a body', () => {
  it.each([
    ['', '<empty>'],
    ['{"a":}', '{"a":}'],
    ['[]', '5b5d'],
    [`{"a":"${'x'.repeat(80)}"`, '{"a":"xxxxxxxxxxxxxxxxxxxxxxxx ...'],
  ])('%j is shown as %s', (body, shown) => {
    expect(unrecognizedBody('Service', 'why', bytes(body))).toBe(
      `the object provided is unrecognized (must be of type Service): why (${shown})`,
    );
  });

  it('names kind and version where it knows them', () => {
    const message = strictDecodingError(['unknown field "spec.foo"', 'unknown field "x"']);
    expect(unhandledBody({ kind: 'Service', version: 'v1' }, 'Service', message)).toBe(
      'Service in version "v1" cannot be handled as a Service: strict decoding error: unknown field "spec.foo", unknown field "x"',
    );
  });
});

describe('apiVersion and kind', () => {
  const read = (text: string) => {
    const result = parseJson(text);
    return result.kind === 'parsed' ? typeMetaOf(result.json) : result;
  };

  it.each([
    ['{"apiVersion":"v1","kind":"Service"}', { apiVersion: 'v1', kind: 'Service' }],
    ['{"APIVERSION":"v1","Kind":"Service"}', { apiVersion: 'v1', kind: 'Service' }],
    ['{"kind":"A","kind":"B"}', { apiVersion: '', kind: 'B' }],
    ['{"kind":null}', { apiVersion: '', kind: '' }],
    ['null', { apiVersion: '', kind: '' }],
  ])('%s', (text, typeMeta) => {
    expect(read(text)).toEqual({ kind: 'read', typeMeta });
  });

  it.each([
    ['{"kind":5}', 'json: cannot unmarshal number into Go struct field .kind of type string'],
    [
      '[]',
      String.raw`json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`,
    ],
  ])('%s is refused', (text, why) => {
    expect(read(text)).toEqual({ kind: 'refused', message: `couldn't get version/kind; json parse error: ${why}` });
  });
});

describe('a body in YAML', () => {
  it('is its first document, with the numbers of their value', () => {
    expect(parseYamlBody('a: 1.0\nb: yes\n---\nc: 2')).toMatchObject({
      kind: 'parsed',
      json: { value: { a: 1, b: true } },
    });
    expect(parseYamlBody('')).toMatchObject({ kind: 'parsed', json: { value: null } });
  });

  it('is bounded by what it costs to read, which long texts do not', () => {
    const many = parseYamlBody('a: [' + 'x,'.repeat(100_000) + ']');
    expect(many).toEqual({
      kind: 'malformed',
      message: 'yaml: line 1: the text has too many lines, keys and elements to be read as YAML; send it as JSON',
    });
    expect(parseYamlBody(`a: ${'word '.repeat(600_000)}`)).toMatchObject({ kind: 'parsed' });
    expect(parseYamlBody(JSON.stringify(Array.from({ length: 200_000 }, () => 1)))).toMatchObject({ kind: 'parsed' });
  });

  it('that cannot be read names the line', () => {
    const result = parseYamlBody('a: 1\nb: [');
    expect(result.kind === 'malformed' && result.message).toMatch(/^yaml: line \d+: /);
  });
});
