import type { Json } from '@isthmus/schema';

type Members = Readonly<Record<string, Json>>;

/** A container with all that the API server would fill in. */
const container = (name: string, more: Members = {}): Members => ({
  name,
  image: `example.com/${name}:1`,
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
  ...more,
});

const env = (name: string): Members => ({ name, value: name.toLowerCase() });
const mount = (mountPath: string, name: string): Members => ({ mountPath, name });
const port = (containerPort: number, more: Members = {}): Members => ({ containerPort, protocol: 'TCP', ...more });
const servicePort = (port: number, more: Members = {}): Members => ({
  name: `p${port}`,
  port,
  protocol: 'TCP',
  targetPort: port,
  ...more,
});

/** The patched objects, by kind. */
export const strategicObjects: Readonly<Record<'Deployment' | 'Service', Members>> = {
  Deployment: {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'patched',
      labels: { a: '1', b: '2' },
      annotations: { note: 'x' },
      finalizers: ['x.io/a', 'x.io/b', 'x.io/c'],
    },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'patched' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: '25%' } },
      template: {
        metadata: { labels: { app: 'patched' } },
        spec: {
          containers: [
            container('one', {
              args: ['x', 'y'],
              env: [env('A'), env('B'), env('C')],
              ports: [port(80), port(81, { name: 'http' })],
              volumeMounts: [mount('/a', 'empty'), mount('/b', 'config')],
              resources: { limits: { cpu: '1', memory: '1Gi' } },
            }),
            container('two'),
            container('three', { command: ['run'] }),
          ],
          volumes: [
            { name: 'empty', emptyDir: {} },
            { name: 'config', configMap: { name: 'c', defaultMode: 420 } },
          ],
          imagePullSecrets: [{ name: 's' }, { name: 't' }],
          tolerations: [{ key: 'k', operator: 'Exists' }],
          hostAliases: [{ ip: '10.0.0.1', hostnames: ['h'] }],
          nodeSelector: { zone: 'z', disk: 'd' },
        },
      },
    },
  },
  Service: {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'patched', labels: { a: '1' } },
    spec: { selector: { app: 'x', tier: 'y' }, ports: [servicePort(80), servicePort(81), servicePort(82)] },
  },
};

const pod = (spec: Members): Members => ({ spec: { template: { spec } } });
const one = (more: Members): Members => pod({ containers: [{ name: 'one', ...more }] });

export const strategicCases: readonly (readonly ['Deployment' | 'Service', string, Json])[] = [
  ['Deployment', 'a scalar', { spec: { replicas: 3 } }],
  ['Deployment', 'nothing', {}],
  ['Deployment', 'null', null],
  ['Deployment', 'a list', []],
  ['Deployment', 'a number', 3],
  ['Deployment', 'a string', 'x'],
  ['Deployment', 'true', true],
  ['Deployment', 'labels are merged', { metadata: { labels: { b: '3', c: '4' } } }],
  ['Deployment', 'null removes a label', { metadata: { labels: { a: null } } }],
  ['Deployment', 'null removes what is not there', { metadata: { labels: { z: null } } }],
  ['Deployment', 'null removes the map', { metadata: { annotations: null } }],
  ['Deployment', 'an empty map changes nothing', { metadata: { labels: {} } }],
  ['Deployment', '$patch replaces a map', { metadata: { labels: { $patch: 'replace', z: '9' } } }],
  ['Deployment', '$patch deletes a map', { metadata: { annotations: { $patch: 'delete', z: '9' } } }],
  ['Deployment', '$patch merge in a map is refused', { metadata: { labels: { $patch: 'merge', z: '9' } } }],
  ['Deployment', 'an unknown $patch in a map is refused', { metadata: { labels: { z: '9', $patch: 'frob', b: '2' } } }],
  ['Deployment', 'a $patch that is a number is refused', { metadata: { labels: { $patch: 3 } } }],
  ['Deployment', 'a $patch that is true is refused', { metadata: { labels: { $patch: true } } }],
  ['Deployment', 'finalizers are merged as a set', { metadata: { finalizers: ['x.io/d', 'x.io/b'] } }],
  [
    'Deployment',
    'finalizers are removed by directive',
    { metadata: { '$deleteFromPrimitiveList/finalizers': ['x.io/b', 'x.io/z'] } },
  ],
  [
    'Deployment',
    'finalizers are ordered by directive',
    { metadata: { '$setElementOrder/finalizers': ['x.io/c', 'x.io/a'] } },
  ],
  [
    'Deployment',
    'finalizers as kubectl changes them',
    {
      metadata: {
        '$deleteFromPrimitiveList/finalizers': ['x.io/a'],
        '$setElementOrder/finalizers': ['x.io/d', 'x.io/c', 'x.io/b'],
        finalizers: ['x.io/d'],
      },
    },
  ],
  ['Deployment', 'removing from a list that is not there', pod({ '$deleteFromPrimitiveList/nothing': ['a'] })],
  ['Deployment', 'removing what is no list', { metadata: { '$deleteFromPrimitiveList/finalizers': 'x.io/a' } }],
  ['Deployment', 'removing null', { metadata: { '$deleteFromPrimitiveList/finalizers': null } }],
  ['Deployment', 'removing without a field', { metadata: { $deleteFromPrimitiveList: ['x.io/a'] } }],
  ['Deployment', 'removing numbers from strings', { metadata: { '$deleteFromPrimitiveList/finalizers': [1] } }],
  ['Deployment', 'a container is merged by name', one({ image: 'example.com/other:2' })],
  ['Deployment', 'a new container comes first', pod({ containers: [container('four')] })],
  [
    'Deployment',
    'containers take the order of the patch',
    pod({ containers: [{ name: 'three' }, container('four'), { name: 'one' }] }),
  ],
  ['Deployment', 'live containers keep their places between', pod({ containers: [{ name: 'three', image: 'i' }] })],
  ['Deployment', 'a container is deleted', pod({ containers: [{ name: 'two', $patch: 'delete' }] })],
  ['Deployment', 'a container that is not there is deleted', pod({ containers: [{ name: 'nine', $patch: 'delete' }] })],
  [
    'Deployment',
    'a container is deleted, another added',
    pod({ containers: [{ name: 'two', $patch: 'delete' }, container('four'), { name: 'three', image: 'i' }] }),
  ],
  [
    'Deployment',
    'containers are replaced',
    pod({ containers: [{ $patch: 'replace' }, container('four'), container('five')] }),
  ],
  [
    'Deployment',
    'a container that replaces itself replaces all',
    pod({ containers: [{ $patch: 'replace', name: 'one' }, container('four')] }),
  ],
  ['Deployment', 'a delete without a name is refused', pod({ containers: [{ $patch: 'delete', image: 'x' }] })],
  ['Deployment', 'merge among items is refused', pod({ containers: [{ $patch: 'merge', name: 'one' }] })],
  [
    'Deployment',
    'an unknown $patch among items is refused',
    pod({ containers: [{ $patch: 'frob', name: 'one', args: ['a', 1] }] }),
  ],
  [
    'Deployment',
    'an item without a name is refused',
    pod({ containers: [{ image: 'x', ports: [{ containerPort: 1.5 }] }] }),
  ],
  ['Deployment', 'items of different types are refused', pod({ containers: [{ name: 'one' }, 'x', null] })],
  ['Deployment', 'strings for containers are refused', pod({ containers: ['one'] })],
  ['Deployment', 'lists of lists are refused', pod({ containers: [[{ name: 'one' }]] })],
  ['Deployment', 'a string for a list takes its place, and is refused by the decoder', pod({ containers: 'x' })],
  ['Deployment', 'args are replaced', one({ args: ['z'] })],
  ['Deployment', 'args are removed', one({ args: null })],
  ['Deployment', 'env is merged by name', one({ env: [env('D'), { name: 'B', value: 'new' }] })],
  ['Deployment', 'env loses one', one({ env: [{ name: 'A', $patch: 'delete' }] })],
  [
    'Deployment',
    'env changes its source',
    one({
      env: [{ name: 'A', value: null, valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }],
    }),
  ],
  [
    'Deployment',
    'env is ordered by directive',
    one({ '$setElementOrder/env': [{ name: 'C' }, { name: 'A' }], env: [{ name: 'C', value: 'c2' }] }),
  ],
  ['Deployment', 'ports are merged by number', one({ ports: [port(81, { name: 'web' }), port(90)] })],
  [
    'Deployment',
    'mounts are merged by path',
    one({ volumeMounts: [mount('/c', 'empty'), { mountPath: '/a', readOnly: true }] }),
  ],
  [
    'Deployment',
    'limits are merged',
    one({ resources: { limits: { cpu: '2', memory: null }, requests: { cpu: '1' } } }),
  ],
  [
    'Deployment',
    'an order of containers',
    pod({ '$setElementOrder/containers': [{ name: 'three' }, { name: 'two' }, { name: 'one' }] }),
  ],
  [
    'Deployment',
    'an order of some containers',
    pod({ '$setElementOrder/containers': [{ name: 'three' }, { name: 'one' }] }),
  ],
  [
    'Deployment',
    'an order with what is not there',
    pod({ '$setElementOrder/containers': [{ name: 'three' }, { name: 'nine' }, { name: 'one' }] }),
  ],
  [
    'Deployment',
    'an order and an addition, as kubectl sends them',
    pod({
      '$setElementOrder/containers': [{ name: 'one' }, { name: 'four' }, { name: 'two' }],
      containers: [container('four'), { name: 'three', $patch: 'delete' }],
    }),
  ],
  [
    'Deployment',
    'what is added takes the place of what is deleted, before live items that the order does not name',
    pod({
      '$setElementOrder/containers': [{ name: 'five' }, { name: 'four' }],
      containers: [container('five'), container('four'), { name: 'one', $patch: 'delete' }],
    }),
  ],
  [
    'Deployment',
    'a replacement at the end of an order is refused',
    pod({
      '$setElementOrder/containers': [{ name: 'one' }],
      containers: [{ name: 'one', image: 'i' }, { $patch: 'replace' }],
    }),
  ],
  [
    'Deployment',
    'a replacement within an order',
    pod({
      '$setElementOrder/containers': [{ name: 'one' }, { name: 'two' }],
      containers: [{ $patch: 'replace' }, container('two')],
    }),
  ],
  [
    'Deployment',
    'a patch against its order is refused',
    pod({
      '$setElementOrder/containers': [{ name: 'one' }, { name: 'two' }],
      containers: [
        { name: 'two', image: 'i' },
        { name: 'one', image: 'i' },
      ],
    }),
  ],
  [
    'Deployment',
    'an order without the patched is refused',
    pod({ '$setElementOrder/containers': [{ name: 'one' }], containers: [{ name: 'two', image: 'i' }] }),
  ],
  ['Deployment', 'an order without names is refused', pod({ '$setElementOrder/containers': [{ image: 'one' }] })],
  ['Deployment', 'an order of strings is refused', pod({ '$setElementOrder/containers': ['one'] })],
  ['Deployment', 'an order that is no list is refused', pod({ '$setElementOrder/containers': 'one' })],
  ['Deployment', 'an order that is null is refused', pod({ '$setElementOrder/containers': null })],
  ['Deployment', 'an order without a field is refused', pod({ $setElementOrder: [] })],
  ['Deployment', 'an order of an unknown field is refused', pod({ '$setElementOrder/nothing': [] })],
  ['Deployment', 'an order of what is not there', pod({ '$setElementOrder/initContainers': [{ name: 'x' }] })],
  [
    'Deployment',
    'an order of what the patch brings',
    pod({
      '$setElementOrder/initContainers': [{ name: 'y' }, { name: 'x' }],
      initContainers: [container('y'), container('x'), { name: 'z', $patch: 'delete' }],
    }),
  ],
  [
    'Deployment',
    'a new list with a deletion',
    pod({ initContainers: [container('y'), { name: 'z', $patch: 'delete' }] }),
  ],
  [
    'Deployment',
    'the strategy changes with $retainKeys',
    { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
  ],
  ['Deployment', 'the strategy changes with nulls', { spec: { strategy: { type: 'Recreate', rollingUpdate: null } } }],
  [
    'Deployment',
    '$retainKeys keeps what it lists',
    { spec: { strategy: { $retainKeys: ['type', 'rollingUpdate'], rollingUpdate: { maxSurge: 2 } } } },
  ],
  [
    'Deployment',
    '$retainKeys must list what is patched',
    { spec: { strategy: { $retainKeys: ['type'], rollingUpdate: { maxSurge: 2 } } } },
  ],
  [
    'Deployment',
    '$retainKeys need not list what is removed',
    { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate', rollingUpdate: null } } },
  ],
  ['Deployment', '$retainKeys must be a list', { spec: { strategy: { $retainKeys: 'type', type: 'Recreate' } } }],
  [
    'Deployment',
    'a volume changes its source with $retainKeys',
    pod({
      volumes: [{ name: 'empty', $retainKeys: ['name', 'configMap'], configMap: { name: 'd', defaultMode: 420 } }],
    }),
  ],
  ['Deployment', '$retainKeys works anywhere', { metadata: { labels: { $retainKeys: ['a'], a: '5' } } }],
  ['Deployment', 'pull secrets', pod({ imagePullSecrets: [{ name: 'u' }, { name: 's', $patch: 'delete' }] })],
  [
    'Deployment',
    'tolerations are replaced',
    pod({ tolerations: [{ key: 'l', operator: 'Exists', effect: 'NoSchedule' }] }),
  ],
  ['Deployment', 'tolerations are emptied', pod({ tolerations: [] })],
  [
    'Deployment',
    'host aliases are merged, their names replaced',
    pod({
      hostAliases: [
        { ip: '10.0.0.1', hostnames: ['i'] },
        { ip: '10.0.0.2', hostnames: ['j'] },
      ],
    }),
  ],
  ['Deployment', 'a map within a map', pod({ nodeSelector: { zone: null, arch: 'x' } })],
  ['Deployment', 'a merged list with an empty patch', pod({ containers: [] })],
  [
    'Deployment',
    'an int-or-string changes its type',
    { spec: { strategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: '30%' } } } },
  ],
  ['Deployment', 'unknown fields are for the decoder', { spec: { nothing: 1 } }],
  ['Deployment', 'a map where a scalar is', { spec: { replicas: { $patch: 'delete' } } }],
  ['Deployment', 'null in a list of scalars is refused by the decoder, if anyone', one({ args: ['x', null] })],
  ['Service', 'a port is merged by number', { spec: { ports: [{ port: 81, targetPort: 'web' }] } }],
  ['Service', 'a new port comes first', { spec: { ports: [servicePort(90)] } }],
  ['Service', 'a port is deleted', { spec: { ports: [{ port: 80, $patch: 'delete' }] } }],
  ['Service', 'ports are replaced', { spec: { ports: [{ $patch: 'replace' }, servicePort(90)] } }],
  [
    'Service',
    'ports are ordered',
    { spec: { '$setElementOrder/ports': [{ port: 82 }, { port: 90 }, { port: 80 }], ports: [servicePort(90)] } },
  ],
  ['Service', 'the selector is replaced', { spec: { selector: { $patch: 'replace', app: 'z' } } }],
  [
    'Service',
    'owners are merged by uid',
    { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' }] } },
  ],
];

/** The cases whose patch applies, with a result that cannot be decoded or is not valid. */
export const decoderRefusals: ReadonlySet<string> = new Set([
  'a string for a list takes its place, and is refused by the decoder',
]);
