import type { FieldError } from '@isthmus/schema';
import type { Stored } from '../../store/stored.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { configKeyErrors, immutable, invalid, metadataAgain, required, tooLong } from '../field-rules.ts';
import { decodedLength, maxDataBytes, sealErrors } from './config-map.ts';
import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';
import { defineBuiltIn } from '../define.ts';
import { selectableFields } from '../selectable-fields.ts';

const secretStrategy: Partial<Strategy> = {
  defaults: withType,
  validate: secretErrors,
  validateUpdate: (object, before) => [
    ...immutable('type', object['type'], before['type']),
    ...sealErrors(object, before, ['data']),
    ...metadataAgain(object),
    ...secretErrors(object),
  ],
  warnings: keyPairWarnings,
};

export const secret = defineBuiltIn({
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  columns: defineColumns<{ readonly data?: object }>({
    Name: nameColumn,
    Type: ['string', 'type'],
    Data: ['string', ({ data }) => Object.keys(data ?? {}).length],
    Age: ageColumn,
  }),
  selectable: selectableFields('type'),
  strategy: secretStrategy,
});

type Texts = Readonly<Record<string, string>>;

/** The Secret with its type, and with `stringData` merged into `data`, whose values it replaces. */
function withType(object: Stored): Stored {
  const { stringData, ...rest } = object;
  const type = (object['type'] ?? '') === '' ? 'Opaque' : object['type'];
  if (stringData === undefined) return { ...rest, type };
  const encoded = Object.entries(stringData as Texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  return { ...rest, data: { ...(object['data'] as Texts), ...Object.fromEntries(encoded) }, type };
}

const dataOf = (object: Stored) => (object['data'] ?? {}) as Texts;

function secretErrors(object: Stored): readonly FieldError[] {
  const data = dataOf(object);
  const errors: FieldError[] = [];
  for (const key of Object.keys(data).toSorted()) {
    errors.push(...configKeyErrors(key).map((why) => invalid(`data[${key}]`, key, why)));
  }
  const bytes = Object.values(data).reduce((sum, text) => sum + decodedLength(text), 0);
  if (bytes > maxDataBytes) errors.push(tooLong('data', maxDataBytes));
  return [...errors, ...errorsOfType(object, data)];
}

function errorsOfType({ type, metadata }: Stored, data: Texts): readonly FieldError[] {
  const missing = (...keys: readonly string[]) =>
    keys.filter((key) => !Object.hasOwn(data, key)).map((key) => required(`data[${key}]`));
  switch (type) {
    case 'kubernetes.io/service-account-token': {
      const annotation = 'kubernetes.io/service-account.name';
      return (metadata.annotations?.[annotation] ?? '') === '' ? [required(`metadata.annotations[${annotation}]`)] : [];
    }
    case 'kubernetes.io/dockercfg':
      return [...missing('.dockercfg'), ...jsonErrors('.dockercfg', data)];
    case 'kubernetes.io/dockerconfigjson':
      return [...missing('.dockerconfigjson'), ...jsonErrors('.dockerconfigjson', data)];
    case 'kubernetes.io/basic-auth': {
      const both = missing('username', 'password');
      return both.length === 2 ? both : [];
    }
    case 'kubernetes.io/ssh-auth':
      return (data['ssh-privatekey'] ?? '') === '' ? [required('data[ssh-privatekey]')] : [];
    case 'kubernetes.io/tls':
      return missing('tls.crt', 'tls.key');
    default:
      return [];
  }
}

function jsonErrors(key: string, data: Texts): readonly FieldError[] {
  const why = Object.hasOwn(data, key) ? notAnObject(Buffer.from(data[key] ?? '', 'base64')) : undefined;
  return why === undefined ? [] : [invalid(`data[${key}]`, '<secret contents redacted>', why)];
}

/** Go's most common errors for a text that is not a JSON object; undefined if it is one. */
function notAnObject(bytes: Buffer): string | undefined {
  const trimmed = bytes.toString().trim();
  if (trimmed === '') return 'unexpected end of JSON input';
  try {
    const value: unknown = JSON.parse(trimmed);
    if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined;
    const word = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    return `json: cannot unmarshal ${word} into Go value of type map[string]interface {}`;
  } catch {
    // Go reads bytes.
    const [first = ''] = bytes.toString('latin1').trim();
    return '{["-0123456789tfn'.includes(first)
      ? 'unexpected end of JSON input'
      : `invalid character '${first}' looking for beginning of value`;
  }
}

/** Go's first look at a key pair. Keys that do not belong together are not found out. */
function keyPairWarnings(object: Stored): readonly string[] {
  if (object['type'] !== 'kubernetes.io/tls') return [];
  const text = (key: string) => Buffer.from(dataOf(object)[key] ?? '', 'base64').toString();
  if (!/-----BEGIN [^-]+-----/.test(text('tls.crt'))) {
    return ['tls: failed to find any PEM data in certificate input'];
  }
  return /-----BEGIN [^-]+-----/.test(text('tls.key')) ? [] : ['tls: failed to find any PEM data in key input'];
}
