import { equal } from '@isthmus/machinery';
import type { FieldError } from '@isthmus/schema';
import type { Stored } from '../../store/stored.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { configKeyErrors, forbidden, invalid, metadataAgain, tooLong } from '../field-rules.ts';
import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';
import { defineBuiltIn } from '../define.ts';

/** The bytes that the values of a ConfigMap or a Secret may have together. */
export const maxDataBytes = 1024 * 1024;

const configMapStrategy: Partial<Strategy> = {
  validate: dataErrors,
  validateUpdate: (object, before) => [
    ...sealErrors(object, before, ['data', 'binaryData']),
    ...metadataAgain(object),
    ...dataErrors(object),
  ],
};

export const configMap = defineBuiltIn({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  shortNames: ['cm'],
  columns: defineColumns<{ readonly data?: object; readonly binaryData?: object }>({
    Name: nameColumn,
    Data: ['string', ({ data, binaryData }) => Object.keys({ ...data }).length + Object.keys({ ...binaryData }).length],
    Age: ageColumn,
  }),
  strategy: configMapStrategy,
});

type Texts = Readonly<Record<string, string>>;

function dataErrors(object: Stored): readonly FieldError[] {
  const data = (object['data'] ?? {}) as Texts;
  const binaryData = (object['binaryData'] ?? {}) as Texts;
  const errors: FieldError[] = [];
  for (const key of Object.keys(data).toSorted()) {
    const path = `data[${key}]`;
    errors.push(...configKeyErrors(key).map((why) => invalid(path, key, why)));
    if (Object.hasOwn(binaryData, key)) errors.push(invalid(path, key, 'duplicate of key present in binaryData'));
  }
  for (const key of Object.keys(binaryData).toSorted()) {
    errors.push(...configKeyErrors(key).map((why) => invalid(`binaryData[${key}]`, key, why)));
  }
  const texts = Object.values(data).reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0);
  const bytes = Object.values(binaryData).reduce((sum, text) => sum + decodedLength(text), 0);
  if (texts + bytes > maxDataBytes) errors.push(tooLong('[]', maxDataBytes));
  return errors;
}

/** The errors of a change of an object with `immutable: true`. */
export function sealErrors(object: Stored, before: Stored, fields: readonly string[]): readonly FieldError[] {
  if (before['immutable'] !== true) return [];
  const sealed = (field: string) => forbidden(field, 'field is immutable when `immutable` is set');
  return [
    ...(object['immutable'] === true ? [] : [sealed('immutable')]),
    ...fields.filter((field) => !equal(object[field] ?? {}, before[field] ?? {})).map(sealed),
  ];
}

/** The bytes of a base64 text, or of null. */
export function decodedLength(base64: string | null): number {
  if (base64 === null) return 0;
  return (base64.length / 4) * 3 - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0);
}
