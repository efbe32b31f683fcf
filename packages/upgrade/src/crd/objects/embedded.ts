import { dns1035LabelErrors } from '@isthmus/machinery';
import { validateObjectMeta } from '@isthmus/schema';
import type { FieldError, JsonSchema } from '@isthmus/schema';

/**
 * The errors of the API server for objects within an object (`x-kubernetes-embedded-resource`).
 * They need apiVersion, kind and valid metadata; the name may be absent or any text that is valid
 * in a URL. The API server checks this with every write, whether or not the part changed.
 */
export function embeddedErrors(schema: JsonSchema | undefined, value: unknown, path = ''): readonly FieldError[] {
  if (schema === undefined || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value))
    return value.flatMap((item, index) => embeddedErrors(schema.items, item, `${path}[${index}]`));
  const { properties = {}, additionalProperties: more } = schema;
  const record = value as Readonly<Record<string, unknown>>;
  const inside = Object.keys(record).flatMap((name) => {
    const part = Object.hasOwn(properties, name) ? properties[name] : typeof more === 'object' ? more : undefined;
    return embeddedErrors(part, record[name], path === '' ? name : `${path}.${name}`);
  });
  return schema['x-kubernetes-embedded-resource'] === true ? [...ownErrors(record, path), ...inside] : inside;
}

function ownErrors(record: Readonly<Record<string, unknown>>, path: string): readonly FieldError[] {
  const { apiVersion, kind, metadata } = record;
  const errors: FieldError[] = [];
  const say = (name: string, type: 'Required' | 'Invalid', value: unknown, detail: string) =>
    errors.push({ path: `${path}.${name}`, type, value, detail });
  if (apiVersion === undefined) say('apiVersion', 'Required', '', 'must not be empty');
  else if (typeof apiVersion !== 'string') say('apiVersion', 'Invalid', apiVersion, 'must be a string');
  else if (apiVersion.split('/').length > 2)
    say('apiVersion', 'Invalid', apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  if (kind === undefined) say('kind', 'Required', '', 'must not be empty');
  else if (typeof kind !== 'string') say('kind', 'Invalid', kind, 'must be a string');
  else {
    const problems = dns1035LabelErrors(kind.toLowerCase());
    if (problems.length > 0)
      say('kind', 'Invalid', kind, `may have mixed case, but should otherwise match: ${problems.join(',')}`);
  }
  if (metadata === undefined || typeof metadata !== 'object' || metadata === null) return errors;
  const { name, generateName, ...rest } = metadata as Readonly<Record<string, unknown>>;
  // The name may be invalid for the kind: only names that are not valid in a URL are rejected.
  for (const [key, value] of Object.entries({ name, generateName })) {
    if (typeof value !== 'string') continue;
    const odd = ['/', '%'].filter((one) => value.includes(one)).map((one) => `may not contain '${one}'`);
    const why = value === '.' || value === '..' ? [`may not be '${value}'`] : odd;
    if (why.length > 0) say(`metadata.${key}`, 'Invalid', value, why.join(','));
  }
  const isNamespaced = typeof rest['namespace'] === 'string' && rest['namespace'] !== '';
  return [...errors, ...validateObjectMeta({ ...rest, name: 'embedded' }, isNamespaced, `${path}.metadata`)];
}
