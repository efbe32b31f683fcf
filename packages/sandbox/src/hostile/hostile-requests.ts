/**
 * Requests that no good client sends, drawn from a seed and from the objects of a server: methods,
 * paths of pieces, queries, headers, and bodies made of real objects by error or by malice. One
 * number is one request, so that fast-check can leave out irrelevant ones.
 */
import type { ApiRequest } from '@isthmus/kube';
import { apiVersionOf, seededRandom } from '@isthmus/machinery';
import type { TypeNode } from '../typed/type-node.ts';
import type { ServedResource } from '../registry/served-resource.ts';

/** The material that requests are drawn from. */
export interface Material {
  readonly resources: readonly ServedResource[];
  /** Whole objects of each kind, by `apiVersion kind`. */
  readonly samples: ReadonlyMap<string, readonly object[]>;
  /** The objects that the server holds at this moment. */
  readonly held: readonly object[];
}

interface Draw {
  /** A number from 0 to below `below`. */
  number(below: number): number;
  /** True in one of `n` draws. */
  oneIn(n: number): boolean;
  pick<T>(items: readonly T[]): T;
}

export function drawOf(seed: number): Draw {
  const random = seededRandom(seed);
  const number = (below: number) => Math.floor(random.next() * below);
  return {
    number,
    oneIn: (n) => number(n) === 0,
    pick: <T>(items: readonly T[]): T => items[number(items.length)] as T,
  };
}

const names = ['a', 'b', 'web', 'ns', 'default', 'kube-system'];
const oddNames = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  '.',
  '..',
  'A_b',
  'a%2Fb',
  'ä',
  'x'.repeat(300),
  '*',
  'status',
  ' ',
];
const poison = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'length',
  '',
  '-',
  '0',
  'a/b',
  '~',
  '$patch',
  '$setElementOrder/x',
  '$retainKeys',
  'metadata',
  'spec',
];
const scalars: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1,
  1.5,
  80,
  65536,
  2 ** 31,
  2 ** 53,
  1e300,
  -1e21,
  '',
  'a',
  'A_b!',
  '10.1.2.3',
  '10.0.0.0/8',
  '1Gi',
  'now',
  '2026-11-21T10:00:00Z',
  '\u0000',
  '\ud800',
  '__proto__',
  'x'.repeat(70),
  [],
  {},
  [null],
  [{}],
  [[]],
  { a: null },
  ['a', 'a'],
];
const queries: readonly (readonly [name: string, values: readonly string[]])[] = [
  ['dryRun', ['All', '', 'None']],
  ['fieldManager', ['m', 'other', '\u0000', 'x'.repeat(129), '__proto__']],
  ['fieldValidation', ['Strict', 'Warn', 'Ignore', 'x']],
  ['force', ['true', 'false', 'x']],
  ['resourceVersion', ['0', '1', '40', '-1', 'x', '99999999999999999999', '1e3', ' 1']],
  ['resourceVersionMatch', ['Exact', 'NotOlderThan', 'x']],
  ['limit', ['1', '0', '-1', '999999999999999999999', 'x']],
  ['continue', ['x', 'e30', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0', 'bnVsbA', '__proto__']],
  ['labelSelector', ['app', '!app', 'app in (a,b)', 'app=web', 'a=b=c', '(', '__proto__=x', 'toString', ',']],
  [
    'fieldSelector',
    ['metadata.name=a', 'metadata.namespace!=a', '__proto__=a', 'spec.nodeName=', 'toString=x', 'a', '\\', ','],
  ],
  ['watch', ['true', '1', 'false', '0', '']],
  ['timeoutSeconds', ['1', '0', '-1', 'x', '999999999999']],
  ['allowWatchBookmarks', ['true', 'x']],
  ['sendInitialEvents', ['true', 'false', 'x']],
  ['propagationPolicy', ['Orphan', 'Foreground', 'Background', 'x']],
  ['gracePeriodSeconds', ['0', '1', '-1', 'x', '1.5']],
  ['orphanDependents', ['true', 'x']],
  ['includeObject', ['None', 'Object', 'x']],
  ['__proto__', ['x']],
  ['toString', ['x']],
];
const accepts = [
  'application/json',
  'application/yaml',
  '*/*',
  '',
  'text/html',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/yaml;as=Table;v=v1;g=meta.k8s.io',
  'application/vnd.kubernetes.protobuf',
  'application/json;as=__proto__;v=v1;g=meta.k8s.io',
  ';;;,,',
  '__proto__',
  'toString',
  'a;q=x',
  'application/json;q=0',
];
const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
] as const;
const oddTypes = [
  '',
  'text/plain',
  'application/octet-stream',
  '__proto__',
  'application/json; charset=utf-8',
  ';',
  'application/apply-patch+cbor',
];

/** A request, the same for the same seed and material. */
export function hostileRequest(seed: number, material: Material): ApiRequest {
  const draw = drawOf(seed);
  if (draw.oneIn(60)) return { method: 'GET', path: oddPath(draw) };
  if (draw.oneIn(25)) return hostileAction(draw, material);
  const resource = draw.pick(material.resources);
  const held = material.held.filter((object) => isOf(resource, object));
  const live = held.length > 0 && !draw.oneIn(4) ? (draw.pick(held) as Named) : undefined;
  const method = draw.oneIn(20)
    ? draw.pick(methods)
    : resource.virtual === true
      ? 'POST'
      : draw.pick(live === undefined ? methodsOfNothing : methods);
  const drawn = bodyObject(draw, resource, material, live);
  const sent = method === 'PUT' && live !== undefined && !draw.oneIn(6) ? addressedTo(draw, drawn, live) : drawn;
  const name = draw.oneIn(12)
    ? draw.pick(oddNames)
    : (live?.metadata?.name ?? textAt(sent, 'name') ?? draw.pick(names));
  const namespace = draw.oneIn(30)
    ? draw.pick(oddNames)
    : (live?.metadata?.namespace ?? (draw.oneIn(6) ? draw.pick(names) : 'ns'));
  const collection = method === 'POST' ? !draw.oneIn(20) : draw.oneIn(method === 'GET' ? 2 : 30);
  const subresource = draw.oneIn(collection ? 50 : 5)
    ? draw.pick([...resource.subresources.map((one) => one.name), 'status', 'scale', 'x', '__proto__'])
    : undefined;
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const path = [
    root,
    ...(resource.namespaced && !draw.oneIn(method === 'GET' ? 3 : 40) ? ['namespaces', encoded(draw, namespace)] : []),
    resource.plural,
    ...(collection ? [] : [encoded(draw, name)]),
    ...(subresource === undefined ? [] : [subresource]),
  ].join('/');
  const query: Record<string, string> = {};
  if (method === 'PATCH')
    Object.assign(query, { fieldManager: draw.pick(['m', 'n']) }, draw.oneIn(2) ? { force: 'true' } : {});
  if (draw.oneIn(3)) {
    for (let i = draw.number(3); i >= 0; i--) {
      const [key, values] = draw.pick(queries);
      Object.defineProperty(query, key, {
        value: draw.pick(values),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
  }
  const patchType = draw.pick(patchTypes);
  const type = draw.oneIn(25)
    ? draw.pick(oddTypes)
    : method === 'PATCH'
      ? patchType
      : draw.oneIn(12)
        ? 'application/yaml'
        : 'application/json';
  const headers = { 'content-type': type, ...(draw.oneIn(8) && { accept: draw.pick(accepts) }) };
  const body =
    method === 'GET' && !draw.oneIn(20) ? undefined : bodyText(draw, { method, patchType, resource, sent, live });
  return { method, path, query, headers, ...(body !== undefined && { body }) };
}

/** A POST to a subresource of an object. */
function hostileAction(draw: Draw, { held }: Material): ApiRequest {
  const [plural, kind, subresource, body] = draw.pick([
    [
      'pods',
      'Pod',
      'binding',
      { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'a' }, target: { kind: 'Node', name: 'n' } },
    ],
    [
      'pods',
      'Pod',
      'eviction',
      {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'a' },
        deleteOptions: { gracePeriodSeconds: 0, preconditions: { uid: 'x' } },
      },
    ],
    [
      'serviceaccounts',
      'ServiceAccount',
      'token',
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: {
          audiences: ['a'],
          expirationSeconds: 3600,
          boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'a', uid: 'x' },
        },
      },
    ],
  ] as const);
  const found = held.filter((object) => (object as { readonly kind: string }).kind === kind) as readonly Named[];
  const { name = 'a', namespace = 'ns' } = (found.length > 0 ? draw.pick(found) : {}).metadata ?? {};
  const sent = draw.oneIn(3) ? body : draw.oneIn(4) ? spoiled(draw, body) : spoiledWithin(draw, body);
  const query: Record<string, string> = draw.oneIn(3) ? { dryRun: 'All' } : {};
  return {
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/${plural}/${name}/${subresource}`,
    query,
    headers: { 'content-type': 'application/json' },
    body: json(sent),
  };
}

const methods = ['GET', 'POST', 'PUT', 'PUT', 'PUT', 'PATCH', 'PATCH', 'PATCH', 'PATCH', 'DELETE'] as const;
const methodsOfNothing = ['GET', 'POST', 'POST', 'POST', 'POST', 'POST', 'PATCH', 'PUT'] as const;

/** A replacement with the name of the object, and mostly without a resourceVersion. */
function addressedTo(draw: Draw, sent: unknown, { metadata = {} }: Named): unknown {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent;
  const given = (sent as { readonly metadata?: unknown }).metadata;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return sent;
  const { resourceVersion, uid: _, ...kept } = given as Readonly<Record<string, unknown>>;
  return { ...sent, metadata: { ...kept, ...metadata, ...(!draw.oneIn(2) && { resourceVersion }) } };
}

interface Named {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

function isOf(resource: ServedResource, object: object): boolean {
  const { apiVersion, kind } = object as { readonly apiVersion: string; readonly kind: string };
  return kind === resource.kind && apiVersion.split('/').slice(0, -1).join('/') === resource.group;
}

function textAt(object: unknown, key: 'name' | 'namespace'): string | undefined {
  const value = (object as { readonly metadata?: Readonly<Record<string, unknown>> | null } | null)?.metadata?.[key];
  return typeof value === 'string' ? value : undefined;
}

function encoded(draw: Draw, part: string): string {
  return draw.oneIn(10) ? part.toWellFormed() : encodeURIComponent(part.toWellFormed());
}

function oddPath(draw: Draw): string {
  const pieces = [
    '',
    'api',
    'apis',
    'v1',
    'apps',
    'namespaces',
    'a',
    'pods',
    '..',
    '.',
    '%',
    '%2F',
    '%00',
    '__proto__',
    'constructor',
    'openapi',
    'v2',
    'v3',
    'healthz',
    'livez',
    'version',
    '{}',
    '*',
    'x'.repeat(2000),
  ];
  return `/${Array.from({ length: draw.number(8) }, () => draw.pick(pieces)).join('/')}`;
}

function bodyObject(draw: Draw, resource: ServedResource, { samples }: Material, live: Named | undefined): unknown {
  const apiVersion = apiVersionOf(resource);
  const known = samples.get(`${apiVersion} ${resource.kind}`) ?? [];
  const whole =
    live !== undefined && draw.oneIn(2) ? live : known.length > 0 && !draw.oneIn(5) ? draw.pick(known) : undefined;
  const object = whole ?? {
    ...(drawnValue(draw, resource.type, 0) as object),
    apiVersion,
    kind: resource.kind,
    metadata: {
      name: draw.pick(names),
      ...(draw.oneIn(3) && { labels: { app: 'web' } }),
      ...(draw.oneIn(9) && { finalizers: ['example.com/hold'] }),
    },
  };
  const mistakes = draw.pick([0, 0, 1, 1, 2, 4]);
  let now: unknown = object;
  for (let i = 0; i < mistakes; i++) now = draw.oneIn(15) ? spoiled(draw, now) : spoiledWithin(draw, now);
  return now;
}

/** A value that mostly fits a type. */
function drawnValue(draw: Draw, node: TypeNode, depth: number): unknown {
  if (draw.oneIn(25)) return draw.pick(scalars);
  switch (node.kind) {
    case 'scalar':
      return drawnScalar(draw, node.scalar);
    case 'list':
      return depth > 7 ? [] : Array.from({ length: draw.number(3) }, () => drawnValue(draw, node.items, depth + 1));
    case 'map':
      return Object.fromEntries(
        Array.from({ length: draw.number(3) }, () => [
          draw.oneIn(8) ? draw.pick(poison) : draw.pick(['app', 'example.com/b', 'k']),
          drawnValue(draw, node.values, depth + 1),
        ]),
      );
    case 'struct': {
      const keep = Math.max(2, depth);
      const members = Object.entries(node.fields).filter(() => depth <= 7 && (depth < 1 || draw.oneIn(keep)));
      return Object.fromEntries(members.map(([name, { type }]) => [name, drawnValue(draw, type, depth + 1)]));
    }
    case 'any':
      return draw.pick(scalars);
  }
}

function drawnScalar(draw: Draw, scalar: string): unknown {
  switch (scalar) {
    case 'boolean':
      return draw.oneIn(2);
    case 'int32':
    case 'int64':
    case 'float64':
      return draw.pick([0, 1, 2, 80, 600, -1]);
    case 'bytes':
      return draw.pick(['', 'YQ==', 'AAECAw==', '!']);
    case 'quantity':
      return draw.pick(['1', '1Gi', '100m', 2]);
    case 'intOrString':
      return draw.pick([1, 'http', '25%']);
    case 'time':
    case 'microTime':
      return draw.pick(['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.123456Z', null, '0001-01-01T00:00:00Z']);
    case 'duration':
      return draw.pick(['1s', '5m']);
    default:
      return draw.pick([
        '',
        'a',
        'b',
        'web',
        'TCP',
        'http',
        '10.96.0.9',
        'fd00::1',
        'Always',
        'Opaque',
        'example.com/a',
        'Cluster',
        'A_B',
      ]);
  }
}

/** An object with a mistake that leaves it an object of its kind. */
function spoiledWithin(draw: Draw, object: unknown): unknown {
  const entries = Object.entries((object ?? {}) as Record<string, unknown>).filter(
    ([key]) => key !== 'apiVersion' && key !== 'kind',
  );
  if (typeof object !== 'object' || entries.length === 0) return object;
  const [key, member] = draw.pick(entries);
  return withKey(Object.entries(object as Record<string, unknown>), key, spoiled(draw, member));
}

/** A value with one mistake somewhere within. */
function spoiled(draw: Draw, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || draw.oneIn(8)) return replaced(draw, value);
  if (Array.isArray(value)) {
    if (value.length === 0 || draw.oneIn(6)) return [...value, draw.pick(scalars)];
    const at = draw.number(value.length);
    if (draw.oneIn(6)) return value.toSpliced(at, draw.pick([0, 1]), value[at]);
    return value.with(at, spoiled(draw, value[at]));
  }
  const entries = Object.entries(value as Record<string, unknown>);
  if (entries.length === 0 || draw.oneIn(5)) return withKey(entries, draw.pick(poison), replaced(draw, undefined));
  const at = draw.number(entries.length);
  const [key, member] = entries[at] as [string, unknown];
  if (draw.oneIn(8)) return Object.fromEntries(entries.toSpliced(at, 1));
  return withKey(entries, key, spoiled(draw, member));
}

function withKey(entries: readonly (readonly [string, unknown])[], key: string, value: unknown): object {
  return Object.fromEntries([...entries.filter(([name]) => name !== key), [key, value]]);
}

function replaced(draw: Draw, value: unknown): unknown {
  if (draw.oneIn(12)) return JSON.parse(`${'['.repeat(60)}1${']'.repeat(60)}`) as unknown;
  if (draw.oneIn(6)) return Object.fromEntries([[draw.pick(poison), { polluted: true }]]);
  if (typeof value === 'string' && draw.oneIn(2))
    return draw.pick([`${value}x`, `${value}_!`, value.toUpperCase(), `${value}\n`, value.slice(1)]);
  return draw.pick(scalars);
}

interface Sent {
  readonly method: string;
  readonly patchType: (typeof patchTypes)[number];
  readonly resource: ServedResource;
  readonly sent: unknown;
  readonly live: Named | undefined;
}

function bodyText(draw: Draw, { method, patchType, resource, sent, live }: Sent): string {
  if (draw.oneIn(30))
    return draw.pick([
      '',
      'null',
      '[]',
      '{',
      '{}',
      '"a"',
      '1',
      '\u0000',
      '{"a":1,"a":2}',
      'a: [',
      '- a\n- b',
      '&a [*a]',
      '{"metadata":null}',
      '[[[[',
      '{"__proto__":{"polluted":true}}',
      '\ufeff{}',
      'k8s\u0000\n\u0000',
    ]);
  if (method === 'DELETE')
    return draw.oneIn(2)
      ? ''
      : json(
          draw.pick([
            sent,
            { preconditions: { uid: 'x' } },
            { propagationPolicy: 'Foreground' },
            { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 },
            { dryRun: ['All'] },
          ]),
        );
  if (method !== 'PATCH') return json(sent);
  if (patchType === 'application/json-patch+json') return json(jsonPatch(draw, live ?? sent));
  if (patchType === 'application/apply-patch+yaml')
    return json(withoutManagedFields({ apiVersion: apiVersionOf(resource), kind: resource.kind, ...(sent as object) }));
  return json(draw.oneIn(3) ? sent : partOf(draw, sent, patchType === 'application/strategic-merge-patch+json'));
}

function withoutManagedFields(object: object): object {
  const { metadata } = object as { readonly metadata?: unknown };
  if (typeof metadata !== 'object' || metadata === null) return object;
  const { managedFields: _, ...rest } = metadata as { readonly managedFields?: unknown };
  return { ...object, metadata: rest };
}

function json(value: unknown): string {
  return JSON.stringify(value) ?? '';
}

/** Some of an object, spoiled, with directives now and then. */
function partOf(draw: Draw, value: unknown, directives: boolean): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return spoiled(draw, value);
  const entries = Object.entries(value as Record<string, unknown>).filter(() => draw.oneIn(2));
  const part = Object.fromEntries(
    entries.map(([key, member]) => [
      key,
      draw.oneIn(2) ? partOf(draw, member, directives) : draw.oneIn(4) ? null : member,
    ]),
  );
  if (!directives || !draw.oneIn(4)) return part;
  const [directive, argument] = draw.pick<readonly [string, unknown]>([
    ['$patch', 'delete'],
    ['$patch', 'replace'],
    ['$patch', 'merge'],
    ['$patch', 'x'],
    ['$patch', 1],
    ['$retainKeys', ['a']],
    ['$retainKeys', 1],
    ['$deleteFromPrimitiveList/finalizers', ['example.com/hold']],
    ['$deleteFromPrimitiveList/x', 1],
    ['$setElementOrder/ports', [{ port: 80 }]],
    ['$setElementOrder/containers', ['x']],
    ['$setElementOrder/finalizers', [1]],
  ]);
  return { ...part, [directive]: argument };
}

function jsonPatch(draw: Draw, object: unknown): unknown {
  return Array.from({ length: 1 + draw.number(3) }, () => {
    if (draw.oneIn(15))
      return draw.pick<unknown>([null, 1, {}, [], { op: 'x', path: '/a' }, { op: 'add' }, { op: 'remove', path: 1 }]);
    const op = draw.pick(['add', 'add', 'remove', 'replace', 'replace', 'move', 'copy', 'test', '__proto__']);
    return {
      op,
      path: pointer(draw, object),
      ...(draw.oneIn(2) || op !== 'remove' ? { value: draw.pick(scalars) } : {}),
      ...((op === 'move' || op === 'copy') && { from: pointer(draw, object) }),
    };
  });
}

/** A way into an object, that may leave it. */
function pointer(draw: Draw, object: unknown): string {
  if (draw.oneIn(20))
    return draw.pick([
      '',
      '/',
      'a',
      '//',
      '/~2',
      '/~',
      '/__proto__/polluted',
      '/constructor/prototype/polluted',
      '/metadata/labels/__proto__',
      '/metadata/labels/-',
      '/metadata/labels/0',
      '/spec/ports/-1',
      '/spec/ports/99999999999',
      '/spec/ports/01',
      '/metadata/annotations/a~1b',
    ]);
  let path = '';
  let at: unknown = object;
  while (typeof at === 'object' && at !== null && (path === '' || !draw.oneIn(4))) {
    const keys: readonly string[] = Object.keys(at);
    const key: string = keys.length === 0 || draw.oneIn(8) ? draw.pick(poison) : draw.pick(keys);
    path += `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    at = (at as Record<string, unknown>)[key];
  }
  return path;
}
