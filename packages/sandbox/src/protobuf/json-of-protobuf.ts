import allMessages from './fields.json' with { type: 'json' };
import { wireFields } from './wire.ts';

type Field = readonly [name: string, type: string, count: string];
type Messages = Readonly<Record<string, Readonly<Record<string, Field>>>>;

const messages = allMessages as unknown as Messages;

/**
 * The JSON text of an object that a client sends as `application/vnd.kubernetes.protobuf`: the four
 * bytes `k8s\0`, then a runtime.Unknown with apiVersion, kind and the message. Go clients send
 * built-in kinds in this form (kubectl since 1.32). Unknown fields are ignored, as in protobuf.
 * Undefined if the kind has no protobuf form here: custom kinds, CustomResourceDefinitions. Errors:
 * throws if the bytes are not such a message.
 */
export function jsonOfProtobuf(bytes: Uint8Array): string | undefined {
  if (Buffer.from(bytes.subarray(0, 4)).toString('latin1') !== 'k8s\0')
    throw new Error('the bytes do not begin with k8s\\0');
  let [apiVersion, kind, raw] = ['', '', new Uint8Array()];
  for (const { number, value } of wireFields(bytes.subarray(4))) {
    if (typeof value === 'bigint') continue;
    if (number === 2) raw = new Uint8Array(value);
    if (number !== 1) continue;
    for (const meta of wireFields(value)) {
      if (meta.number === 1) apiVersion = textOf(meta.value);
      if (meta.number === 2) kind = textOf(meta.value);
    }
  }
  const type = typeOf(apiVersion, kind);
  if (type === undefined) return undefined;
  return JSON.stringify({ apiVersion, kind, ...(messageOf(type, raw) as object) });
}

function typeOf(apiVersion: string, kind: string): string | undefined {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  // `flowcontrol.apiserver.k8s.io` is the package flowcontrol.
  const name = group?.split('.')[0];
  const places = [`k8s.io.api.${name}.${version}.${kind}`, `k8s.io.apimachinery.pkg.apis.meta.${version}.${kind}`];
  return places.find((place) => Object.hasOwn(messages, place));
}

/** Types whose JSON is not an object of their fields. */
const special: Readonly<Record<string, (fields: ReadonlyMap<number, bigint | Uint8Array>) => unknown>> = {
  'k8s.io.apimachinery.pkg.api.resource.Quantity': (fields) => textOf(fields.get(1)),
  'k8s.io.apimachinery.pkg.apis.meta.v1.Time': (fields) => timeOf(fields)?.replace(/\.\d+Z$/, 'Z') ?? null,
  'k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime': (fields) => timeOf(fields) ?? null,
  'k8s.io.apimachinery.pkg.runtime.RawExtension': (fields) => rawOf(fields.get(1)),
  'k8s.io.apimachinery.pkg.apis.meta.v1.FieldsV1': (fields) => rawOf(fields.get(1)),
  'k8s.io.apimachinery.pkg.util.intstr.IntOrString': (fields) =>
    integerOf(fields.get(1)) === 0 ? integerOf(fields.get(2)) : textOf(fields.get(3)),
};

/** Lists of strings that protobuf wraps into a message. */
const isList = /\.(ExtraValue|Verbs|OptionalNames)$/;

function messageOf(type: string, bytes: Uint8Array): unknown {
  const inner = special[type];
  if (inner !== undefined) return inner(new Map(Array.from(wireFields(bytes), ({ number, value }) => [number, value])));
  const fields = messages[type] ?? {};
  const object: Record<string, unknown> = {};
  for (const { number, value } of wireFields(bytes)) {
    const field = fields[number];
    if (field === undefined) continue;
    const [name, fieldType, count] = field;
    if (count === 'many') {
      if (!Object.hasOwn(object, name)) put(object, name, []);
      (object[name] as unknown[]).push(valueOf(fieldType, value));
    } else if (count === 'map') {
      if (!Object.hasOwn(object, name)) put(object, name, {});
      putEntry(object[name] as object, fieldType, value);
    }
    // A message without a name is inlined into the JSON of the message around it.
    else if (name === '') Object.assign(object, valueOf(fieldType, value));
    else put(object, name, valueOf(fieldType, value));
  }
  return isList.test(type) ? (object['items'] ?? []) : object;
}

function putEntry(map: object, type: string, entry: bigint | Uint8Array): void {
  const parts = new Map(Array.from(wireFields(bytesOf(entry)), ({ number, value }) => [number, value]));
  put(map, textOf(parts.get(1)), valueOf(type, parts.get(2) ?? new Uint8Array()));
}

/** Defines a member: `__proto__` is a key like any other. */
function put(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
}

function valueOf(type: string, value: bigint | Uint8Array): unknown {
  switch (type) {
    case 'string':
      return textOf(value);
    case 'bytes':
      return Buffer.from(bytesOf(value)).toString('base64');
    case 'bool':
      return integerOf(value) !== 0;
    case 'double':
      return Buffer.from(bytesOf(value)).readDoubleLE();
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
      return integerOf(value);
    default:
      return messageOf(type, bytesOf(value));
  }
}

function bytesOf(value: bigint | Uint8Array | undefined): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new Error('proto: wrong wireType');
}

const textOf = (value: bigint | Uint8Array | undefined) =>
  value === undefined ? '' : Buffer.from(bytesOf(value)).toString('utf8');

function integerOf(value: bigint | Uint8Array | undefined): number {
  if (value instanceof Uint8Array) {
    if (value.length === 0) return 0;
    throw new Error('proto: wrong wireType');
  }
  return Number(BigInt.asIntN(64, value ?? 0n));
}

function rawOf(value: bigint | Uint8Array | undefined): unknown {
  const text = textOf(value);
  return text === '' ? null : (JSON.parse(text) as unknown);
}

/** The time with microseconds; undefined for the zero time. */
function timeOf(fields: ReadonlyMap<number, bigint | Uint8Array>): string | undefined {
  if (fields.size === 0) return undefined;
  const micros = Math.trunc(integerOf(fields.get(2)) / 1000);
  const seconds = new Date(integerOf(fields.get(1)) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(micros).padStart(6, '0')}Z`;
}
