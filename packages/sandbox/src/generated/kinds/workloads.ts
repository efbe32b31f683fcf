import fc from 'fast-check';
import { fields, labels, list, objects, oneOf } from '../arbitraries.ts';
import type { GeneratedKind, Prerequisite } from '../frame.ts';
import { mutated } from '../mutations.ts';

/**
 * One of the good values, and one of the bad ones now and then: a Pod has so many fields that
 * otherwise none would be accepted.
 */
const mostly = (good: readonly unknown[], ...bad: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 100, arbitrary: oneOf(...good) }, { weight: 1, arbitrary: oneOf(...bad) });

// Maps of several resources or node labels are validated in Go's random order: one key each.
const resources = fields(
  {},
  {
    limits: mostly(
      [{ cpu: '1' }, { memory: '1024Mi' }],
      { 'example.com/gpu': '1' },
      { cpu: '-1' },
      { cpu: 'x' },
      { gpu: '1' },
    ),
    requests: mostly(
      [{ cpu: '500m' }, { memory: '1Gi' }, { 'ephemeral-storage': '1G' }],
      { cpu: '2' },
      { 'example.com/gpu': '2' },
    ),
  },
);
const port = mostly([80, 'http'], 0, 70_000, 'A');
const handler = fc.oneof(
  {
    weight: 10,
    arbitrary: fields({
      httpGet: fields({ port }, { path: oneOf('/', ''), scheme: mostly(['HTTP', 'HTTPS'], 'ftp') }),
    }),
  },
  { weight: 10, arbitrary: fields({ tcpSocket: fields({ port }) }) },
  { weight: 10, arbitrary: fc.constant({ exec: { command: ['true'] } }) },
  { weight: 1, arbitrary: oneOf<object>({}, { exec: {} }, { exec: { command: ['a'] }, tcpSocket: { port: 1 } }) },
);
const timing = fields(
  {},
  {
    periodSeconds: mostly([5, 0], -1),
    successThreshold: mostly([1], 2),
    failureThreshold: oneOf(1, 3),
    timeoutSeconds: oneOf(1, 2),
    initialDelaySeconds: mostly([0, 3], -1),
  },
);
const probe = fc.record({ handler, timing }).map((parts) => ({ ...parts.handler, ...parts.timing }));
const source = mostly(
  [
    { fieldRef: { fieldPath: 'metadata.name' } },
    { fieldRef: { fieldPath: 'status.podIP', apiVersion: 'v1' } },
    { configMapKeyRef: { name: 'm', key: 'k' } },
    { resourceFieldRef: { resource: 'limits.cpu' } },
  ],
  { fieldRef: { fieldPath: 'spec.none' } },
  { secretKeyRef: { name: 'S', key: '' } },
  {},
);
const envName = mostly(['A', 'a.b'], '', 'A=B');
const env = fc.oneof(
  { weight: 10, arbitrary: fields({ name: envName }, { value: oneOf('x', '') }) },
  { weight: 10, arbitrary: fields({ name: envName, valueFrom: source }) },
  { weight: 1, arbitrary: fields({ name: envName, value: oneOf('x'), valueFrom: source }) },
);
const container = (name: fc.Arbitrary<unknown>, probes: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fields(
    { name, image: mostly(['nginx', 'nginx:1.27', `r.example:5000/a/b@sha256:${'a'.repeat(64)}`], '', ' x') },
    {
      command: oneOf<unknown>(['sh', '-c', 'true'], []),
      ports: list(
        fields(
          { containerPort: mostly([80, 8080], 0, 65_536) },
          {
            name: mostly(['http'], 'A', 'x'.repeat(16)),
            protocol: mostly(['TCP', 'UDP'], 'HTTP'),
            hostPort: mostly([8000], -1),
          },
        ),
        1,
      ),
      env: list(env, 2),
      resources,
      volumeMounts: list(
        fields(
          { name: mostly(['data'], 'gone'), mountPath: mostly(['/a', '/b'], '') },
          { readOnly: fc.boolean(), subPath: mostly(['x'], '../x', '/x') },
        ),
        1,
      ),
      ...probes,
      imagePullPolicy: mostly(['Always', 'Never'], 'Sometimes'),
      terminationMessagePolicy: mostly(['File', 'FallbackToLogsOnError'], 'x'),
      securityContext: fields(
        {},
        { runAsUser: mostly([0, 1000], -1), runAsNonRoot: fc.boolean(), readOnlyRootFilesystem: fc.boolean() },
      ),
    },
  );
const volume = fc.oneof(
  ...[
    mostly([{ emptyDir: {} }, { emptyDir: { sizeLimit: '1024Mi' } }, { emptyDir: { medium: 'Memory' } }, {}], {
      emptyDir: {},
      secret: { secretName: 's' },
    }),
    mostly(
      [{ configMap: { name: 'm' } }],
      { configMap: { name: 'm', items: [{ key: 'k', path: '../x' }] } },
      { configMap: {} },
    ),
    mostly([{ secret: { secretName: 's', defaultMode: 256 } }], { secret: { secretName: 's', defaultMode: 512 } }),
    mostly([{ hostPath: { path: '/x', type: 'Directory' } }, { hostPath: { path: '/x' } }], {
      hostPath: { path: '/../x' },
    }),
    mostly(
      [
        { projected: { sources: [{ configMap: { name: 'm' } }] } },
        {
          projected: {
            sources: [{ downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } }],
          },
        },
      ],
      { projected: { sources: [{ secret: {} }] } },
    ),
  ].map((arbitrary) => arbitrary as fc.Arbitrary<object>),
);
/** The first is the one that is mounted. */
const volumes = fc.tuple(volume, volume, mostly(['more'], 'data', 'A')).map(([first, second, name]) => [
  { name: 'data', ...first },
  { name, ...second },
]);
const toleration = fields(
  {
    key: mostly(['node.kubernetes.io/not-ready', 'a'], 'a b', ''),
    effect: mostly(['NoExecute'], 'NoSchedule', 'None'),
  },
  {
    operator: mostly(['Equal'], 'Near', 'Exists'),
    value: mostly(['x'], 'x y'),
    tolerationSeconds: oneOf(5, -1),
  },
);
/** One or two, of different names. */
const containers = (name: string, probes: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc
    .tuple(
      container(mostly([name], 'C', 'c-1', ''), probes),
      fc.option(container(oneOf(`${name}-1`), probes), { nil: undefined }),
    )
    .map((some) => some.filter((one) => one !== undefined));
const podSpec = fields(
  { containers: containers('c', { readinessProbe: probe, livenessProbe: probe }), volumes },
  {
    initContainers: containers('i', {}),
    restartPolicy: mostly(['Always'], 'Never', 'x'),
    terminationGracePeriodSeconds: oneOf(0, 30, -1),
    dnsPolicy: mostly(['ClusterFirst', 'Default'], 'None', 'x'),
    nodeSelector: mostly([{ disk: 'ssd' }], { 'a b': 'c' }),
    serviceAccountName: fc.constant('default'),
    nodeName: mostly(['node-1'], 'Node'),
    hostNetwork: mostly([false], true),
    hostname: mostly(['h'], 'H'),
    subdomain: mostly(['s'], 's.t'),
    tolerations: list(toleration, 2),
    securityContext: fields({}, { fsGroup: mostly([5], -1), runAsUser: mostly([1], -1) }),
    topologySpreadConstraints: list(
      fields({
        maxSkew: mostly([1], 0),
        topologyKey: mostly(['zone'], ''),
        whenUnsatisfiable: mostly(['DoNotSchedule'], 'x'),
      }),
      1,
    ),
    priorityClassName: oneOf('system-node-critical', ''),

    automountServiceAccountToken: fc.boolean(),
    enableServiceLinks: fc.boolean(),
    shareProcessNamespace: fc.boolean(),
  },
);
const template = fields(
  { spec: podSpec, metadata: mostly([{ labels: { app: 'a' } }], { labels: { app: 'b' } }, {}) },
  {},
);
const selector = mostly(
  [{ matchLabels: { app: 'a' } }, { matchExpressions: [{ key: 'app', operator: 'Exists' }] }],
  { matchExpressions: [{ key: 'app', operator: 'Near' }] },
  {},
);
/** Each kind knows other types and other numbers. */
const strategyOf = (types: readonly string[], rolling: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.oneof(
    { weight: 8, arbitrary: fields({ rollingUpdate: fields({}, rolling) }, { type: oneOf('RollingUpdate') }) },
    { weight: 2, arbitrary: fields({ type: mostly(types, 'Sideways') }) },
    { weight: 1, arbitrary: fields({ type: oneOf(...types), rollingUpdate: fields({}, rolling) }) },
  );
const amount = mostly([1, '25%'], 0, '150%', 'x', -1);
const shared = { minReadySeconds: mostly([0, 5], -1), revisionHistoryLimit: mostly([3], -1) };
const replicas = mostly([0, 3], -1);

const account: readonly Prerequisite[] = [
  { path: '/api/v1/namespaces/generated-pods/serviceaccounts', object: { metadata: { name: 'default' } } },
];
const keep = { keep: ['metadata', 'spec.topologySpreadConstraints'] };

const workload = (kind: string, plural: string, spec: fc.Arbitrary<Record<string, unknown>>): GeneratedKind => ({
  name: plural,
  path: (namespace) => `/apis/apps/v1/namespaces/${namespace}/${plural}`,
  // An error distinguishes an empty map from an absent one; after decoding both are the same.
  objects: mutated(objects('apps/v1', kind, fields({ spec })), {
    keep: ['metadata', 'spec.template.metadata', 'spec.template.spec.topologySpreadConstraints'],
  }),
  count: 100,
});

const meta = fields({ name: oneOf('a', 'a.b') }, { labels });

/**
 * The kinds that are Pods and that make Pods, within the fields of docs/sandbox/workload-fields.md.
 */
export const workloads: readonly GeneratedKind[] = [
  {
    name: 'pods',
    path: (namespace) => `/api/v1/namespaces/${namespace}/pods`,
    objects: mutated(objects('v1', 'Pod', fields({ spec: podSpec }), meta), keep),
    count: 100,
    needs: account,
  },
  workload(
    'Deployment',
    'deployments',
    fields(
      { selector, template },
      {
        ...shared,
        replicas,
        strategy: strategyOf(['Recreate'], { maxUnavailable: amount, maxSurge: amount }),
        paused: fc.boolean(),
        progressDeadlineSeconds: mostly([600], 3),
      },
    ),
  ),
  workload(
    'ReplicaSet',
    'replicasets',
    fields({ selector, template }, { minReadySeconds: shared.minReadySeconds, replicas }),
  ),
  workload(
    'StatefulSet',
    'statefulsets',
    fields(
      { selector, template },
      {
        ...shared,
        replicas,
        serviceName: mostly(['s'], 'S'),
        podManagementPolicy: mostly(['Parallel'], 'x'),
        updateStrategy: strategyOf(['OnDelete'], { partition: mostly([1], -1), maxUnavailable: amount }),
      },
    ),
  ),
  workload(
    'DaemonSet',
    'daemonsets',
    fields({ selector, template }, { ...shared, updateStrategy: strategyOf(['OnDelete'], { maxUnavailable: amount }) }),
  ),
];
