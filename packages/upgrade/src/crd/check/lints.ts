import type { JsonSchema } from '@isthmus/schema';
import { pointerToken } from '../compare/schema-change.ts';
import type { SchemaChange } from '../compare/schema-change.ts';

/** Matters of taste of one schema (L rules); the caller leaves out those that the old one had. */
export function lintSchema(schema: JsonSchema | undefined, hasStatus: boolean): readonly SchemaChange[] {
  if (schema === undefined) return [];
  const found: SchemaChange[] = [];
  if (schema.properties?.['status'] !== undefined && !hasStatus) {
    const hint = 'Add `subresources: { status: {} }`.';
    found.push({
      rule: 'L05',
      pointer: '/properties/status',
      field: 'status',
      message: 'status is not a subresource',
      hint,
    });
  }
  lintNode(schema, { pointer: '', field: '' }, found);
  return found;
}

interface Place {
  readonly pointer: string;
  readonly field: string;
}

function lintNode(schema: JsonSchema, place: Place, found: SchemaChange[]): void {
  const { type, format = '', items, properties = {}, additionalProperties: more } = schema;
  const say = (rule: SchemaChange['rule'], message: string, hint: string) =>
    found.push({ rule, ...place, message: `${place.field} ${message}`, hint });
  if (type === 'boolean') say('L01', 'is a boolean', 'An enum of strings can grow.');
  if (type === 'number')
    say(
      'L02',
      'is a floating-point number',
      'An integer with a unit, or a quantity as a string, survives every encoder.',
    );
  if (type === 'integer' && format.startsWith('uint')) say('L03', 'is unsigned', 'Use int32 or int64 with a minimum.');
  if (more !== undefined && more !== false) say('L04', 'is a map', 'A list of type map can grow fields.');
  if (type === 'array' && schema['x-kubernetes-list-type'] === undefined) {
    say('L06', 'has no list type', 'Set it to atomic, set or map.');
  }
  if (/(^|\.)conditions$/.test(place.field) && type === 'array') lintConditions(schema, say);
  for (const [name, field] of Object.entries(properties).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    lintNode(
      field,
      {
        pointer: `${place.pointer}/properties/${pointerToken(name)}`,
        field: place.field === '' ? name : `${place.field}.${name}`,
      },
      found,
    );
  }
  if (items !== undefined) lintNode(items, { pointer: `${place.pointer}/items`, field: `${place.field}[]` }, found);
  if (typeof more === 'object') {
    lintNode(more, { pointer: `${place.pointer}/additionalProperties`, field: `${place.field}[*]` }, found);
  }
}

const conditionFields = ['lastTransitionTime', 'message', 'reason', 'status', 'type'];

function lintConditions(schema: JsonSchema, say: (rule: 'L07' | 'L08', message: string, hint: string) => void): void {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (schema['x-kubernetes-list-type'] !== 'map' || keys.length !== 1 || keys[0] !== 'type') {
    say(
      'L07',
      'is not a list of type map with the key `type`',
      'Set x-kubernetes-list-type and x-kubernetes-list-map-keys.',
    );
  }
  const missing = conditionFields.filter((name) => schema.items?.properties?.[name] === undefined);
  if (missing.length > 0) say('L08', `lacks ${missing.join(', ')}`, 'Use the fields of metav1.Condition.');
}
