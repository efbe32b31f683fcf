import { objectMetaFields } from '@isthmus/machinery';
import type { CustomResourceDefinition } from '@isthmus/schema';

/** A CRD, or what keeps a value from having the shape of one. */
export type DefinitionReading =
  | {
      readonly kind: 'read';
      readonly definition: CustomResourceDefinition;
      /**
       * Fields that no CRD has, at most 20: API servers drop them, and strict clients are refused.
       */
      readonly unknownFields: readonly ShapeProblem[];
    }
  | { readonly kind: 'refused'; readonly problems: readonly ShapeProblem[] };

/** One thing that has another shape than a CRD has there. */
export interface ShapeProblem {
  /** `spec.versions[0].schema.openAPIV3Schema.properties.spec`. */
  readonly path: string;
  readonly message: string;
}

/**
 * Whether a value has the shape of an apiextensions.k8s.io/v1 CustomResourceDefinition: every field
 * that the checks of this package use has its type, and schemas are nested no deeper than 200
 * levels. It does not check whether an API server accepts the CRD; `checkDefinition` does. Reports
 * at most 20 problems; those of a rejected CRD include its unknown fields. Never throws.
 */
export function readDefinition(value: unknown): DefinitionReading {
  const [problems, unknownFields]: [ShapeProblem[], ShapeProblem[]] = [[], []];
  if (isDeeper(value))
    return { kind: 'refused', problems: [{ path: '', message: `is nested deeper than ${deepestValue} levels` }] };
  checkShape(value, '', definitionShape, { problems, unknownFields, depth: 0 });
  const unknown = unknownFields.slice(0, most);
  if (problems.length > 0) return { kind: 'refused', problems: [...problems, ...unknown].slice(0, most) };
  return { kind: 'read', definition: withoutNulls(value) as CustomResourceDefinition, unknownFields: unknown };
}

const most = 20;
const deepest = 200;
/** Each level of a schema is two levels of the value, and the deepest may have a default. */
const deepestValue = 1000;

/** Whether a value is nested too deep to be walked. Keeps its own stack. */
function isDeeper(value: unknown): boolean {
  const waiting = [value];
  const depths = [0];
  while (waiting.length > 0) {
    const node = waiting.pop();
    const depth = depths.pop() ?? 0;
    if (typeof node !== 'object' || node === null) continue;
    if (depth > deepestValue) return true;
    for (const child of Object.values(node)) {
      if (typeof child !== 'object' || child === null) continue;
      waiting.push(child);
      depths.push(depth + 1);
    }
  }
  return false;
}

const values: ReadonlySet<string> = new Set(['default', 'enum', 'example']);

/** The API server reads null as absent, but in values. What has none is the same object. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !hasNulls(value)) return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  const members = Object.entries(value).flatMap(([key, member]: [string, unknown]) => {
    if (values.has(key)) return [[key, member] as const];
    return member === null || member === undefined ? [] : [[key, withoutNulls(member)] as const];
  });
  return Object.fromEntries(members);
}

/** Whether any field in it is null: most CRDs have none. */
function hasNulls(value: object): boolean {
  if (Array.isArray(value)) return value.some((item) => typeof item === 'object' && item !== null && hasNulls(item));
  const record = value as Readonly<Record<string, unknown>>;
  return Object.keys(record).some((key) => {
    const member = record[key];
    if (values.has(key)) return false;
    return member === null || member === undefined || (typeof member === 'object' && hasNulls(member));
  });
}

/**
 * The shape of a value. A name with `?` may be absent; names that are not listed are unknown, and
 * not an error.
 */
type Shape =
  | 'string'
  | 'number'
  | 'boolean'
  | 'any'
  | { readonly is: string }
  | { readonly list: Shape }
  | { readonly map: Shape }
  | { readonly either: Shape }
  | Fields
  | (() => Shape);

interface Fields {
  readonly fields: ReadonlyMap<string, { readonly shape: Shape; readonly isRequired: boolean }>;
  readonly required: readonly string[];
}

function fields(of: Readonly<Record<string, Shape>>): Fields {
  const all = Object.entries(of).map(([key, shape]) => {
    const name = key.replace(/\?$/, '');
    return [name, { shape, isRequired: key === name }] as const;
  });
  return { fields: new Map(all), required: all.flatMap(([name, { isRequired }]) => (isRequired ? [name] : [])) };
}

const schema: Shape = () => schemaFields;
const schemaFields: Shape = fields({
  'id?': 'any',
  '$schema?': 'any',
  '$ref?': 'any',
  'title?': 'any',
  'default?': 'any',
  'example?': 'any',
  'definitions?': 'any',
  'dependencies?': 'any',
  'patternProperties?': 'any',
  'additionalItems?': 'any',
  'externalDocs?': 'any',
  'type?': 'string',
  'format?': 'string',
  'description?': 'string',
  'nullable?': 'boolean',
  'enum?': { list: 'any' },
  'properties?': { map: schema },
  'additionalProperties?': { either: schema },
  'required?': { list: 'string' },
  'items?': schema,
  'uniqueItems?': 'boolean',
  'pattern?': 'string',
  'minimum?': 'number',
  'maximum?': 'number',
  'minLength?': 'number',
  'maxLength?': 'number',
  'minItems?': 'number',
  'maxItems?': 'number',
  'minProperties?': 'number',
  'maxProperties?': 'number',
  'multipleOf?': 'number',
  'exclusiveMinimum?': 'boolean',
  'exclusiveMaximum?': 'boolean',
  'allOf?': { list: schema },
  'anyOf?': { list: schema },
  'oneOf?': { list: schema },
  'not?': schema,
  'x-kubernetes-preserve-unknown-fields?': 'boolean',
  'x-kubernetes-int-or-string?': 'boolean',
  'x-kubernetes-embedded-resource?': 'boolean',
  'x-kubernetes-list-type?': 'string',
  'x-kubernetes-list-map-keys?': { list: 'string' },
  'x-kubernetes-map-type?': 'string',
  'x-kubernetes-validations?': {
    list: fields({
      rule: 'string',
      'message?': 'string',
      'messageExpression?': 'string',
      'reason?': 'string',
      'fieldPath?': 'string',
      'optionalOldSelf?': 'boolean',
    }),
  },
});

const names: Shape = fields({
  plural: 'string',
  kind: 'string',
  'singular?': 'string',
  'listKind?': 'string',
  'shortNames?': { list: 'string' },
  'categories?': { list: 'string' },
});

const version: Shape = fields({
  name: 'string',
  'served?': 'boolean',
  'storage?': 'boolean',
  'deprecated?': 'boolean',
  'deprecationWarning?': 'string',
  'schema?': fields({ 'openAPIV3Schema?': schema }),
  'subresources?': fields({
    'status?': { map: 'any' },
    'scale?': fields({
      'specReplicasPath?': 'string',
      'statusReplicasPath?': 'string',
      'labelSelectorPath?': 'string',
    }),
  }),
  'additionalPrinterColumns?': {
    list: fields({
      'name?': 'string',
      'type?': 'string',
      'format?': 'string',
      'description?': 'string',
      'priority?': 'number',
      'jsonPath?': 'string',
    }),
  },
  'selectableFields?': { list: fields({ 'jsonPath?': 'string' }) },
});

const clientConfig: Shape = fields({
  'url?': 'string',
  'caBundle?': 'string',
  'service?': fields({ 'namespace?': 'string', 'name?': 'string', 'path?': 'string', 'port?': 'number' }),
});

const optionalMetadata = objectMetaFields.filter((name) => name !== 'name');

const definitionShape: Shape = fields({
  apiVersion: { is: 'apiextensions.k8s.io/v1' },
  kind: { is: 'CustomResourceDefinition' },
  metadata: fields({
    ...Object.fromEntries(optionalMetadata.map((name) => [`${name}?`, 'any' as const])),
    name: 'string',
    'labels?': { map: 'string' },
    'annotations?': { map: 'string' },
    'managedFields?': { list: { map: 'any' } },
  }),
  spec: fields({
    group: 'string',
    scope: 'string',
    names,
    versions: { list: version },
    'preserveUnknownFields?': 'boolean',
    'conversion?': fields({
      'strategy?': 'string',
      'webhook?': fields({ 'clientConfig?': clientConfig, 'conversionReviewVersions?': { list: 'string' } }),
    }),
  }),
  'status?': fields({
    'storedVersions?': { list: 'string' },
    'acceptedNames?': names,
    'observedGeneration?': 'any',
    'conditions?': {
      list: fields({
        type: 'string',
        status: 'string',
        'reason?': 'any',
        'message?': 'any',
        'lastTransitionTime?': 'any',
        'observedGeneration?': 'any',
      }),
    },
  }),
});

interface Walk {
  readonly problems: ShapeProblem[];
  readonly unknownFields: ShapeProblem[];
  /** How many schemas are around the place. */
  depth: number;
}

function checkShape(value: unknown, path: string, wanted: Shape, walk: Walk): void {
  if (typeof wanted !== 'function') return checkKnownShape(value, path, wanted, walk);
  walk.depth += 1;
  checkKnownShape(value, path, wanted(), walk);
  walk.depth -= 1;
}

function checkKnownShape(value: unknown, path: string, shape: Shape, walk: Walk): void {
  if (walk.problems.length >= most || shape === 'any' || typeof shape === 'function') return;
  const message = walk.depth > deepest ? `is nested deeper than ${deepest} levels` : shapeProblem(value, shape);
  if (message !== undefined) {
    walk.problems.push({ path, message });
    return;
  }
  if (typeof shape === 'string' || 'is' in shape) return;
  if ('either' in shape) {
    if (typeof value !== 'boolean') checkShape(value, path, shape.either, walk);
    return;
  }
  if ('list' in shape) {
    (value as readonly unknown[]).forEach((item, index) => checkShape(item, `${path}[${index}]`, shape.list, walk));
    return;
  }
  const record = value as Readonly<Record<string, unknown>>;
  const below = (name: string) => (path === '' ? name : `${path}.${name}`);
  if ('map' in shape) {
    for (const name of Object.keys(record)) checkShape(record[name], below(name), shape.map, walk);
    return;
  }
  for (const name of Object.keys(record)) {
    const field = shape.fields.get(name);
    const member = record[name];
    if (field === undefined) {
      if (walk.unknownFields.length < most)
        walk.unknownFields.push({ path: below(name), message: 'is not a field of a CustomResourceDefinition' });
    } else if (field.shape !== 'any' && member !== undefined && (member !== null || field.isRequired))
      checkShape(member, below(name), field.shape, walk);
  }
  for (const name of shape.required)
    if (!Object.hasOwn(record, name) || record[name] === undefined)
      walk.problems.push({ path: below(name), message: 'is missing' });
}

/** Why a value does not have the outer shape; its content is checked separately. */
function shapeProblem(value: unknown, shape: Exclude<Shape, 'any' | (() => Shape)>): string | undefined {
  if (typeof shape === 'string') return typeof value === shape ? undefined : `must be a ${shape}, not ${kindOf(value)}`;
  if ('is' in shape) {
    const given = typeof value === 'string' ? value.slice(0, 80) : kindOf(value);
    return value === shape.is ? undefined : `must be ${shape.is}, not ${given}`;
  }
  if ('either' in shape) return undefined;
  if ('list' in shape) return Array.isArray(value) ? undefined : `must be a list, not ${kindOf(value)}`;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? undefined : `must be an object, not ${kindOf(value)}`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
