import { dns1123LabelErrors, dns1123SubdomainErrors, labelValueErrors, qualifiedNameErrors } from '@isthmus/machinery';
import { jsonTypeOf, wrongType } from './compiled-type.ts';
import { forbidden, invalid, required, tooLong } from '../field-error.ts';
import type { FieldError } from '../field-error.ts';

/** All keys and values of the annotations of one object together, in UTF-8 bytes. */
const annotationBytesLimit = 256 * 1024;

type Fields = Readonly<Record<string, unknown>>;

/**
 * The API server's errors about the metadata of a custom resource: name, Namespace, generation,
 * labels, annotations, owners (one controller at most, and no Event), finalizers. If a field has a
 * wrong type altogether, the API server fails to decode the request; here that is an error of the
 * field.
 */
export function validateObjectMeta(metadata: unknown, namespaced: boolean, path = 'metadata'): readonly FieldError[] {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    return [wrongType(path, 'object', jsonTypeOf(metadata ?? null))];
  }
  const fields = metadata as Fields;
  const errors: FieldError[] = [];
  checkNames(fields, namespaced, path, errors);
  const { generation } = fields;
  if (typeof generation === 'number' && generation < 0) {
    errors.push(invalid(`${path}.generation`, generation, 'must be greater than or equal to 0'));
  }
  checkLabels(fields['labels'], `${path}.labels`, errors);
  checkAnnotations(fields['annotations'], `${path}.annotations`, errors);
  checkOwners(fields['ownerReferences'], `${path}.ownerReferences`, errors);
  checkFinalizers(fields['finalizers'], `${path}.finalizers`, errors);
  return errors;
}

function checkNames(fields: Fields, namespaced: boolean, path: string, errors: FieldError[]): void {
  const text = (name: string) => textOf(fields[name], `${path}.${name}`, errors);
  const generateName = text('generateName');
  const name = text('name');
  const namespace = text('namespace');
  if (generateName !== '') {
    // The API server puts an "a" in the place of the last two characters where the prefix ends in a
    // dash.
    const prefix =
      generateName.length > 1 && generateName.endsWith('-') ? `${generateName.slice(0, -2)}a` : generateName;
    for (const why of dns1123SubdomainErrors(prefix)) errors.push(invalid(`${path}.generateName`, generateName, why));
  }
  if (name !== '') {
    for (const why of dns1123SubdomainErrors(name)) errors.push(invalid(`${path}.name`, name, why));
  } else if (generateName === '') {
    errors.push(required(`${path}.name`, 'name or generateName is required'));
  }
  if (!namespaced) {
    if (namespace !== '') errors.push(forbidden(`${path}.namespace`, 'not allowed on this type'));
  } else if (namespace === '') errors.push(required(`${path}.namespace`));
  else for (const why of dns1123LabelErrors(namespace)) errors.push(invalid(`${path}.namespace`, namespace, why));
}

function checkLabels(labels: unknown, path: string, errors: FieldError[]): void {
  for (const [key, value] of textEntries(labels, path, errors)) {
    for (const why of qualifiedNameErrors(key)) errors.push(invalid(path, key, why));
    for (const why of labelValueErrors(value)) errors.push(invalid(path, value, why));
  }
}

function checkAnnotations(annotations: unknown, path: string, errors: FieldError[]): void {
  const entries = textEntries(annotations, path, errors);
  let units = 0;
  for (const [key, value] of entries) {
    for (const why of qualifiedNameErrors(key.toLowerCase())) errors.push(invalid(path, key, why));
    units += key.length + value.length;
  }
  // A UTF-16 unit takes at most three bytes: most annotations need no encoding to be known short
  // enough.
  if (units * 3 <= annotationBytesLimit) return;
  const encoder = new TextEncoder();
  const bytesOf = (text: string) => encoder.encode(text).length;
  if (entries.reduce((bytes, [key, value]) => bytes + bytesOf(key) + bytesOf(value), 0) > annotationBytesLimit)
    errors.push(tooLong(path, annotationBytesLimit));
}

function checkOwners(owners: unknown, path: string, errors: FieldError[]): void {
  let first: string | undefined;
  // The API server names the list here, not the item.
  for (const owner of listOf(owners, path, errors)) {
    if (typeof owner !== 'object' || owner === null || Array.isArray(owner)) continue;
    const fields = owner as Fields;
    const text = (name: string) => textOf(fields[name], `${path}.${name}`, errors);
    if (text('apiVersion') === '') errors.push(invalid(`${path}.apiVersion`, '', 'version must not be empty'));
    for (const name of ['kind', 'name', 'uid']) {
      if (text(name) === '') errors.push(invalid(`${path}.${name}`, '', 'must not be empty'));
    }
    if (fields['apiVersion'] === 'v1' && fields['kind'] === 'Event') {
      errors.push(invalid(path, owner, '/v1, Kind=Event is disallowed from being an owner'));
    }
    if (fields['controller'] !== true) continue;
    const controller = `${text('kind')}/${text('name')}`;
    if (first === undefined) first = controller;
    else {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${controller}`;
      errors.push(invalid(path, owners, detail));
    }
  }
}

function checkFinalizers(finalizers: unknown, path: string, errors: FieldError[]): void {
  const all = listOf(finalizers, path, errors);
  all.forEach((finalizer, index) => {
    const text = textOf(finalizer, `${path}[${index}]`, errors);
    for (const why of qualifiedNameErrors(text)) errors.push(invalid(path, text, why));
  });
  if (all.includes('orphan') && all.includes('foregroundDeletion')) {
    errors.push(invalid(path, all, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
}

function textOf(value: unknown, path: string, errors: FieldError[]): string {
  if (typeof value === 'string') return value;
  if (value !== undefined && value !== null) errors.push(wrongType(path, 'string', jsonTypeOf(value)));
  return '';
}

function listOf(value: unknown, path: string, errors: FieldError[]): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (value !== undefined && value !== null) errors.push(wrongType(path, 'array', jsonTypeOf(value)));
  return [];
}

function textEntries(value: unknown, path: string, errors: FieldError[]): readonly (readonly [string, string])[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object' || Array.isArray(value)) {
    errors.push(wrongType(path, 'object', jsonTypeOf(value)));
    return [];
  }
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => [key, textOf(member, `${path}.${key}`, errors)]);
}
