/**
 * Versions, schemas and rules as the real server shows them in its refusals: the JSON of the Go
 * structs that it has inside, keys in the order of their fields, every field there.
 */
import type { JsonSchema, ValidationRule } from '../json-schema.ts';
import type { Version } from './definition.ts';

/** A rule, as the value of its error. */
function shownRule(rule: ValidationRule): string {
  return goText({
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  });
}

/**
 * All versions of a definition. Limit: what versions do not have in common (schemas, subresources,
 * columns) is shown as if they had.
 */
export function shownVersions(versions: readonly Version[] | null | undefined): string {
  if (versions === undefined || versions === null) return 'null';
  const shown = versions.map((version) => ({
    Name: version.name,
    Served: version.served ?? false,
    Storage: version.storage ?? false,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  }));
  return goText(shown);
}

/** A schema. */
export function shownSchema(schema: JsonSchema): string {
  return goText(goSchema(schema));
}

function goSchema(schema: JsonSchema): object {
  const given = schema as Readonly<Record<string, unknown>>;
  return Object.fromEntries(schemaFields.map(([name, key, absent]) => [name, goPart(key, given[key]) ?? absent]));
}

function goPart(key: string, value: unknown): unknown {
  if (value === undefined) return undefined;
  switch (key) {
    case 'properties': {
      const entries = Object.entries(value as Readonly<Record<string, JsonSchema>>).toSorted(([a], [b]) =>
        a < b ? -1 : 1,
      );
      return Object.fromEntries(entries.map(([name, field]) => [name, goSchema(field)]));
    }
    case 'items':
      return { Schema: goSchema(value as JsonSchema), JSONSchemas: null };
    case 'additionalProperties':
      return typeof value === 'boolean'
        ? { Allows: value, Schema: null }
        : { Allows: true, Schema: goSchema(value as JsonSchema) };
    case 'not':
      return goSchema(value as JsonSchema);
    case 'allOf':
    case 'anyOf':
    case 'oneOf':
      return (value as readonly JsonSchema[]).map(goSchema);
    case 'x-kubernetes-validations':
      return (value as readonly ValidationRule[]).map((rule) => JSON.parse(shownRule(rule)));
    default:
      return value;
  }
}

/**
 * The fields of the Go struct, the keys of the schema, and the value of the field if the key is
 * missing.
 */
const schemaFields: readonly (readonly [string, string, unknown])[] = [
  ['ID', 'id', ''],
  ['Schema', '$schema', ''],
  ['Ref', '$ref', null],
  ['Description', 'description', ''],
  ['Type', 'type', ''],
  ['Nullable', 'nullable', false],
  ['Format', 'format', ''],
  ['Title', 'title', ''],
  ['Default', 'default', null],
  ['Maximum', 'maximum', null],
  ['ExclusiveMaximum', 'exclusiveMaximum', false],
  ['Minimum', 'minimum', null],
  ['ExclusiveMinimum', 'exclusiveMinimum', false],
  ['MaxLength', 'maxLength', null],
  ['MinLength', 'minLength', null],
  ['Pattern', 'pattern', ''],
  ['MaxItems', 'maxItems', null],
  ['MinItems', 'minItems', null],
  ['UniqueItems', 'uniqueItems', false],
  ['MultipleOf', 'multipleOf', null],
  ['Enum', 'enum', null],
  ['MaxProperties', 'maxProperties', null],
  ['MinProperties', 'minProperties', null],
  ['Required', 'required', null],
  ['Items', 'items', null],
  ['AllOf', 'allOf', null],
  ['OneOf', 'oneOf', null],
  ['AnyOf', 'anyOf', null],
  ['Not', 'not', null],
  ['Properties', 'properties', null],
  ['AdditionalProperties', 'additionalProperties', null],
  ['PatternProperties', 'patternProperties', null],
  ['Dependencies', 'dependencies', null],
  ['AdditionalItems', 'additionalItems', null],
  ['Definitions', 'definitions', null],
  ['ExternalDocs', 'externalDocs', null],
  ['Example', 'example', null],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', null],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', false],
  ['XIntOrString', 'x-kubernetes-int-or-string', false],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', null],
  ['XListType', 'x-kubernetes-list-type', null],
  ['XMapType', 'x-kubernetes-map-type', null],
  ['XValidations', 'x-kubernetes-validations', null],
];

/** JSON as Go writes it, in the order of the keys. */
function goText(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
