import { printYaml } from '@isthmus/machinery';
import type { Json } from '@isthmus/schema';
import { ProtobufWriter } from './protobuf-writer.ts';

type Node = Readonly<Record<string, Json>>;

/**
 * Writes an OpenAPI v2 document as gnostic's `openapi.v2.Document` message, which kubectl and Helm
 * request. Field numbers are those of its `OpenAPIv2.proto`. Negative bounds of lengths do not
 * occur.
 */
export function protobufV2(document: Node): Uint8Array {
  const writer = new ProtobufWriter();
  writer.text(1, textOf(document['swagger']));
  writer.message(2, (info) => {
    const { title, version } = document['info'] as Node;
    info.text(1, textOf(title));
    info.text(2, textOf(version));
  });
  writer.message(8, (paths) => {
    for (const [name, item] of entries(document['paths'])) named(paths, 2, name, (one) => pathItem(one, item));
  });
  writer.message(9, (definitions) => {
    for (const [name, item] of entries(document['definitions']))
      named(definitions, 1, name, (one) => schema(one, item));
  });
  return writer.finish();
}

const methods: Readonly<Record<string, number>> = { get: 2, put: 3, post: 4, delete: 5, patch: 8 };

function pathItem(writer: ProtobufWriter, item: Node): void {
  for (const [method, field] of Object.entries(methods)) {
    const one = item[method];
    if (one !== undefined) writer.message(field, (inner) => operation(inner, one as Node));
  }
  for (const one of (item['parameters'] ?? []) as readonly Node[]) parameter(writer, 9, one);
}

function operation(writer: ProtobufWriter, node: Node): void {
  for (const tag of texts(node['tags'])) writer.item(1, tag);
  writer.text(5, node['operationId'] as string | undefined);
  for (const type of texts(node['produces'])) writer.item(6, type);
  for (const type of texts(node['consumes'])) writer.item(7, type);
  for (const one of (node['parameters'] ?? []) as readonly Node[]) parameter(writer, 8, one);
  writer.message(9, (responses) => {
    for (const [code, response] of entries(node['responses'])) {
      named(responses, 1, code, (value) =>
        value.message(1, (inner) => {
          inner.text(1, response['description'] as string | undefined);
          const answered = response['schema'];
          if (answered !== undefined)
            inner.message(2, (item) => item.message(1, (one) => schema(one, answered as Node)));
        }),
      );
    }
  });
  for (const scheme of texts(node['schemes'])) writer.item(10, scheme);
  extensions(writer, 13, node);
}

/** ParametersItem → Parameter → one of the kinds of parameters. */
function parameter(writer: ProtobufWriter, field: number, node: Node): void {
  const { name = '', in: place, required, type, uniqueItems, schema: body } = node;
  writer.message(field, (item) =>
    item.message(1, (kinds) => {
      if (place === 'body') {
        kinds.message(1, (one) => {
          one.text(2, textOf(name));
          one.text(3, 'body');
          one.flag(4, required === true);
          one.message(5, (inner) => schema(inner, body as Node));
        });
        return;
      }
      const inPath = place === 'path';
      kinds.message(2, (others) =>
        others.message(inPath ? 4 : 3, (one) => {
          one.flag(1, required === true);
          one.text(2, textOf(place));
          one.text(4, textOf(name));
          one.text(inPath ? 5 : 6, textOf(type));
          one.flag(inPath ? 19 : 20, uniqueItems === true);
        }),
      );
    }),
  );
}

/** Fields of Schema that are numbers. */
const doubles: Readonly<Record<string, number>> = { multipleOf: 6, maximum: 7, minimum: 9 };
const integers: Readonly<Record<string, number>> = {
  maxLength: 11,
  minLength: 12,
  maxItems: 14,
  minItems: 15,
  maxProperties: 17,
  minProperties: 18,
};

function schema(writer: ProtobufWriter, node: Node): void {
  const text = (name: string) => node[name] as string | undefined;
  writer.text(1, text('$ref'));
  writer.text(2, text('format'));
  writer.text(3, text('title'));
  writer.text(4, text('description'));
  for (const [name, field] of Object.entries(doubles)) writer.double(field, Number(node[name] ?? 0));
  writer.flag(8, node['exclusiveMaximum'] === true);
  writer.flag(10, node['exclusiveMinimum'] === true);
  for (const [name, field] of Object.entries(integers)) writer.integer(field, Number(node[name] ?? 0));
  writer.text(13, text('pattern'));
  writer.flag(16, node['uniqueItems'] === true);
  for (const name of texts(node['required'])) writer.item(19, name);
  for (const value of (node['enum'] ?? []) as readonly Json[]) writer.message(20, (one) => one.text(2, yaml(value)));
  const extra = node['additionalProperties'];
  if (typeof extra === 'object' && extra !== null) {
    writer.message(21, (item) => item.message(1, (one) => schema(one, extra as Node)));
  } else if (extra === true) writer.message(21, (item) => item.flag(2, true));
  const type = text('type');
  if (type !== undefined) writer.message(22, (item) => item.item(1, type));
  const items = node['items'];
  if (items !== undefined) writer.message(23, (item) => item.message(1, (one) => schema(one, items as Node)));
  const properties = node['properties'];
  if (properties !== undefined) {
    writer.message(25, (all) => {
      for (const [name, one] of entries(properties)) named(all, 1, name, (inner) => schema(inner, one));
    });
  }
  extensions(writer, 31, node);
}

function extensions(writer: ProtobufWriter, field: number, node: Node): void {
  for (const [name, value] of Object.entries(node)) {
    if (name.startsWith('x-')) named(writer, field, name, (any) => any.text(2, yaml(value)));
  }
}

/** A NamedX message: 1 the name, 2 the value. */
function named(writer: ProtobufWriter, field: number, name: string, value: (writer: ProtobufWriter) => void): void {
  writer.message(field, (pair) => {
    pair.text(1, name);
    pair.message(2, value);
  });
}

/** The `yaml` of an Any. */
function yaml(value: Json): string {
  return printYaml(value);
}

function entries(value: Json | undefined): [string, Node][] {
  return Object.entries((value ?? {}) as Readonly<Record<string, Node>>);
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function texts(value: Json | undefined): readonly string[] {
  return (value ?? []) as readonly string[];
}
