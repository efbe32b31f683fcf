import { describe, expect, it } from 'vitest';
import {
  causeOfFieldError,
  duplicate,
  forbidden,
  formatFieldError,
  formatFieldErrors,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from './field-error.ts';

describe('errors of fields read as the API server words them', () => {
  it.each([
    [required('spec.ports'), 'spec.ports: Required value'],
    [
      required('metadata.name', 'name or generateName is required'),
      'metadata.name: Required value: name or generateName is required',
    ],
    [invalid('spec.port', 70000, 'must be less'), 'spec.port: Invalid value: 70000: must be less'],
    [invalid('spec.on', true, ''), 'spec.on: Invalid value: true'],
    [invalid('spec.x', { b: 1, a: [] }, 'no'), 'spec.x: Invalid value: {"a":[],"b":1}: no'],
    [typeInvalid('spec.x', 'string', 'no'), 'spec.x: Invalid value: "string": no'],
    [
      notSupported('spec.type', 'x', ['ClusterSetIP', 'Headless']),
      'spec.type: Unsupported value: "x": supported values: "ClusterSetIP", "Headless"',
    ],
    [notSupported('spec.n', 3, [1, { a: 2 }]), 'spec.n: Unsupported value: 3: supported values: "1", "{\\"a\\":2}"'],
    [notSupported('spec.n', null, []), 'spec.n: Unsupported value: null'],
    [duplicate('spec.ports[1]', { port: 80 }), 'spec.ports[1]: Duplicate value: {"port":80}'],
    [
      forbidden('metadata.namespace', 'not allowed on this type'),
      'metadata.namespace: Forbidden: not allowed on this type',
    ],
    [tooLong('spec.name', 63), 'spec.name: Too long: may not be more than 63 bytes'],
    [tooLong('spec.name', 1), 'spec.name: Too long: may not be more than 1 byte'],
    [tooMany('spec.ips', 3, 2), 'spec.ips: Too many: 3: must have at most 2 items'],
    [tooMany('spec.ips', 3, 1), 'spec.ips: Too many: 3: must have at most 1 item'],
  ])('%o', (error, text) => {
    expect(formatFieldError(error)).toBe(text);
  });

  it('several are put in brackets, equal ones once; one alone is not', () => {
    const one = required('spec.a');
    expect(formatFieldErrors([one])).toBe('spec.a: Required value');
    expect(formatFieldErrors([one, one, required('spec.b')])).toBe('[spec.a: Required value, spec.b: Required value]');
  });

  it('the cause of a Status names reason, field and message apart', () => {
    expect(causeOfFieldError(typeInvalid('spec.x', 'string', 'no'))).toEqual({
      reason: 'FieldValueTypeInvalid',
      field: 'spec.x',
      message: 'Invalid value: "string": no',
    });
  });
});
