import { errorMessage } from '@isthmus/machinery';
import type { CaseApi } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

/** Pods: defaults, validation, updates, and deletion. */
export const pods = contractArea('pods', [
  {
    title: 'a Pod whose name is yet to be made is refused by the beginning of it',
    async run(api) {
      const spec = { serviceAccountName: 'nope', containers: [{ name: 'c', image: 'i' }] };
      await api.post(`/api/v1/namespaces/${api.namespace}/pods`, { metadata: { generateName: 'gp-' }, spec });
    },
  },
  {
    title: 'a Pod gets its defaults, its ServiceAccount, a token and tolerations',
    async run(api) {
      await account(api);
      await api.post(path(api), pod('a'));
      await api.get(`${path(api)}/a`);
    },
  },
  {
    title: 'what a kubelet would do with a Pod, a Service or a Node that is not there',
    async run(api) {
      for (const what of ['log', 'exec', 'attach', 'portforward', 'proxy', 'proxy/a/b']) {
        await api.get(`${path(api)}/none/${what}`);
      }
      for (const what of ['exec', 'attach', 'portforward']) await api.post(`${path(api)}/none/${what}`, {});
      await api.get(`/api/v1/namespaces/${api.namespace}/services/none/proxy`);
      await api.get('/api/v1/nodes/none/proxy/metrics');
      await api.delete(`${path(api)}/none/log`);
      await api.put(`${path(api)}/none/exec`, {});
      await api.get(`${path(api)}/none/log/a`);
    },
  },
  {
    title: 'the pull policy follows from the tag of the image',
    async run(api) {
      await account(api);
      for (const [index, image] of [
        'x',
        'x:latest',
        'x:1',
        'r.example:5000/x',
        `x@sha256:${'0'.repeat(64)}`,
        'X Y',
        'a/b:latest',
      ].entries()) {
        const { body } = await api.quietly.post(path(api), pod(`a${index}`, { containers: [{ name: 'c', image }] }));
        api.note(`pull policy of ${image}`, body.spec.containers[0].imagePullPolicy);
      }
    },
  },
  {
    title: 'probes, handlers, ports and field references get their defaults',
    async run(api) {
      await account(api);
      const container = {
        name: 'c',
        image: 'x:1',
        ports: [{ containerPort: 80 }, { containerPort: 53, protocol: 'UDP', name: 'dns' }],
        env: [
          { name: 'A', value: 'b' },
          { name: 'N', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'C', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
          { name: 'M', valueFrom: { configMapKeyRef: { name: 'm', key: 'k', optional: true } } },
        ],
        envFrom: [{ prefix: 'P_', secretRef: { name: 's' } }],
        livenessProbe: { httpGet: { port: 80 } },
        readinessProbe: { tcpSocket: { port: 'dns' }, periodSeconds: 3 },
        startupProbe: { grpc: { port: 9 } },
        lifecycle: { preStop: { httpGet: { port: 80, path: '/x' } }, postStart: { exec: { command: ['a'] } } },
      };
      await api.post(path(api), pod('a', { containers: [container] }));
    },
  },
  {
    title: 'volumes get their defaults, and one without a source is an empty directory',
    async run(api) {
      await account(api);
      const volumes = [
        { name: 'a' },
        { name: 'b', configMap: { name: 'm' } },
        { name: 'c', secret: { secretName: 's', items: [{ key: 'k', path: 'p' }] } },
        { name: 'd', downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } },
        { name: 'e', projected: { sources: [{ serviceAccountToken: { path: 't' } }, { configMap: { name: 'm' } }] } },
        { name: 'f', hostPath: { path: '/x' } },
        { name: 'g', emptyDir: { sizeLimit: '1024Mi' } },
      ];
      await api.post(path(api), pod('a', { automountServiceAccountToken: false, volumes }));
    },
  },
  {
    title: 'what is limited is requested as much, and the quality of service follows',
    async run(api) {
      await account(api);
      const variants = {
        guaranteed: { limits: { cpu: '1', memory: '1Gi' } },
        burstable: { requests: { cpu: '500m' }, limits: { cpu: 1, memory: '1024Mi' } },
        'cpu-only': { limits: { cpu: '1000m' } },
        other: { limits: { 'example.com/gpu': '2' } },
        zero: { requests: { cpu: '0' } },
      };
      for (const [name, resources] of Object.entries(variants)) {
        const { body } = await api.quietly.post(path(api), pod(name, { containers: [{ ...container, resources }] }));
        api.note(name, [body.spec.containers[0].resources, body.status.qosClass]);
      }
    },
  },
  {
    title: 'a Pod in the network of its node has its ports there',
    async run(api) {
      await account(api);
      const ports = [{ containerPort: 80 }, { containerPort: 81, hostPort: 81 }];
      await api.post(path(api), pod('a', { hostNetwork: true, containers: [{ ...container, ports }] }));
      const other = [{ containerPort: 80, hostPort: 81 }];
      await api.post(path(api), pod('b', { hostNetwork: true, containers: [{ ...container, ports: other }] }));
    },
  },
  {
    title: 'a Pod without containers, names or images is refused',
    async run(api) {
      await account(api);
      await api.post(path(api), { metadata: { name: 'a' }, spec: { containers: [] } });
      await api.post(path(api), { metadata: { name: 'a' } });
      await api.post(
        path(api),
        pod('a', {
          containers: [
            { name: '', image: '' },
            { name: 'A_b', image: ' x' },
          ],
        }),
      );
      await api.post(path(api), pod('a', { containers: [container, container] }));
      await api.post(path(api), pod('A_b'));
    },
  },
  {
    title: 'ports are checked',
    async run(api) {
      await account(api);
      const ports = [
        { containerPort: 0 },
        { containerPort: 70000, hostPort: -1, protocol: 'HTTP' },
        { containerPort: 80, hostPort: 80, name: 'a' },
        { containerPort: 81, hostPort: 80, name: 'a' },
      ];
      await api.post(path(api), pod('a', { containers: [{ ...container, ports }] }));
    },
  },
  {
    title: 'environment variables are checked',
    async run(api) {
      await account(api);
      const env = [
        { name: '' },
        { name: 'a=b' },
        { name: 'a', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'b', valueFrom: {} },
        { name: 'c', valueFrom: { fieldRef: { fieldPath: 'spec.containers' } } },
        { name: 'd', valueFrom: { fieldRef: { fieldPath: 'status.phase' } } },
        { name: 'e', valueFrom: { fieldRef: { fieldPath: "metadata.labels['a b']" } } },
        { name: 'f', valueFrom: { resourceFieldRef: { resource: 'limits.gpu' } } },
        { name: 'h', valueFrom: { secretKeyRef: { name: '', key: '' } } },
        { name: 'i', valueFrom: { configMapKeyRef: { name: 'm', key: 'a b' } } },
      ];
      const envFrom = [{}, { secretRef: { name: 'A' }, configMapRef: {} }, { prefix: '1=', secretRef: { name: 's' } }];
      await api.post(path(api), pod('a', { containers: [{ ...container, env, envFrom }] }));
    },
  },
  {
    title: 'volumes and their mounts are checked',
    async run(api) {
      await account(api);
      const volumes = [
        { name: 'A' },
        { name: 'ok' },
        { name: 'ok' },
        { name: 'two', emptyDir: {}, configMap: { name: 'x' } },
        { name: 'path', hostPath: { path: '' } },
        { name: 'type', hostPath: { path: '/a/../b', type: 'Hole' } },
        { name: 'secret', secret: { defaultMode: 1000, items: [{ key: '', path: '/x' }] } },
        { name: 'proj', projected: { sources: [{ secret: {} }] } },
        { name: 'nfs', nfs: { server: '', path: '/x' } },
        { name: 'claim', persistentVolumeClaim: { claimName: '' } },
      ];
      const volumeMounts = [
        { name: 'ok', mountPath: '/a' },
        { name: 'gone', mountPath: '/a' },
        { name: '', mountPath: '' },
        { name: 'ok', mountPath: '/b', subPath: '../x' },
      ];
      await api.post(
        path(api),
        pod('a', { automountServiceAccountToken: false, volumes, containers: [{ ...container, volumeMounts }] }),
      );
    },
  },
  {
    title: 'probes and handlers are checked',
    async run(api) {
      await account(api);
      const checked = {
        ...container,
        livenessProbe: {
          httpGet: { port: 0, scheme: 'ftp', httpHeaders: [{ name: 'a b' }] },
          successThreshold: 2,
          initialDelaySeconds: -1,
        },
        readinessProbe: { exec: {}, tcpSocket: { port: 'a' }, terminationGracePeriodSeconds: 1 },
        startupProbe: { periodSeconds: -5, terminationGracePeriodSeconds: 0 },
        lifecycle: { preStop: { tcpSocket: { port: 'A' } }, postStart: {} },
      };
      await api.post(path(api), pod('a', { containers: [checked] }));
    },
  },
  {
    title: 'resources are checked',
    async run(api) {
      await account(api);
      const ask = (resources: object) => api.post(path(api), pod('a', { containers: [{ ...container, resources }] }));
      await ask({ limits: { cpu: '-1' } });
      await ask({ requests: { cpu: '2' }, limits: { cpu: '1' } });
      await ask({ requests: { gpu: '1' } });
      await ask({ requests: { 'example.com/gpu': '1' } });
      await ask({ limits: { 'example.com/gpu': '1500m' } });
      await ask({ limits: { 'a b': '1' } });
    },
  },
  {
    title: 'policies are taken from their lists',
    async run(api) {
      await account(api);
      await api.post(
        path(api),
        pod('a', {
          restartPolicy: 'Sometimes',
          dnsPolicy: 'Mine',
          preemptionPolicy: 'PreemptLowerPriority',
          containers: [{ ...container, imagePullPolicy: 'Often', terminationMessagePolicy: 'None' }],
        }),
      );
      await api.post(path(api), pod('a', { dnsPolicy: 'None' }));
    },
  },
  {
    title: 'names, labels and numbers of the spec are checked',
    async run(api) {
      await account(api);
      await api.post(
        path(api),
        pod('a', {
          nodeName: 'A',
          nodeSelector: { 'a b': 'c d' },
          hostname: 'a.b',
          subdomain: 'A',
          activeDeadlineSeconds: 0,
          hostAliases: [{ ip: 'x', hostnames: ['A'] }],
          securityContext: {
            runAsUser: -1,
            fsGroupChangePolicy: 'x',
            supplementalGroups: [-5],
            seccompProfile: { type: 'Remote' },
          },
        }),
      );
    },
  },
  {
    title: 'what charts hardly have is judged by its shape alone',
    knownToDiffer: 'docs/sandbox/workload-fields.md: rules beyond the shape that no client of the sandbox meets',
    async run(api) {
      await account(api);
      const ask = (spec: object, more: object = {}) =>
        api.post(path(api), pod('a', { ...spec, containers: [{ ...container, ...more }] }), {
          query: { dryRun: 'All' },
        });
      const divisor = { resourceFieldRef: { resource: 'limits.cpu', divisor: '3' } };
      await ask({}, { env: [{ name: 'g', valueFrom: divisor }] });
      await ask({}, { resources: { limits: { 'hugepages-2Mi': '2Mi' } } });
      await ask({}, { lifecycle: { preStop: { sleep: { seconds: 100 } } } });
      await ask({}, { securityContext: { privileged: true, allowPrivilegeEscalation: false } });
      await ask({ schedulingGates: [{ name: 'a b' }, { name: 'g' }, { name: 'g' }] });
      await ask({ readinessGates: [{ conditionType: 'a b' }] });
      await ask({ securityContext: { seccompProfile: { type: 'Localhost' } } });
      await ask({ dnsPolicy: 'None', dnsConfig: {} });
      const spread = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', minDomains: 2 };
      await ask({ topologySpreadConstraints: [spread, spread] });
      await ask({ imagePullSecrets: [{ name: 'a' }, { name: 'a' }, {}] });
      const token = { serviceAccountToken: { path: 't', expirationSeconds: 5 } };
      await ask({ volumes: [{ name: 'v', projected: { sources: [token] } }] });
      await ask({ volumes: [{ name: 'v', downwardAPI: { items: [{ path: 'x' }] } }] });
      await ask(
        { volumes: [{ name: 'v' }] },
        { volumeMounts: [{ name: 'v', mountPath: '/c', mountPropagation: 'Bidirectional' }] },
      );
    },
  },
  {
    title: 'tolerations are checked',
    async run(api) {
      await account(api);
      const tolerations = [
        { operator: 'Equal' },
        { key: 'a', operator: 'Exists', value: 'x' },
        { key: 'a b', operator: 'Near', effect: 'None' },
        { key: 'a', effect: 'NoSchedule', tolerationSeconds: 5 },
        { key: 'a', value: 'b c' },
      ];
      await api.post(path(api), pod('a', { tolerations }));
    },
  },
  {
    title: 'spread and affinity are checked',
    async run(api) {
      await account(api);
      await api.post(
        path(api),
        pod('a', {
          topologySpreadConstraints: [
            { maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'Never' },
            {
              maxSkew: 1,
              topologyKey: 'zone',
              whenUnsatisfiable: 'ScheduleAnyway',
              labelSelector: { matchLabels: { 'a b': 'c' } },
            },
          ],
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: '', labelSelector: {} }],
              preferredDuringSchedulingIgnoredDuringExecution: [
                { weight: 101, podAffinityTerm: { topologyKey: 'a b' } },
              ],
            },
          },
        }),
      );
    },
  },
  {
    title: 'an init container has no probes, unless it goes on running',
    async run(api) {
      await account(api);
      const probe = { exec: { command: ['a'] } };
      await api.post(
        path(api),
        pod('a', {
          initContainers: [
            { name: 'i', image: 'x:1', livenessProbe: probe },
            { name: 'c', image: 'x:1' },
          ],
        }),
      );
      await api.post(
        path(api),
        pod('b', { initContainers: [{ name: 'i', image: 'x:1', livenessProbe: probe, restartPolicy: 'Always' }] }),
      );
    },
  },
  {
    title: 'ports of one number are doubtful where they overlap on the Node',
    async run(api) {
      await account(api);
      const onNode = [{}, { hostPort: 8080 }, { hostPort: 8080, hostIP: '10.0.0.1' }, { hostPort: 8081 }, {}];
      const ports = onNode.map((place) => ({ containerPort: 80, ...place }));
      await api.post(path(api), pod('a', { containers: [{ ...container, ports }] }), { query: { dryRun: 'All' } });
    },
  },
  {
    title: 'many warnings are cut, and those behind the limit are left out',
    async run(api) {
      await account(api);
      const ask = (more: object) =>
        api.post(path(api), pod('a', { containers: [{ ...container, ...more }] }), { query: { dryRun: 'All' } });
      const twice = (names: readonly string[]) =>
        ask({ env: [...names, ...names].map((name) => ({ name, value: 'x' })) });
      await ask({ ports: Array.from({ length: 12 }, () => ({ containerPort: 80 })) });
      await twice(['long', 'longer'].map((name) => name.padEnd(2_100, 'x')));
      await twice(Array.from({ length: 26 }, (_, index) => String.fromCodePoint(97 + index).repeat(200)));
    },
  },
  {
    title: 'warnings tell of what is accepted and yet doubtful',
    async run(api) {
      await account(api);
      await api.post(
        path(api),
        pod('a.b', {
          terminationGracePeriodSeconds: -1,
          containers: [
            {
              ...container,
              ports: [{ containerPort: 80, name: 'a' }, { containerPort: 80 }],
              env: [
                { name: 'A', value: '1' },
                { name: 'A', value: '2' },
              ],
              resources: { limits: { memory: '100m' } },
            },
            { name: 'd', image: 'x:1', ports: [{ containerPort: 81, name: 'a' }] },
          ],
        }),
      );
    },
  },
  {
    title: 'a ServiceAccount that is not there is refused, and one may keep its token to itself',
    async run(api) {
      await account(api);
      await api.post(path(api), pod('a', { serviceAccountName: 'nobody' }));
      await api.quietly.post(`/api/v1/namespaces/${api.namespace}/serviceaccounts`, {
        metadata: { name: 'quiet' },
        automountServiceAccountToken: false,
        imagePullSecrets: [{ name: 'pull' }],
      });
      await api.post(path(api), pod('b', { serviceAccount: 'quiet' }));
      await api.post(path(api), pod('c', { serviceAccountName: 'quiet', automountServiceAccountToken: true }));
    },
  },
  {
    title: 'a priority follows from its class and from nothing else',
    async run(api) {
      await account(api);
      await api.post(path(api), pod('a', { priorityClassName: 'nothing' }));
      await api.post(path(api), pod('a', { priority: 5 }));
      await api.post(path(api), pod('a', { preemptionPolicy: 'Never' }));
      await api.post(path(api), pod('a', { priority: 0, tolerations: [{ operator: 'Exists' }] }));
    },
  },
  {
    title: 'of a Pod only images, deadline and more tolerations can be changed',
    async run(api) {
      await account(api);
      await api.quietly.post(path(api), pod('a', { activeDeadlineSeconds: 100 }));
      const change = (spec: object) => api.patch(`${path(api)}/a`, 'strategic-merge', { spec });
      await change({ containers: [{ name: 'c', image: 'y:2' }] });
      await change({ activeDeadlineSeconds: 50 });
      await change({ activeDeadlineSeconds: 60 });
      await change({ containers: [{ name: 'd', image: 'y' }] });
      await change({ tolerations: [{ key: 'mine', operator: 'Exists' }] });
      const { body } = await api.quietly.get(`${path(api)}/a`);
      await change({ tolerations: [...body.spec.tolerations, { key: 'mine', operator: 'Exists' }] });
      const answer = await api.patch(`${path(api)}/a`, 'merge', { metadata: { labels: { a: 'b' } } });
      api.note('generation', answer.body.metadata.generation);
    },
  },
  {
    title: 'what else an update changes of the spec is refused',
    async run(api) {
      await account(api);
      await api.quietly.post(path(api), pod('a'));
      const { status, body } = await api.request({
        method: 'PATCH',
        path: `/api/v1/namespaces/none-of-these/pods/a`,
        headers: { 'content-type': 'application/merge-patch+json' },
        body: '{}',
      });
      api.note('elsewhere', [status, body.reason]);
      for (const spec of [{ hostname: 'x' }, { nodeName: 'n' }, { restartPolicy: 'Never' }]) {
        const failed = await refusal(api, `${path(api)}/a`, { spec });
        api.note(JSON.stringify(spec), failed);
      }
    },
  },
  {
    title: 'the status is written by itself and keeps its quality of service',
    async run(api) {
      await account(api);
      await api.quietly.post(path(api), pod('a'));
      const at = `${path(api)}/a/status`;
      await api.patch(at, 'merge', {
        spec: { hostname: 'x' },
        status: { phase: 'Running', podIP: '10.1.2.3', podIPs: [{ ip: '10.1.2.3' }] },
      });
      await api.patch(at, 'merge', { status: { qosClass: 'Guaranteed' } });
      await api.patch(at, 'merge', { status: { podIPs: [{ ip: 'x' }, { ip: '10.1.2.3' }] } });
    },
  },
  {
    title: 'a Pod is bound to a node once',
    async run(api) {
      await account(api);
      await api.quietly.post(path(api), pod('a'));
      const bind = (name: string, body: object) => api.post(`${path(api)}/${name}/binding`, body);
      await bind('a', { metadata: { name: 'b' }, target: { kind: 'Node', name: 'n' } });
      await bind('a', { metadata: { name: 'a' }, target: { kind: 'Node', name: 'n' } });
      const { body } = await api.quietly.get(`${path(api)}/a`);
      api.note('bound', [body.spec.nodeName, body.status.conditions, body.metadata.generation]);
      await bind('a', { metadata: { name: 'a' }, target: { kind: 'Node', name: 'm' } });
      await bind('none', { metadata: { name: 'none' }, target: { kind: 'Node', name: 'n' } });
    },
  },
  {
    title: 'a Pod that runs nowhere is gone at once',
    async run(api) {
      await account(api);
      await api.quietly.post(path(api), pod('a'));
      await api.delete(`${path(api)}/a`);
      await api.get(`${path(api)}/a`);
    },
  },
  {
    title: 'a Pod on a node ends in its time, which can be made shorter',
    needsControllers: true,
    async run(api) {
      await account(api);
      const node = `node-${api.namespace}`;
      await api.quietly.post('/api/v1/nodes', { metadata: { name: node } });
      await api.quietly.post(path(api), pod('a', { nodeName: node, terminationGracePeriodSeconds: 60 }));
      const first = await api.quietly.delete(`${path(api)}/a`);
      api.note('first', first.body.metadata.deletionGracePeriodSeconds);
      const second = await api.quietly.delete(`${path(api)}/a`, { query: { gracePeriodSeconds: '10' } });
      api.note('second', second.body.metadata.deletionGracePeriodSeconds);
      const third = await api.quietly.delete(`${path(api)}/a`, { query: { gracePeriodSeconds: '20' } });
      api.note('third', [third.body.metadata.deletionGracePeriodSeconds, third.body.metadata.generation]);
      await api.delete(`${path(api)}/a`, { query: { gracePeriodSeconds: '0' } });
      await api.get(`${path(api)}/a`);
      await api.quietly.delete(`/api/v1/nodes/${node}`);
    },
  },
  {
    title: 'a Pod is evicted',
    async run(api) {
      await account(api);
      await api.quietly.post(path(api), pod('a'));
      await api.post(`${path(api)}/a/eviction`, { metadata: { name: 'a' }, deleteOptions: { dryRun: ['All'] } });
      await api.post(`${path(api)}/a/eviction`, { metadata: { name: 'a' } });
      await api.get(`${path(api)}/a`);
      await api.post(`${path(api)}/a/eviction`, { metadata: { name: 'a' } });
    },
  },
  {
    title: 'a gated Pod waits, and gates only go',
    async run(api) {
      await account(api);
      await api.post(path(api), pod('a', { schedulingGates: [{ name: 'example.com/wait' }] }));
      await api.patch(`${path(api)}/a`, 'json', [
        { op: 'add', path: '/spec/schedulingGates/-', value: { name: 'more' } },
      ]);
      await api.post(`${path(api)}/a/binding`, { metadata: { name: 'a' }, target: { name: 'n' } });
      await api.patch(`${path(api)}/a`, 'merge', { spec: { nodeSelector: { a: 'b' } } });
      await api.patch(`${path(api)}/a`, 'merge', { spec: { schedulingGates: null } });
    },
  },
]);

const container = { name: 'c', image: 'x:1' };

const path = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}/pods`;

function pod(name: string, spec: object = {}): object {
  return { metadata: { name }, spec: { containers: [container], ...spec } };
}

/** Every Namespace gets it from a controller a moment later. */
async function account(api: CaseApi): Promise<void> {
  await api.quietly.patch(
    `/api/v1/namespaces/${api.namespace}/serviceaccounts/default`,
    'apply',
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
    { query: { fieldManager: 'case', force: 'true' } },
  );
}

/** The rejection of a merge patch, without the difference of structs at the end of its message. */
async function refusal(api: CaseApi, at: string, body: object): Promise<unknown> {
  let answer: unknown;
  await api.quietly.patch(at, 'merge', body).catch((error: unknown) => {
    answer = errorMessage(error).split('\\n')[0];
  });
  return typeof answer === 'string' ? answer.replace(/^.*: 422/, '422') : answer;
}
