import type { Json } from '@isthmus/schema';
import { openApiSchemas } from '../builtin/types/open-api.ts';
import type { OpenApiDocument } from './documents-v3.ts';

type Node = Readonly<Record<string, Json>>;

/**
 * The OpenAPI v2 document with the content of the v3 documents. Parameters are inline; the real
 * server gathers frequent ones under `parameters`. As in the real document there are no defaults,
 * and forms that v2 does not have are left out: alternatives, null.
 */
export function documentV2(documents: readonly OpenApiDocument[]): Node {
  const paths = Object.assign({}, ...documents.map((one) => one.paths)) as Readonly<Record<string, Node>>;
  const merged = Object.assign({}, ...documents.map(({ components }) => components['schemas'])) as Readonly<
    Record<string, Node>
  >;
  // The types that belong to every group name in each v3 document the kinds of its group alone.
  const schemas = Object.fromEntries(
    Object.entries(merged).map(([name, schema]) => {
      const kinds = schema['x-kubernetes-group-version-kind'];
      return [name, Array.isArray(kinds) && kinds.length > 1 ? (openApiSchemas([name])[name] ?? schema) : schema];
    }),
  );
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: '1.36' },
    paths: mapped(paths, pathItem),
    definitions: mapped(schemas, schemaV2),
    securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    security: [{ BearerToken: [] }],
  };
}

function mapped(record: Readonly<Record<string, Node>>, change: (node: Node) => Node): Node {
  const sorted = Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, node]) => [key, change(node)]));
}

function pathItem(item: Node): Node {
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => [
      key,
      key === 'parameters' ? (value as readonly Node[]).map(parameterV2) : operationV2(value as Node),
    ]),
  );
}

function parameterV2({ schema, ...rest }: Node): Node {
  return { ...(schema as Node), ...rest };
}

interface OperationV3 {
  readonly parameters?: readonly Node[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Node }>>;
    readonly required?: boolean;
  };
  readonly responses: Readonly<
    Record<
      string,
      { readonly description?: string; readonly content?: Readonly<Record<string, { readonly schema: Node }>> }
    >
  >;
}

function operationV2(operation: Node): Node {
  const { parameters = [], requestBody, responses, ...rest } = operation as unknown as OperationV3 & Node;
  const bodies = Object.values(requestBody?.content ?? {});
  const produces = inOrder(Object.keys(responses['200']?.content ?? {}));
  const isResource = rest['x-kubernetes-action'] !== undefined && produces.some((type) => type.endsWith('protobuf'));
  const consumes =
    requestBody === undefined ? (isResource ? ['*/*'] : produces) : inOrder(Object.keys(requestBody.content));
  const body =
    bodies[0] === undefined
      ? []
      : [
          {
            name: 'body',
            in: 'body',
            ...(requestBody?.required === true && { required: true }),
            schema: schemaV2(bodies[0].schema),
          },
        ];
  const all = [...body, ...parameters.map(parameterV2)];
  return {
    ...rest,
    consumes,
    produces,
    schemes: ['https'],
    ...(all.length > 0 && { parameters: all }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([code, { description = '', content }]) => {
        const first = Object.values(content ?? {})[0];
        return [code, { description, ...(first !== undefined && { schema: schemaV2(first.schema) }) }];
      }),
    ),
  };
}

/** Media types are in the order of the handlers in v2, and sorted by bytes in v3. */
function inOrder(types: readonly string[]): readonly string[] {
  return types.toSorted((a, b) => mediaTypes.indexOf(a) - mediaTypes.indexOf(b));
}

const mediaTypes = [
  '*/*',
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

/** A schema without the keywords that v2 does not have. */
function schemaV2(schema: Node): Node {
  const { $ref, allOf, anyOf, oneOf, not: _not, nullable, default: _default, ...rest } = schema;
  if (typeof $ref === 'string') return { $ref: $ref.replace('#/components/schemas/', '#/definitions/') };
  const [only] = (allOf ?? []) as readonly Node[];
  if (only !== undefined && typeof only['$ref'] === 'string') return { ...rest, ...schemaV2(only) };
  if (oneOf !== undefined && Object.keys(rest).every((key) => key === 'format')) return { type: 'string', ...rest };
  const keeps = rest['x-kubernetes-preserve-unknown-fields'] === true || nullable === true || anyOf !== undefined;
  const { type, properties, items, additionalProperties, required, ...others } = rest;
  const shaped = keeps
    ? {}
    : {
        ...(type !== undefined && { type }),
        ...(required !== undefined && { required }),
        ...(properties !== undefined && { properties: mapped(properties as Readonly<Record<string, Node>>, schemaV2) }),
        ...(items !== undefined && { items: schemaV2(items as Node) }),
        ...(additionalProperties !== undefined && {
          additionalProperties:
            typeof additionalProperties === 'object' ? schemaV2(additionalProperties as Node) : additionalProperties,
        }),
      };
  return { ...shaped, ...others };
}
