import type { CaseApi, Json } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

const past = '2020-01-01T00:00:00Z';
const pastMicro = '2020-01-01T00:00:00.000000Z';
const rbac = 'apis/rbac.authorization.k8s.io/v1';

/** The output of `kubectl get`: columns and cells. */
export const tables = contractArea('tables', [
  {
    title: 'a Table of a list has the columns, and a row per object with its metadata',
    async run(api) {
      const path = await configMaps(api, ['a', 'b']);
      await api.get(path, { headers: asTable, query: { labelSelector: 'n' } });
    },
  },
  {
    title: 'a Table of one object has one row',
    async run(api) {
      const path = await configMaps(api, ['a']);
      await api.get(`${path}/a`, { headers: asTable });
    },
  },
  {
    title: 'an empty list is a Table without rows',
    async run(api) {
      await api.get(`/api/v1/namespaces/${api.namespace}/secrets`, { headers: asTable });
    },
  },
  {
    title: 'a row holds no object, its metadata, or the whole',
    async run(api) {
      const path = await configMaps(api, ['a']);
      for (const includeObject of ['None', 'Metadata', 'Object', 'Everything']) {
        await api.get(`${path}/a`, { headers: asTable, query: { includeObject } });
      }
    },
  },
  {
    title: 'a page of a Table says how to go on',
    async run(api) {
      const path = await configMaps(api, ['a', 'b', 'c']);
      await api.get(path, { headers: asTable, query: { labelSelector: 'n', limit: '2', includeObject: 'None' } });
    },
  },
  {
    title: 'a watch tells the columns with its first event alone',
    async run(api) {
      const path = await configMaps(api, ['a', 'b']);
      const watch = await api.watch(path, { headers: asTable, query: { labelSelector: 'n', includeObject: 'None' } });
      await watch.until(2);
      await api.quietly.patch(`${path}/b`, 'merge', { data: { more: 'x' } });
      await watch.until(3);
      await api.quietly.delete(`${path}/a`);
      await watch.until(4);
      await watch.close();
    },
  },
  {
    title: 'a created object comes back as a Table, a missing one as a Status',
    async run(api) {
      const path = `/api/v1/namespaces/${api.namespace}/configmaps`;
      await api.post(
        path,
        { metadata: { name: 'a' }, data: { x: '1', y: '2' }, binaryData: { z: 'AA==' } },
        { headers: asTable },
      );
      await api.get(`${path}/none`, { headers: asTable });
    },
  },
  {
    title: 'a deleted object comes back as a Status, also where a Table is asked for',
    async run(api) {
      const path = await configMaps(api, ['a']);
      await api.delete(`${path}/a`, { headers: asTable });
    },
  },
  {
    title: 'Secrets show their type and how much they hold',
    run: (api) =>
      show(api, 'secrets', [
        { metadata: { name: 'a' } },
        { metadata: { name: 'b' }, type: 'example.com/own', stringData: { x: '1', y: '2' } },
      ]),
  },
  {
    title: 'Namespaces show their phase',
    async run(api) {
      await noteTable(api, `/api/v1/namespaces/${api.namespace}`);
      await noteTable(api, '/api/v1/namespaces', { fieldSelector: `metadata.name=${api.namespace}` });
    },
  },
  {
    title: 'ServiceAccounts show their age',
    run: (api) => show(api, 'serviceaccounts', [{ metadata: { name: 'a' } }]),
  },
  {
    title: 'Leases show their holder',
    run: (api) =>
      show(api, 'leases', [{ metadata: { name: 'a' } }, { metadata: { name: 'b' }, spec: { holderIdentity: 'me' } }], {
        root: 'apis/coordination.k8s.io/v1',
      }),
  },
  {
    title: 'Services of every type show where they are reached',
    async run(api) {
      const port = { name: 'http', port: 80 };
      await show(api, 'services', [
        {
          metadata: { name: 'cluster' },
          spec: {
            clusterIP: 'None',
            selector: { b: '2', a: '1' },
            ports: [port, { name: 'dns', port: 53, protocol: 'UDP' }],
          },
        },
        { metadata: { name: 'external' }, spec: { type: 'ExternalName', externalName: 'example.com' } },
        { metadata: { name: 'headless' }, spec: { clusterIP: 'None' } },
        {
          metadata: { name: 'ips' },
          spec: { clusterIP: 'None', externalIPs: ['192.0.2.1', '192.0.2.2'], ports: [port] },
        },
      ]);
    },
  },
  {
    title: 'load balancers are pending until they have an address',
    async run(api) {
      const path = `/api/v1/namespaces/${api.namespace}/services`;
      const spec = { type: 'LoadBalancer', ports: [{ port: 80 }] };
      await api.quietly.post(path, { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec });
      await noteTable(api, `${path}/a`, {}, hideAddresses);
      const { body } = await api.quietly.get(`${path}/a`);
      const ingress = [{ hostname: 'lb.example.com' }, { ip: '192.0.2.9' }, { ip: '192.0.2.10' }];
      await api.quietly.put(`${path}/a/status`, { ...body, status: { loadBalancer: { ingress } } });
      await noteTable(api, `${path}/a`, {}, hideAddresses);
      await api.quietly.patch(`${path}/a`, 'merge', { spec: { externalIPs: ['192.0.2.77'] } });
      await noteTable(api, `${path}/a`, {}, hideAddresses);
    },
  },
  {
    title: 'Endpoints show three addresses and how many more there are',
    run: (api) =>
      show(api, 'endpoints', [
        {
          metadata: { name: 'few' },
          subsets: [
            {
              addresses: [{ ip: '192.0.2.1' }],
              ports: [
                { name: 'a', port: 80 },
                { name: 'b', port: 81 },
              ],
            },
          ],
        },
        {
          metadata: { name: 'many' },
          subsets: [{ addresses: ['1', '2', '3', '4'].map((n) => ({ ip: `192.0.2.${n}` })), ports: [{ port: 80 }] }],
        },
        { metadata: { name: 'none' } },
        {
          metadata: { name: 'notready' },
          subsets: [{ notReadyAddresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }],
        },
        { metadata: { name: 'portless' }, subsets: [{ addresses: [{ ip: '192.0.2.1' }, { ip: '2001:db8::1' }] }] },
        { metadata: { name: 'six' }, subsets: [{ addresses: [{ ip: '2001:db8::1' }], ports: [{ port: 443 }] }] },
      ]),
  },
  {
    title: 'EndpointSlices show their type, ports and addresses',
    run: (api) =>
      show(
        api,
        'endpointslices',
        [
          { metadata: { name: 'empty' }, addressType: 'IPv4', endpoints: [] },
          {
            metadata: { name: 'many' },
            addressType: 'IPv4',
            ports: ['a', 'b', 'c', 'd'].map((name, i) => ({ name, port: 80 + i })),
            endpoints: ['1', '2', '3', '4', '5'].map((n) => ({ addresses: [`192.0.2.${n}`] })),
          },
          {
            metadata: { name: 'named' },
            addressType: 'IPv6',
            ports: [{ name: 'any' }, { port: 53, protocol: 'UDP' }],
            endpoints: [{ addresses: ['2001:db8::1'] }],
          },
        ],
        { root: 'apis/discovery.k8s.io/v1' },
      ),
  },
  {
    title: 'Events show what happened to what, how often and since when',
    run: (api) =>
      show(api, 'events', [
        event(api, 'a', { firstTimestamp: null, message: ' padded ', reason: 'Odd' }),
        event(api, 'b', {
          involvedObject: { kind: 'Pod', name: 'p', namespace: api.namespace, fieldPath: 'spec.containers{c}' },
          source: { component: 'kubelet', host: 'n' },
          count: 7,
          firstTimestamp: past,
          lastTimestamp: past,
        }),
        event(api, 'c', {
          involvedObject: { kind: 'Service', namespace: api.namespace },
          eventTime: pastMicro,
          reportingComponent: 'example.com/x',
          reportingInstance: 'x-1',
          action: 'Act',
          series: { count: 3, lastObservedTime: pastMicro },
        }),
      ]),
  },
  {
    title: 'Deployments show how many are ready, and with -o wide what they run',
    run: (api) =>
      workload(api, 'deployments', {
        replicas: 3,
        status: { replicas: 3, updatedReplicas: 2, readyReplicas: 1, availableReplicas: 1, unavailableReplicas: 2 },
      }),
  },
  {
    title: 'ReplicaSets show what is desired, there and ready',
    run: (api) => workload(api, 'replicasets', { replicas: 3, status: { replicas: 2, readyReplicas: 1 } }),
  },
  {
    title: 'StatefulSets show how many are ready',
    run: (api) =>
      workload(api, 'statefulsets', {
        replicas: 2,
        status: { replicas: 2, readyReplicas: 1, currentRevision: 'a', updateRevision: 'a' },
      }),
  },
  {
    title: 'DaemonSets show what is scheduled where',
    run: (api) =>
      workload(api, 'daemonsets', {
        status: {
          desiredNumberScheduled: 5,
          currentNumberScheduled: 4,
          numberMisscheduled: 0,
          numberReady: 3,
          updatedNumberScheduled: 2,
          numberAvailable: 1,
        },
      }),
  },
  {
    title: 'ControllerRevisions show whose they are',
    run: (api) =>
      show(
        api,
        'controllerrevisions',
        [
          { metadata: { name: 'a' }, revision: 3, data: {} },
          {
            metadata: {
              name: 'b',
              ownerReferences: [
                {
                  apiVersion: 'apps/v1',
                  kind: 'DaemonSet',
                  name: 'Own',
                  uid: '00000000-0000-0000-0000-000000000001',
                  controller: true,
                },
              ],
            },
            revision: 1,
            data: {},
          },
        ],
        { root: 'apis/apps/v1', query: { dryRun: 'All' } },
      ),
  },
  {
    title: 'Roles show when they were created',
    run: (api) => show(api, 'roles', [{ metadata: { name: 'a' }, rules: [] }], { root: rbac }),
  },
  {
    title: 'RoleBindings show the role and the subjects of each kind',
    run: (api) =>
      show(
        api,
        'rolebindings',
        [
          {
            metadata: { name: 'a' },
            roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
            subjects: [
              { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'u1' },
              { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'g1' },
              { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'u2' },
              { kind: 'ServiceAccount', name: 's', namespace: 'n' },
            ],
          },
          { metadata: { name: 'b' }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' } },
        ],
        { root: rbac },
      ),
  },
  {
    title: 'cluster-wide RBAC objects show the same as those of a Namespace',
    async run(api) {
      const name = api.namespace;
      const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules: [] };
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
      const binding = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name },
        roleRef,
      };
      for (const [plural, object] of [
        ['clusterroles', role],
        ['clusterrolebindings', binding],
      ] as const) {
        await api.quietly.post(`/${rbac}/${plural}`, object);
        await noteTable(api, `/${rbac}/${plural}/${name}`);
        await api.quietly.delete(`/${rbac}/${plural}/${name}`);
      }
    },
  },
  {
    title: 'webhook configurations show how many webhooks they have',
    async run(api) {
      for (const kind of ['Mutating', 'Validating']) {
        const path = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`;
        const type = { apiVersion: 'admissionregistration.k8s.io/v1', kind: `${kind}WebhookConfiguration` };
        await api.quietly.post(path, { ...type, metadata: { name: api.namespace }, webhooks: [] });
        await noteTable(api, `${path}/${api.namespace}`);
        await api.quietly.delete(`${path}/${api.namespace}`);
      }
    },
  },
  {
    title: 'a CustomResourceDefinition shows when it was created',
    async run(api) {
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      const group = `${api.namespace}.example.com`;
      const schema = { openAPIV3Schema: { type: 'object' } };
      const spec = {
        group,
        scope: 'Namespaced',
        names: { plural: 'lions', singular: 'lion', kind: 'Lion', listKind: 'LionList' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      };
      await api.quietly.post(path, {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `lions.${group}` },
        spec,
      });
      await noteTable(api, `${path}/lions.${group}`);
      await api.quietly.delete(`${path}/lions.${group}`);
    },
  },
  {
    title: 'Nodes show their condition, roles and machine',
    async run(api) {
      const path = '/api/v1/nodes';
      const name = api.namespace;
      const labels = {
        'node-role.kubernetes.io/worker': '',
        'node-role.kubernetes.io/edge': '',
        'kubernetes.io/role': 'old',
      };
      await api.quietly.post(path, { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } });
      await noteTable(api, `${path}/${name}`, {}, ([node, , ...rest]) => [node, 'STATUS', ...rest]);
      const { body } = await api.quietly.get(`${path}/${name}`);
      const nodeInfo = {
        kubeletVersion: 'v1.36.0',
        osImage: 'Debian',
        kernelVersion: '6.1',
        containerRuntimeVersion: 'containerd://2.0',
        architecture: 'arm64',
        operatingSystem: 'linux',
        bootID: '',
        machineID: '',
        systemUUID: '',
        kubeProxyVersion: '',
      };
      const addresses = [
        { type: 'Hostname', address: 'h' },
        { type: 'InternalIP', address: '192.0.2.1' },
        { type: 'ExternalIP', address: '198.51.100.1' },
      ];
      for (const status of ['True', 'False', 'Unknown']) {
        const conditions = [
          { type: 'MemoryPressure', status: 'False', lastHeartbeatTime: past, lastTransitionTime: past },
          { type: 'Ready', status, lastHeartbeatTime: past, lastTransitionTime: past },
        ];
        const { metadata } = body;
        const table = await api.quietly.put(
          `${path}/${name}/status`,
          {
            ...body,
            metadata: { ...metadata, resourceVersion: undefined },
            status: { nodeInfo, addresses, conditions },
          },
          { headers: asTable, query: { dryRun: 'All', includeObject: 'None' } },
        );
        api.note(`Ready is ${status}`, cellsOf(table.body));
      }
      await api.quietly.delete(`${path}/${name}`);
    },
  },
  ...podCases(),
]);

interface PodCase {
  readonly title: string;
  readonly spec?: object;
  readonly status: object;
}

function podCases(): readonly { readonly title: string; run(api: CaseApi): Promise<void> }[] {
  const running = { running: { startedAt: past } };
  const container = (name: string, more: object) => ({
    name,
    image: 'i',
    imageID: '',
    ready: false,
    restartCount: 0,
    ...more,
  });
  const ended = (exitCode: number, more: object = {}) => ({
    terminated: { exitCode, startedAt: past, finishedAt: past, ...more },
  });
  const init = {
    initContainers: [
      { name: 'i', image: 'i' },
      { name: 'j', image: 'i' },
    ],
  };
  const sidecar = { initContainers: [{ name: 'i', image: 'i', restartPolicy: 'Always' }] };
  const cases: readonly PodCase[] = [
    { title: 'a Pod that nobody has run yet is pending', status: { phase: 'Pending' } },
    {
      title: 'a running Pod shows its addresses and its restarts',
      status: {
        phase: 'Running',
        podIP: '192.0.2.5',
        podIPs: [{ ip: '192.0.2.5' }],
        nominatedNodeName: 'n',
        containerStatuses: [
          container('a', { ready: true, restartCount: 2, state: running, lastState: ended(1) }),
          container('b', { state: running }),
        ],
      },
    },
    {
      title: 'a container that waits gives the Pod its word',
      status: {
        phase: 'Pending',
        containerStatuses: [
          container('a', { ready: true, state: running }),
          container('b', { state: { waiting: { reason: 'ImagePullBackOff' } } }),
        ],
      },
    },
    {
      title: 'the first container that does not run wins',
      status: {
        phase: 'Running',
        containerStatuses: [
          container('a', { state: { waiting: { reason: 'CrashLoopBackOff' } } }),
          container('b', { state: { waiting: { reason: 'ErrImagePull' } } }),
        ],
      },
    },
    {
      title: 'a container that failed without a reason shows its exit code or its signal',
      status: {
        phase: 'Running',
        containerStatuses: [container('a', { ready: true, state: running }), container('b', { state: ended(3) })],
      },
    },
    {
      title: 'a signal goes before the exit code',
      status: { phase: 'Running', containerStatuses: [container('b', { state: ended(137, { signal: 9 }) })] },
    },
    {
      title: 'a Pod with a completed and a running container is running where it is ready',
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [
          container('a', { state: ended(0, { reason: 'Completed' }) }),
          container('b', { ready: true, state: running }),
        ],
      },
    },
    {
      title: 'and not ready where it is not',
      status: {
        phase: 'Running',
        containerStatuses: [
          container('a', { state: ended(0, { reason: 'Completed' }) }),
          container('b', { ready: true, state: running }),
        ],
      },
    },
    {
      title: 'a failure goes before a completion',
      status: {
        phase: 'Running',
        containerStatuses: [
          container('a', { state: ended(0, { reason: 'Completed' }) }),
          container('b', { state: ended(1, { reason: 'Error' }) }),
        ],
      },
    },
    {
      title: 'a Pod that succeeded says so in a condition of its row',
      status: { phase: 'Succeeded', containerStatuses: [container('a', { state: ended(0, { reason: 'Completed' }) })] },
    },
    { title: 'a Pod that failed says so in a condition of its row', status: { phase: 'Failed', reason: 'Evicted' } },
    {
      title: 'init containers are counted',
      spec: init,
      status: {
        phase: 'Pending',
        initContainerStatuses: [
          container('i', { state: ended(0, { reason: 'Completed' }) }),
          container('j', { state: { waiting: { reason: 'PodInitializing' } } }),
        ],
      },
    },
    {
      title: 'an init container that fails gives its reason',
      spec: init,
      status: {
        phase: 'Pending',
        initContainerStatuses: [container('i', { restartCount: 4, state: ended(1, { reason: 'Error' }) })],
      },
    },
    {
      title: 'an init container that fails without a reason gives its code',
      spec: init,
      status: { phase: 'Pending', initContainerStatuses: [container('i', { state: ended(2) })] },
    },
    {
      title: 'an init container that waits gives its reason',
      spec: init,
      status: {
        phase: 'Pending',
        initContainerStatuses: [
          container('i', { restartCount: 4, state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: ended(1) }),
        ],
      },
    },
    {
      title: 'a sidecar counts as a container',
      spec: sidecar,
      status: {
        phase: 'Running',
        initContainerStatuses: [
          container('i', { ready: true, started: true, restartCount: 1, state: running, lastState: ended(1) }),
        ],
        containerStatuses: [container('a', { ready: true, restartCount: 2, state: running })],
      },
    },
    {
      title: 'a sidecar that has not started holds the Pod back',
      spec: sidecar,
      status: { phase: 'Pending', initContainerStatuses: [container('i', { started: false, state: running })] },
    },
    {
      title: 'a Pod that may not be scheduled is gated',
      status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
    },
    {
      title: 'readiness gates are counted',
      spec: { readinessGates: [{ conditionType: 'example.com/a' }, { conditionType: 'example.com/b' }] },
      status: {
        phase: 'Running',
        conditions: [
          { type: 'example.com/a', status: 'True' },
          { type: 'example.com/b', status: 'False' },
        ],
      },
    },
  ];
  return cases.map(({ title, spec, status }) => ({
    title: `Pods: ${title}`,
    async run(api) {
      const root = `/api/v1/namespaces/${api.namespace}`;
      await api.quietly.post(`${root}/serviceaccounts`, { metadata: { name: 'pods' } });
      await api.quietly.post(`${root}/pods`, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p' },
        spec: {
          serviceAccountName: 'pods',
          automountServiceAccountToken: false,
          containers: [
            { name: 'a', image: 'i' },
            { name: 'b', image: 'i' },
          ],
          ...spec,
        },
      });
      const { body } = await api.quietly.get(`${root}/pods/p`);
      const { body: table } = await api.quietly.put(
        `${root}/pods/p/status`,
        { ...body, status },
        { headers: asTable, query: { dryRun: 'All', includeObject: 'None' } },
      );
      api.note('table', cellsOf(table));
      await api.quietly.delete(`${root}/pods/p`, { query: { gracePeriodSeconds: '0' } });
    },
  }));
}

interface ShowOptions {
  readonly root?: string;
  readonly query?: Readonly<Record<string, string>>;
}

/** Creates objects of one kind and notes them as a Table, or one by one if they are not stored. */
async function show(
  api: CaseApi,
  plural: string,
  objects: readonly object[],
  { root = 'api/v1', query = {} }: ShowOptions = {},
): Promise<void> {
  const path = `/${root}/namespaces/${api.namespace}/${plural}`;
  for (const object of objects) {
    const { metadata } = object as { metadata: object };
    const labelled = { ...object, metadata: { ...metadata, labels: { shown: '' } } };
    const { body } = await api.quietly.post(path, labelled, {
      headers: asTable,
      query: { ...query, includeObject: 'None' },
    });
    if (query['dryRun'] !== undefined) api.note('one', cellsOf(body));
  }
  if (query['dryRun'] === undefined) await noteTable(api, path, { labelSelector: 'shown' });
}

/** A workload as it would be created, and with a status, without waking its controller. */
async function workload(
  api: CaseApi,
  plural: string,
  { replicas, status }: { replicas?: number; status: object },
): Promise<void> {
  const path = `/apis/apps/v1/namespaces/${api.namespace}/${plural}`;
  const containers = [
    { name: 'a', image: 'one:1' },
    { name: 'b', image: 'two:2' },
  ];
  const template = { metadata: { labels: { a: '1', b: '2' } }, spec: { containers, nodeSelector: { z: '1', y: '2' } } };
  const matchExpressions = [
    { key: 'b', operator: 'In', values: ['3', '2'] },
    { key: 'c', operator: 'DoesNotExist' },
  ];
  const spec = {
    ...(replicas !== undefined && { replicas }),
    ...(plural === 'statefulsets' && { serviceName: 's' }),
    selector: { matchLabels: { a: '1' }, matchExpressions },
    template,
  };
  const dry = { headers: asTable, query: { dryRun: 'All', includeObject: 'None' } };
  const { body: fresh } = await api.quietly.post(path, { metadata: { name: 'w' }, spec }, dry);
  api.note('created', cellsOf(fresh));
  const none =
    plural === 'daemonsets'
      ? { ...spec, template: { ...template, spec: { containers, nodeSelector: { never: 'x', z: '1' } } } }
      : { ...spec, replicas: 0 };
  await api.quietly.post(path, { metadata: { name: 'v' }, spec: none });
  const { body } = await api.quietly.get(`${path}/v`);
  const { resourceVersion: _, ...metadata } = body.metadata;
  const { body: table } = await api.quietly.put(`${path}/v/status`, { ...body, metadata, status }, dry);
  api.note('with a status', cellsOf(table));
  await api.quietly.delete(`${path}/v`);
}

/** Notes a Table without the objects of its rows. */
async function noteTable(
  api: CaseApi,
  path: string,
  query: Readonly<Record<string, string>> = {},
  change: (cells: readonly Json[]) => readonly Json[] = (cells) => cells,
): Promise<void> {
  const { body } = await api.quietly.get(path, { headers: asTable, query: { ...query, includeObject: 'None' } });
  api.note(path, cellsOf(body, change));
}

function cellsOf(
  { columnDefinitions, rows }: Json,
  change: (cells: readonly Json[]) => readonly Json[] = (cells) => cells,
): object {
  return {
    columns: columnDefinitions.map(({ name, type, format, priority }: Json) => [name, type, format, priority]),
    rows: rows.map(({ cells, ...row }: Json) => ({ cells: change(cells), ...row })),
  };
}

/** The ClusterIP and the node port of a Service are the server's choice. */
function hideAddresses([name, type, , external, , ...rest]: readonly Json[]): readonly Json[] {
  return [name, type, 'ADDRESS', external, 'PORTS', ...rest];
}

async function configMaps(api: CaseApi, names: readonly string[]): Promise<string> {
  const path = `/api/v1/namespaces/${api.namespace}/configmaps`;
  for (const name of names) await api.quietly.post(path, { metadata: { name, labels: { n: name } }, data: { k: 'v' } });
  return path;
}

function event({ namespace }: CaseApi, name: string, more: object): object {
  const involvedObject = { kind: 'Secret', name: 's', namespace };
  return {
    metadata: { name },
    involvedObject,
    type: 'Normal',
    reason: 'Done',
    message: 'm',
    source: { component: 'c' },
    firstTimestamp: past,
    ...more,
  };
}
