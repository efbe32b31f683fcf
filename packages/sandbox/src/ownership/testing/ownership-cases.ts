import type { JsonSchema } from '@isthmus/schema';
import type { JsonObject } from '../shape.ts';

/** A custom resource whose schema has each kind of list and map that ownership distinguishes. */
export const thingSchema: JsonSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        replicas: { type: 'integer' },
        title: { type: 'string' },
        flag: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        numbers: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            required: ['port'],
            properties: {
              port: { type: 'integer' },
              protocol: { type: 'string', default: 'TCP' },
              name: { type: 'string' },
              note: { type: 'string' },
              routes: {
                type: 'array',
                'x-kubernetes-list-type': 'map',
                'x-kubernetes-list-map-keys': ['id'],
                items: {
                  type: 'object',
                  required: ['id'],
                  properties: { id: { type: 'string' }, to: { type: 'string' } },
                },
              },
            },
          },
        },
        args: { type: 'array', items: { type: 'string' } },
        words: { type: 'object', additionalProperties: { type: 'string' } },
        groups: {
          type: 'object',
          additionalProperties: { type: 'object', additionalProperties: { type: 'string' } },
        },
        limits: {
          type: 'object',
          'x-kubernetes-map-type': 'atomic',
          properties: { cpu: { type: 'string' }, memory: { type: 'string' } },
        },
        selector: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'string' } },
        pair: {
          type: 'object',
          properties: {
            a: { type: 'string' },
            b: { type: 'string' },
            deep: { type: 'object', properties: { x: { type: 'string' }, y: { type: 'string' } } },
          },
        },
        anything: { 'x-kubernetes-preserve-unknown-fields': true },
        open: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: {
            known: { type: 'string' },
            inner: { type: 'object', properties: { said: { type: 'string' } } },
          },
        },
        size: { 'x-kubernetes-int-or-string': true },
        maybe: { type: 'string', nullable: true },
        box: { type: 'object', nullable: true, properties: { held: { type: 'string' } } },
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
      },
    },
    status: {
      type: 'object',
      properties: {
        phase: { type: 'string' },
        conditions: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
          items: {
            type: 'object',
            required: ['type'],
            properties: { type: { type: 'string' }, status: { type: 'string' }, message: { type: 'string' } },
          },
        },
      },
    },
  },
};

/** One request on the object of a case. The bodies lack apiVersion, kind and name. */
export type OwnershipStep = {
  readonly by: string;
  readonly status?: true;
  readonly version?: 'v1' | 'v2';
} & (
  | { readonly create: JsonObject }
  /** A JSON merge patch. */
  | { readonly patch: JsonObject }
  | { readonly apply: JsonObject; readonly force?: true }
);

export interface OwnershipCase {
  /** A sentence about behaviour. */
  readonly title: string;
  /** Default Thing. */
  readonly kind?: 'ConfigMap';
  readonly steps: readonly OwnershipStep[];
}

const create = (by: string, body: JsonObject): OwnershipStep => ({ by, create: body });
const patch = (by: string, body: JsonObject): OwnershipStep => ({ by, patch: body });
const apply = (by: string, body: JsonObject): OwnershipStep => ({ by, apply: body });
const force = (by: string, body: JsonObject): OwnershipStep => ({ by, apply: body, force: true });
const onStatus = (step: OwnershipStep): OwnershipStep => ({ ...step, status: true });
const inV2 = (step: OwnershipStep): OwnershipStep => ({ ...step, version: 'v2' });
const spec = (fields: JsonObject): JsonObject => ({ spec: fields });

const tcp = (port: number, more: JsonObject = {}): JsonObject => ({ port, protocol: 'TCP', ...more });
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const thingJson = (title: string, name: string) =>
  JSON.stringify({ apiVersion: 'test.example.com/v1', kind: 'Thing', metadata: { name }, spec: { title } });

export const ownershipCases: readonly OwnershipCase[] = [
  // Update
  {
    title: 'who creates an object owns its fields, and the maps above them',
    steps: [
      create('c', {
        metadata: { labels: { app: 'x' }, annotations: { note: 'y' } },
        spec: { replicas: 1, pair: { a: '1', deep: { x: '2' } } },
      }),
    ],
  },
  {
    title: 'a creation owns every item of a set and of a keyed list, and an atomic list as one',
    steps: [
      create(
        'c',
        spec({ tags: ['b', 'a'], numbers: [10, 9], args: ['z', 'y'], ports: [tcp(443, { name: 'https' }), tcp(80)] }),
      ),
    ],
  },
  {
    title: "a field that another changes becomes that one's",
    steps: [create('c', spec({ replicas: 1, title: 't' })), patch('u', spec({ replicas: 2 }))],
  },
  {
    title: 'who leaves all as it was owns nothing',
    steps: [create('c', spec({ replicas: 1 })), patch('u', spec({ replicas: 1 }))],
  },
  {
    title: 'a manager whose every field is taken vanishes',
    steps: [create('c', spec({ replicas: 1 })), patch('u', spec({ replicas: 2 })), patch('u', { spec: null })],
  },
  {
    title: 'a field that goes leaves all sets',
    steps: [create('c', spec({ replicas: 1, title: 't' })), patch('u', spec({ replicas: null }))],
  },
  {
    title: 'a second update by the same manager joins its entry',
    steps: [create('c', spec({ replicas: 1 })), patch('c', spec({ title: 't' }))],
  },
  {
    title: 'an added label is owned alone',
    steps: [create('c', { metadata: { labels: { a: '1' } } }), patch('u', { metadata: { labels: { b: '2' } } })],
  },
  {
    title: 'the first label brings the map of labels',
    steps: [create('c', spec({ replicas: 1 })), patch('u', { metadata: { labels: { b: '2' } } })],
  },
  {
    title: 'finalizers are a set',
    steps: [
      create('c', { metadata: { finalizers: ['x.io/a'] } }),
      patch('u', { metadata: { finalizers: ['x.io/a', 'x.io/b'] } }),
      patch('v', { metadata: { finalizers: [] } }),
    ],
  },
  {
    title: 'owner references are told apart by uid, and each is owned as one',
    steps: [
      create('c', { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u1' }] } }),
      patch('u', {
        metadata: {
          ownerReferences: [
            { apiVersion: 'v1', kind: 'ConfigMap', name: 'p', uid: 'u1' },
            { apiVersion: 'v1', kind: 'ConfigMap', name: 'q', uid: 'u2' },
          ],
        },
      }),
    ],
  },
  {
    title: 'a changed item of a keyed list changes owners field by field',
    steps: [
      create('c', spec({ ports: [tcp(80, { name: 'a', note: 'n' })] })),
      patch('u', spec({ ports: [tcp(80, { name: 'b', note: 'n' })] })),
    ],
  },
  {
    title: 'items of keyed lists may change places without changing owners',
    steps: [create('c', spec({ ports: [tcp(80), tcp(81)] })), patch('u', spec({ ports: [tcp(81), tcp(80)] }))],
  },
  {
    title: "a removed item of a keyed list is nobody's",
    steps: [create('c', spec({ ports: [tcp(80), tcp(81)] })), patch('u', spec({ ports: [tcp(80)] }))],
  },
  {
    title: 'an atomic list changes owners as one',
    steps: [create('c', spec({ args: ['a', 'b'] })), patch('u', spec({ args: ['a', 'c'] }))],
  },
  {
    title: 'an atomic object changes owners as one',
    steps: [create('c', spec({ limits: { cpu: '1', memory: '2' } })), patch('u', spec({ limits: { cpu: '3' } }))],
  },
  {
    title: 'what lies under unknown fields is owned by its form',
    steps: [
      create(
        'c',
        spec({
          anything: { a: 1, list: [{ name: 'x' }], map: { k: 'v' } },
          open: { known: 'k', other: { p: 1 }, inner: { said: 's', more: 2 } },
        }),
      ),
    ],
  },
  {
    title: 'unknown fields may change their form',
    steps: [
      create('c', spec({ anything: { a: 1 } })),
      patch('u', spec({ anything: { a: { b: [1] } } })),
      patch('v', spec({ anything: { a: 'x' } })),
      patch('w', spec({ anything: [1, 2] })),
    ],
  },
  {
    title: 'empty maps and lists',
    steps: [
      create('c', spec({ words: {}, tags: [], ports: [], args: [], anything: {} })),
      patch('u', spec({ words: { a: 'b' }, tags: ['x'], args: ['y'] })),
      patch('v', spec({ words: { a: null }, tags: [], args: [] })),
    ],
  },
  {
    title: 'a null in a nullable field is a value',
    steps: [create('c', spec({ maybe: null, box: null })), patch('u', spec({ maybe: 'x', box: { held: 'y' } }))],
  },
  {
    title: 'status and spec are owned apart',
    steps: [
      create('c', { spec: { replicas: 1 }, status: { phase: 'No' } }),
      onStatus(
        patch('s', {
          spec: { replicas: 5 },
          metadata: { labels: { a: 'b' } },
          status: { phase: 'Up', conditions: [{ type: 'Ready', status: 'True' }] },
        }),
      ),
      patch('u', { spec: { replicas: 2 }, status: { phase: 'Down' } }),
    ],
  },
  {
    title: 'the same manager through a subresource has an entry of its own',
    steps: [
      create('c', spec({ replicas: 1 })),
      onStatus(patch('c', { status: { phase: 'Up' } })),
      onStatus(patch('d', { status: { phase: 'Down' } })),
    ],
  },
  {
    title: 'the eleventh updating manager makes ancient changes of the two oldest',
    steps: [
      create('m00', spec({ title: 't' })),
      ...Array.from({ length: 12 }, (_, i) =>
        patch(`m${String(i + 1).padStart(2, '0')}`, { metadata: { labels: { [`l${i}`]: 'x' } } }),
      ),
    ],
  },
  {
    title: 'an empty list of managed fields resets them, and later updates keep none',
    steps: [
      create('c', spec({ replicas: 1 })),
      patch('u', { metadata: { managedFields: [] } }),
      patch('v', spec({ replicas: 2 })),
      apply('a', spec({ title: 'x' })),
    ],
  },
  {
    title: 'one empty entry resets managed fields too, and what changes with it is not recorded',
    steps: [
      create('c', spec({ replicas: 1 })),
      patch('u', { metadata: { managedFields: [{}] }, spec: { replicas: 3 } }),
    ],
  },
  {
    title: 'managed fields set to null are taken from the live object',
    steps: [
      create('c', spec({ replicas: 1 })),
      patch('u', { metadata: { managedFields: null }, spec: { title: 'x' } }),
    ],
  },
  {
    title: 'managed fields may be written',
    steps: [
      create('c', spec({ replicas: 1, title: 't' })),
      patch('u', {
        metadata: {
          managedFields: [
            {
              manager: 'z',
              operation: 'Apply',
              apiVersion: 'test.example.com/v1',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:spec': { 'f:title': {} } },
            },
          ],
        },
      }),
    ],
  },
  {
    title: 'entries of a version that is not served go with the next update',
    steps: [
      create('c', spec({ replicas: 1, title: 't' })),
      patch('u', {
        metadata: {
          managedFields: [
            {
              manager: 'z',
              operation: 'Update',
              apiVersion: 'test.example.com/v0',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:spec': { 'f:title': {} } },
            },
            {
              manager: 'y',
              operation: 'Update',
              apiVersion: 'test.example.com/v1',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:spec': { 'f:replicas': {} } },
            },
          ],
        },
      }),
      patch('w', spec({ flag: true })),
    ],
  },
  {
    title: 'an update in another version has an entry of its own',
    steps: [
      create('c', spec({ replicas: 1, title: 't' })),
      inV2(patch('c', spec({ replicas: 2 }))),
      patch('c', spec({ title: 'u' })),
      inV2(patch('d', spec({ title: 'v' }))),
    ],
  },
  {
    title: 'numbers among the keys are ordered by size',
    steps: [create('c', spec({ ports: [tcp(443), tcp(80), tcp(8080)], numbers: [100, 20, 3] }))],
  },
  {
    title: 'keys and values that need escaping',
    steps: [create('c', spec({ tags: ['a"b', '<&>', 'ü\n'], words: { 'a.b/c': 'x', '<&>': 'y' } }))],
  },
  // Apply
  {
    title: 'an apply creates',
    steps: [
      apply('a', {
        metadata: { labels: { app: 'x' } },
        spec: {
          replicas: 1,
          tags: ['a'],
          ports: [tcp(80, { name: 'n' })],
          args: ['x'],
          limits: { cpu: '1' },
          words: { k: 'v' },
          pair: { deep: { x: '1' } },
        },
      }),
    ],
  },
  {
    title: 'an apply of an empty configuration creates an object without managed fields',
    steps: [apply('a', {}), apply('a', spec({ replicas: 1 }))],
  },
  {
    title: 'the same apply again changes nothing and keeps the time',
    steps: [apply('a', spec({ replicas: 1 })), apply('a', spec({ replicas: 1 }))],
  },
  {
    title: 'a second applier of the same value owns it too',
    steps: [apply('a', spec({ replicas: 1 })), apply('b', spec({ replicas: 1 }))],
  },
  {
    title: 'an applier of another value has a conflict',
    steps: [apply('a', spec({ replicas: 1 })), apply('b', spec({ replicas: 2 }))],
  },
  {
    title: 'force takes the field',
    steps: [apply('a', spec({ replicas: 1, title: 't' })), force('b', spec({ replicas: 2 }))],
  },
  {
    title: 'conflicts with an updater name the version',
    steps: [create('c', spec({ replicas: 1 })), apply('a', spec({ replicas: 2 }))],
  },
  {
    title: 'several conflicts with one manager are listed',
    steps: [
      create('c', {
        metadata: { labels: { a: '1' } },
        spec: { replicas: 1, ports: [tcp(80, { name: 'n' })], args: ['x'], tags: ['t'] },
      }),
      apply('a', {
        metadata: { labels: { a: '2' } },
        spec: { replicas: 2, ports: [tcp(80, { name: 'm' })], args: ['y'], tags: ['t', 'u'] },
      }),
    ],
  },
  {
    title: 'conflicts with several managers are listed by manager',
    steps: [
      create('zed', spec({ replicas: 1 })),
      patch('mid', spec({ title: 't' })),
      apply('able', spec({ flag: true })),
      apply('b', spec({ replicas: 2, title: 'u', flag: false })),
    ],
  },
  {
    title: 'a conflict with a manager of the status names the subresource',
    steps: [
      create('c', spec({ replicas: 1 })),
      onStatus(patch('s', { status: { phase: 'Up' } })),
      onStatus(apply('a', { status: { phase: 'Down' } })),
      onStatus(force('a', { status: { phase: 'Down' } })),
    ],
  },
  {
    title: 'what is no longer applied goes',
    steps: [
      apply('a', spec({ replicas: 1, title: 't', words: { a: '1', b: '2' } })),
      apply('a', spec({ title: 't', words: { b: '2' } })),
    ],
  },
  {
    title: 'what is no longer applied stays where another applier owns it',
    steps: [
      apply('a', spec({ replicas: 1, title: 't' })),
      apply('b', spec({ replicas: 1 })),
      apply('a', spec({ title: 't' })),
    ],
  },
  {
    title: 'what is no longer applied stays where an updater owns it since',
    steps: [
      apply('a', spec({ replicas: 1, title: 't' })),
      patch('u', spec({ replicas: 3 })),
      apply('a', spec({ title: 't' })),
    ],
  },
  {
    title: 'an applier may give up what an updater owns',
    steps: [
      create('c', spec({ replicas: 1, title: 't' })),
      apply('a', spec({ replicas: 1 })),
      apply('a', spec({ flag: true })),
    ],
  },
  {
    title: 'an item of a keyed list goes when its only applier drops it',
    steps: [apply('a', spec({ ports: [tcp(80), tcp(81)] })), apply('a', spec({ ports: [tcp(81)] }))],
  },
  {
    title: 'an item of a keyed list stays, with what others own of it',
    steps: [
      apply('a', spec({ ports: [tcp(80, { name: 'n' }), tcp(81)] })),
      apply('b', spec({ ports: [tcp(80, { note: 'x' })] })),
      apply('a', spec({ ports: [tcp(81)] })),
      apply('b', spec({})),
    ],
  },
  {
    title: 'an item of a keyed list to which an updater added a field goes whole',
    steps: [
      apply('a', spec({ ports: [tcp(80, { name: 'n' })] })),
      patch('u', spec({ ports: [tcp(80, { name: 'n', note: 'x' })] })),
      apply('a', spec({})),
    ],
  },
  {
    title: 'the whole list goes with its last item',
    steps: [apply('a', spec({ ports: [tcp(80)], tags: ['x'], replicas: 1 })), apply('a', spec({ replicas: 1 }))],
  },
  {
    title: 'an object goes with its last field',
    steps: [
      apply('a', {
        metadata: { labels: { a: '1' }, annotations: { b: '2' } },
        spec: { pair: { a: '1', deep: { x: '2' } }, replicas: 1 },
      }),
      apply('a', spec({ replicas: 1 })),
    ],
  },
  {
    title: 'an object that someone else wrote into stays',
    steps: [
      apply('a', spec({ pair: { a: '1', deep: { x: '2' } } })),
      patch('u', spec({ pair: { deep: { y: '3' } } })),
      apply('a', spec({})),
    ],
  },
  {
    title: 'a key of a map of maps goes with what its applier put there',
    steps: [
      apply('a', spec({ groups: { g: { x: '1' }, h: { y: '2' } } })),
      apply('b', spec({ groups: { g: { z: '3' } } })),
      apply('a', spec({})),
      apply('b', spec({})),
    ],
  },
  {
    title: 'a key that another keeps empty',
    steps: [
      apply('a', spec({ groups: { g: { x: '1' } } })),
      apply('b', spec({ groups: { g: {} } })),
      apply('a', spec({})),
    ],
  },
  {
    title: 'a struct that another keeps empty',
    steps: [
      apply('a', spec({ pair: { deep: { x: '1' } } })),
      apply('b', spec({ pair: { deep: {} } })),
      apply('a', spec({})),
    ],
  },
  {
    title: 'values of a set are each owned',
    steps: [
      apply('a', spec({ tags: ['a', 'b'] })),
      apply('b', spec({ tags: ['c', 'b'] })),
      apply('a', spec({ tags: ['a'] })),
      apply('b', spec({ tags: [] })),
    ],
  },
  {
    title: 'an atomic list is replaced',
    steps: [apply('a', spec({ args: ['a', 'b'] })), apply('a', spec({ args: ['c'] })), apply('a', spec({}))],
  },
  {
    title: 'an atomic list that an updater changed is a conflict',
    steps: [
      apply('a', spec({ args: ['a', 'b'] })),
      patch('u', spec({ args: ['c'] })),
      apply('a', spec({ args: ['a', 'b'] })),
      force('a', spec({ args: ['a', 'b'] })),
    ],
  },
  {
    title: 'an atomic object is replaced whole',
    steps: [
      create('c', spec({ limits: { cpu: '1', memory: '2' }, selector: { a: '1' } })),
      force('a', spec({ limits: { cpu: '3' }, selector: { b: '2' } })),
      apply('a', spec({ limits: { cpu: '3' } })),
    ],
  },
  {
    title: 'appended items follow the live ones',
    steps: [
      create('c', spec({ ports: [tcp(1), tcp(2)], tags: ['x', 'y'] })),
      apply('a', spec({ ports: [tcp(3)], tags: ['z'] })),
    ],
  },
  {
    title: 'the applied order wins among shared items',
    steps: [
      create('c', spec({ ports: [tcp(1), tcp(2), tcp(3)], tags: ['x', 'y', 'z'] })),
      apply('a', spec({ ports: [tcp(3), tcp(1)], tags: ['z', 'x'] })),
    ],
  },
  {
    title: 'live items stay behind those that they followed',
    steps: [
      create('c', spec({ tags: ['a', 'b', 'c', 'd', 'e'] })),
      apply('a', spec({ tags: ['e', 'n', 'c', 'a'] })),
      apply('b', spec({ tags: ['d', 'm', 'b'] })),
    ],
  },
  {
    title: 'new items stand where the applied order puts them',
    steps: [create('c', spec({ tags: ['a', 'b', 'c'] })), apply('a', spec({ tags: ['x', 'a', 'y', 'c', 'z'] }))],
  },
  {
    title: 'keys that are absent take their default',
    steps: [
      create('c', spec({ ports: [tcp(80, { name: 'n' })] })),
      apply('a', spec({ ports: [{ port: 80, note: 'x' }] })),
    ],
  },
  {
    title: 'keyed lists within keyed lists',
    steps: [
      apply('a', spec({ ports: [tcp(80, { routes: [{ id: 'r', to: 'x' }] })] })),
      apply(
        'b',
        spec({
          ports: [
            tcp(80, {
              routes: [
                { id: 'r', to: 'y' },
                { id: 's', to: 'z' },
              ],
            }),
          ],
        }),
      ),
      force(
        'b',
        spec({
          ports: [
            tcp(80, {
              routes: [
                { id: 'r', to: 'y' },
                { id: 's', to: 'z' },
              ],
            }),
          ],
        }),
      ),
      apply('a', spec({})),
    ],
  },
  {
    title: 'the first apply finds an object without managed fields',
    steps: [
      create('c', spec({ replicas: 1, title: 't' })),
      patch('c', { metadata: { managedFields: [] } }),
      apply('a', spec({ replicas: 2 })),
      apply('a', spec({ replicas: 1 })),
    ],
  },
  {
    title: 'an updater and an applier of one name are two',
    steps: [create('a', spec({ replicas: 1 })), apply('a', spec({ replicas: 2 })), force('a', spec({ replicas: 2 }))],
  },
  {
    title: 'a forced apply takes nothing that it leaves as it is',
    steps: [create('c', spec({ replicas: 1, title: 't' })), force('a', spec({ replicas: 1 }))],
  },
  {
    title: 'unknown fields are applied by their form',
    steps: [
      apply(
        'a',
        spec({ anything: { a: 1, l: [{ name: 'x', v: 1 }], m: { k: 'v' } }, open: { known: 'k', extra: 'e' } }),
      ),
      apply('b', spec({ anything: { l: [{ name: 'y' }] } })),
      apply('a', spec({ anything: { m: { n: 'o' } }, open: { extra: 'f' } })),
    ],
  },
  {
    title: 'unknown fields change their form',
    steps: [
      apply('a', spec({ anything: { a: { b: 1 } } })),
      apply('a', spec({ anything: { a: 'x' } })),
      apply('a', spec({ anything: ['x'] })),
    ],
  },
  {
    title: 'int-or-string takes both',
    steps: [apply('a', spec({ size: 1 })), apply('a', spec({ size: '50%' })), apply('b', spec({ size: 2 }))],
  },
  {
    title: 'nulls are applied as values of nullable fields',
    steps: [
      apply('a', spec({ maybe: null, box: null, title: 't' })),
      apply('a', spec({ maybe: 'x', box: { held: 'y' }, title: 't' })),
    ],
  },
  {
    title: 'empty values are applied',
    steps: [
      apply('a', spec({ words: {}, tags: [], ports: [], args: [], pair: {}, title: '' })),
      apply('a', spec({ words: { a: '1' }, tags: ['x'], args: ['x'] })),
      apply('a', spec({ words: {}, tags: [], args: [] })),
    ],
  },
  {
    title: 'embedded objects have metadata',
    steps: [
      apply(
        'a',
        spec({
          template: {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { name: 'p', labels: { a: '1' }, finalizers: ['x.io/a'] },
            spec: { x: [1] },
          },
        }),
      ),
      apply(
        'b',
        spec({
          template: {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { name: 'p', labels: { b: '2' }, finalizers: ['x.io/b'] },
          },
        }),
      ),
    ],
  },
  {
    title: 'finalizers and owner references are applied',
    steps: [
      apply('a', {
        metadata: {
          finalizers: ['x.io/a'],
          ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u1' }],
        },
      }),
      apply('b', {
        metadata: {
          finalizers: ['x.io/b'],
          ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'p', uid: 'u1' }],
        },
      }),
      apply('a', { metadata: { finalizers: [] } }),
    ],
  },
  {
    title: 'status is applied through its subresource, and nothing else',
    steps: [
      create('c', spec({ replicas: 1 })),
      onStatus(
        apply('a', {
          metadata: { labels: { x: 'y' } },
          spec: { replicas: 9 },
          status: { phase: 'Up', conditions: [{ type: 'Ready', status: 'True' }] },
        }),
      ),
      onStatus(apply('b', { status: { conditions: [{ type: 'Done', status: 'False' }] } })),
      onStatus(apply('a', { status: { phase: 'Up' } })),
    ],
  },
  {
    title: 'status in an apply to the object is not owned',
    steps: [apply('a', { spec: { replicas: 1 }, status: { phase: 'Up' } })],
  },
  {
    title: 'an applier moves to another version',
    steps: [
      apply('a', spec({ replicas: 1, title: 't' })),
      inV2(apply('a', spec({ replicas: 2 }))),
      apply('b', spec({ replicas: 3 })),
      inV2(apply('b', spec({ flag: true }))),
    ],
  },
  {
    title: 'kubectl takes over what a client-side apply wrote',
    steps: [
      create('kubectl-client-side-apply', {
        metadata: { annotations: { [lastApplied]: thingJson('t', 'x') } },
        spec: { title: 't', replicas: 1 },
      }),
      apply('other', spec({ title: 'u' })),
      apply('kubectl', spec({ title: 'u' })),
      apply('kubectl', spec({ title: 'u', replicas: 2 })),
    ],
  },
  // Refused
  { title: 'a field that the schema lacks is refused', steps: [apply('a', spec({ replicas: 1, unknown: 2 }))] },
  { title: 'a string for a number is refused', steps: [apply('a', spec({ replicas: 'x' }))] },
  { title: 'a number for a string is refused', steps: [apply('a', spec({ title: 1 }))] },
  { title: 'a list for a string is refused', steps: [apply('a', spec({ title: ['a', 1, null, { b: true }] }))] },
  { title: 'a string for a boolean is refused', steps: [apply('a', spec({ flag: 'x' }))] },
  { title: 'a string for a map is refused', steps: [apply('a', spec({ words: 'x' }))] },
  { title: 'a map for a list is refused', steps: [apply('a', spec({ tags: { a: 1, b: [2.5, true] } }))] },
  { title: 'a map for an int-or-string is refused', steps: [apply('a', spec({ size: { a: 1 } }))] },
  { title: 'items with equal keys are refused', steps: [apply('a', spec({ ports: [tcp(80), { port: 80 }] }))] },
  { title: 'several errors within one list are listed', steps: [apply('a', spec({ numbers: [1, 1, 2, 2.5, 2] }))] },
  { title: 'equal values of a set are refused', steps: [apply('a', spec({ tags: ['a', 'a', 'b'] }))] },
  {
    title: 'an item without keys is refused',
    steps: [apply('a', spec({ ports: [tcp(80, { routes: [{ to: 'x' }] })] }))],
  },
  { title: 'items of the wrong form are refused', steps: [apply('a', spec({ ports: [null] }))] },
  { title: 'scalars in a keyed list are refused', steps: [apply('a', spec({ ports: [1] }))] },
  { title: 'maps in a set are refused', steps: [apply('a', spec({ tags: [{ a: 1 }] }))] },
  {
    title: 'managed fields in an apply are refused',
    steps: [
      apply('a', { metadata: { managedFields: [] } }),
      apply('a', {
        metadata: { managedFields: [{ manager: 'x', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1' }] },
      }),
    ],
  },
  // A kind of the server
  {
    title: 'a ConfigMap is updated',
    kind: 'ConfigMap',
    steps: [
      create('c', { data: { a: '1', b: '2' }, metadata: { labels: { x: 'y' } } }),
      patch('u', { data: { a: '3', c: '4' } }),
      patch('v', { data: null }),
    ],
  },
  {
    title: 'a ConfigMap is applied',
    kind: 'ConfigMap',
    steps: [
      apply('a', { data: { a: '1', b: '2' }, metadata: { labels: { x: 'y' } } }),
      apply('b', { data: { a: '2' } }),
      apply('b', { data: { a: '1', c: '3' } }),
      apply('a', { data: { b: '2' } }),
      apply('a', {}),
      apply('b', {}),
    ],
  },
  {
    title: 'an empty list of managed fields resets those of a ConfigMap, and later updates keep none',
    kind: 'ConfigMap',
    steps: [
      create('c', { data: { a: '1' } }),
      patch('u', { metadata: { managedFields: [] } }),
      patch('v', { data: { b: '2' } }),
      apply('a', { data: { a: '2' } }),
      force('a', { data: { a: '2' } }),
      patch('w', { data: { c: '3' } }),
    ],
  },
  {
    title: 'an entry of a ConfigMap in a version that is not served goes alone',
    kind: 'ConfigMap',
    steps: [
      create('c', { data: { a: '1' } }),
      patch('u', {
        metadata: {
          managedFields: [
            {
              manager: 'z',
              operation: 'Update',
              apiVersion: 'v0',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:a': {} } },
            },
            {
              manager: 'y',
              operation: 'Update',
              apiVersion: 'v1',
              time: '2020-01-01T00:00:00Z',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:a': {} } },
            },
          ],
        },
      }),
      patch('w', { data: { b: '2' } }),
      apply('a', { data: { a: '1' } }),
    ],
  },
  {
    title: 'unreadable managed fields are taken from the live object',
    kind: 'ConfigMap',
    steps: [
      create('c', { data: { a: '1' } }),
      patch('u', {
        metadata: { managedFields: [{ manager: 'z', operation: 'Frob', apiVersion: 'v1', fieldsType: 'FieldsV1' }] },
        data: { b: '2' },
      }),
    ],
  },
  {
    title: 'fields of unknown kinds in managed fields are passed over',
    kind: 'ConfigMap',
    steps: [
      create('c', { data: { a: '1' } }),
      patch('u', {
        metadata: {
          managedFields: [
            {
              manager: 'z',
              operation: 'Update',
              apiVersion: 'v1',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'x:a': {}, 'f:a': {} } },
            },
          ],
        },
      }),
    ],
  },
  {
    title: 'kubectl has only the conflicts that no client-side apply explains',
    kind: 'ConfigMap',
    steps: [
      create('kubectl-client-side-apply', {
        metadata: {
          annotations: { [lastApplied]: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } }) },
        },
        data: { a: '1', b: '1' },
      }),
      apply('kubectl', { data: { a: '2', b: '2' } }),
      force('kubectl', { data: { a: '2', b: '2' } }),
      apply('kubectl', { data: {} }),
    ],
  },
  {
    title: 'an update that empties what is atomic or keyed',
    steps: [
      create('c', spec({ args: ['a'], ports: [tcp(80)], tags: ['x'], limits: { cpu: '1' } })),
      patch('u', spec({ args: [], ports: [], tags: [], limits: {} })),
      patch('v', spec({ args: null, ports: null, tags: null, limits: null })),
    ],
  },
  {
    title: 'live duplicates in a set are owned as one',
    steps: [create('c', spec({ args: ['a', 'a'] })), apply('a', spec({ args: ['a', 'a'] }))],
  },
  {
    title: 'two appliers interleave keyed lists',
    steps: [
      apply('a', spec({ ports: [tcp(1), tcp(3), tcp(5)] })),
      apply('b', spec({ ports: [tcp(5), tcp(4), tcp(3), tcp(2)] })),
      apply('a', spec({ ports: [tcp(5), tcp(1)] })),
      apply('b', spec({ ports: [tcp(2), tcp(5)] })),
    ],
  },
  {
    title: 'an applier that sheds all of its fields vanishes',
    steps: [apply('a', spec({ replicas: 1 })), apply('b', spec({ title: 't' })), apply('a', {}), apply('b', {})],
  },
  {
    title: 'a null in a ConfigMap',
    kind: 'ConfigMap',
    steps: [apply('a', { data: { a: null, b: '2' } }), apply('a', { data: null })],
  },
  {
    title: 'a field that ConfigMaps lack is refused',
    kind: 'ConfigMap',
    steps: [apply('a', { data: { a: '1' }, more: 1 }), apply('a', { data: { a: 1 } }), apply('a', { immutable: 'x' })],
  },
  {
    title: 'sorting: appliers before updaters, then by time, then by name',
    kind: 'ConfigMap',
    steps: [
      create('zz', { data: { a: '1' } }),
      apply('b', { data: { b: '1' } }),
      apply('a', { data: { c: '1' } }),
      patch('aa', { data: { d: '1' } }),
      apply('b', { data: { b: '2' } }),
    ],
  },
  {
    title: 'kubectl keeps the annotation of a client-side apply up to date',
    kind: 'ConfigMap',
    steps: [
      create('kubectl-client-side-apply', {
        metadata: {
          annotations: { [lastApplied]: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } }) },
        },
        data: { a: '1' },
      }),
      apply('kubectl', { metadata: { annotations: { n: 'o' } }, data: { a: '2' } }),
    ],
  },
];
