import type { CaseApi, Json } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

/** A certificate request for CN=jane. */
const signingRequest =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIS01IRUNBUUF3RHpFTk1Bc0dBMVVFQXd3RWFtRnVaVEJaTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSApBMElBQkx0bSttRWwyQXdnZTVQQzhOOXJaQ2ZZN01qaTR3TEZYUGxiT3c1ZmNEU0NTcEVZMDJvSFNIaXE1QTNsCm5vWnZNSXlZaCtWSEtBZS9Kck1YQ0VGVVNCQ2dBREFLQmdncWhrak9QUVFEQWdOSkFEQkdBaUVBOXk3L2tZRVQKZXkvTWVuZ3d0dFFnUjlTS3BGeEpVUlpMM1o1MnRWNEkvQWNDSVFERHlCUm4xcjVDTHE1VnJCL0tRSEVYSCtuUApiY0Y5L2wwb1M3YVJZZjBZeEE9PQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K';

const podTemplate = (labels: object, restartPolicy?: string) => ({
  metadata: { labels },
  spec: {
    containers: [{ name: 'c', image: 'example.com/i:1' }],
    ...(restartPolicy !== undefined && { restartPolicy }),
  },
});

const jobSpec = { template: podTemplate({ app: 'x' }, 'Never') };

const matchNothing = {
  resourceRules: [
    { apiGroups: ['nothing.example.com'], apiVersions: ['v1'], resources: ['things'], operations: ['CREATE'] },
  ],
};

interface Kind {
  /** Below the group version. */
  readonly plural: string;
  readonly root: string;
  readonly namespaced?: boolean;
  readonly object: object;
  /** Merge patches, one after the other; rejected ones change nothing. */
  readonly patches?: readonly object[];
  /** Bodies that are rejected, as dry runs in place of the object. */
  readonly wrong?: readonly object[];
  /** A status as the controller of the kind would write it. */
  readonly status?: object;
  /** The server writes to it on its own: the Table is not compared. */
  readonly noTable?: true;
}

const kinds: Readonly<Record<string, Kind>> = {
  Job: {
    root: 'apis/batch/v1',
    plural: 'jobs',
    namespaced: true,
    object: { spec: jobSpec },
    patches: [
      { spec: { parallelism: 2 } },
      { spec: { completions: 3 } },
      { spec: { selector: { matchLabels: { a: 'b' } } } },
    ],
    wrong: [
      { spec: { template: podTemplate({ app: 'x' }) } },
      { spec: { template: podTemplate({ app: 'x' }, 'Never'), parallelism: -1, completionMode: 'Odd' } },
      { spec: {} },
    ],
    status: { startTime: '2020-01-01T00:00:00Z', active: 1, ready: 0, terminating: 0, uncountedTerminatedPods: {} },
  },
  CronJob: {
    root: 'apis/batch/v1',
    plural: 'cronjobs',
    namespaced: true,
    object: { spec: { schedule: '*/5 * * * *', jobTemplate: { spec: jobSpec } } },
    patches: [{ spec: { suspend: true, schedule: '@hourly', timeZone: 'Etc/UTC' } }],
    wrong: [
      { spec: { jobTemplate: { spec: jobSpec } } },
      { spec: { schedule: '@hourly', concurrencyPolicy: 'Odd', jobTemplate: { spec: jobSpec } } },
    ],
    status: { lastScheduleTime: '2020-01-01T00:00:00Z' },
  },
  ReplicationController: {
    root: 'api/v1',
    plural: 'replicationcontrollers',
    namespaced: true,
    object: { spec: { replicas: 0, template: podTemplate({ app: 'x' }) } },
    patches: [{ spec: { replicas: 2, minReadySeconds: 1 } }],
    wrong: [{ spec: { selector: { a: 'b' }, template: podTemplate({ app: 'x' }) } }, { spec: { replicas: -1 } }],
    status: { replicas: 2, readyReplicas: 1 },
  },
  PodTemplate: {
    root: 'api/v1',
    plural: 'podtemplates',
    namespaced: true,
    object: { template: podTemplate({ app: 'x' }) },
    patches: [{ template: { metadata: { labels: { app: 'y' } } } }],
    wrong: [{ template: { spec: { containers: [] } } }],
  },
  ResourceQuota: {
    root: 'api/v1',
    plural: 'resourcequotas',
    namespaced: true,
    object: { spec: { hard: { pods: '0010', 'limits.cpu': '2000m', 'requests.cpu': '1' } } },
    patches: [{ spec: { hard: { pods: '20' } } }],
    status: { hard: { pods: '20', 'limits.cpu': '2', 'requests.cpu': '1' }, used: { pods: '3', 'limits.cpu': '1' } },
  },
  LimitRange: {
    root: 'api/v1',
    plural: 'limitranges',
    namespaced: true,
    object: { spec: { limits: [{ type: 'Container', max: { cpu: '2' }, min: { cpu: '1', memory: '1Gi' } }] } },
    patches: [{ metadata: { labels: { a: 'b' } } }],
    noTable: true,
  },
  PersistentVolume: {
    root: 'api/v1',
    plural: 'persistentvolumes',
    object: {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
        hostPath: { path: '/x' },
        claimRef: { namespace: 'a', name: 'b' },
      },
    },
    patches: [{ spec: { persistentVolumeReclaimPolicy: 'Delete' } }],
    wrong: [
      { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] } },
      { spec: { accessModes: [], hostPath: { path: '/x' } } },
    ],
    status: { phase: 'Bound' },
  },
  PersistentVolumeClaim: {
    root: 'api/v1',
    plural: 'persistentvolumeclaims',
    namespaced: true,
    object: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } } },
    patches: [{ spec: { volumeName: 'v' } }],
    wrong: [{ spec: { resources: { requests: { storage: '1Gi' } } } }, { spec: { accessModes: ['ReadWriteOnce'] } }],
    status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
  },
  Ingress: {
    root: 'apis/networking.k8s.io/v1',
    plural: 'ingresses',
    namespaced: true,
    object: {
      spec: {
        ingressClassName: 'nginx',
        tls: [{ hosts: ['a.example.com'] }],
        rules: ['a', 'b', 'c', 'd'].map((host) => ({
          host: `${host}.example.com`,
          http: {
            paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }],
          },
        })),
      },
    },
    patches: [{ spec: { tls: null } }],
    wrong: [
      { spec: {} },
      {
        spec: {
          rules: [{ http: { paths: [{ path: '/', backend: { service: { name: 's', port: { number: 80 } } } }] } }],
        },
      },
    ],
    status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }, { hostname: 'lb.example.com' }] } },
  },
  IngressClass: {
    root: 'apis/networking.k8s.io/v1',
    plural: 'ingressclasses',
    object: {
      metadata: { annotations: { 'ingressclass.kubernetes.io/is-default-class': 'false' } },
      spec: { controller: 'example.com/c', parameters: { apiGroup: 'example.com', kind: 'P', name: 'p' } },
    },
    patches: [{ spec: { controller: 'example.com/d' } }, { spec: { parameters: null } }],
  },
  NetworkPolicy: {
    root: 'apis/networking.k8s.io/v1',
    plural: 'networkpolicies',
    namespaced: true,
    object: {
      spec: { podSelector: { matchLabels: { a: 'b' } }, ingress: [{ ports: [{ port: 80 }] }], egress: [{}] },
    },
    patches: [{ spec: { egress: null, policyTypes: null } }],
    wrong: [{ spec: { podSelector: {}, policyTypes: ['Odd'] } }],
  },
  HorizontalPodAutoscaler: {
    root: 'apis/autoscaling/v2',
    plural: 'horizontalpodautoscalers',
    namespaced: true,
    object: {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
        maxReplicas: 3,
        behavior: { scaleDown: { stabilizationWindowSeconds: 5 } },
      },
    },
    patches: [{ spec: { minReplicas: 2 } }, { spec: { minReplicas: 9 } }],
    wrong: [{ spec: { scaleTargetRef: { kind: 'Deployment' }, maxReplicas: 0 } }],
    status: {
      currentReplicas: 2,
      desiredReplicas: 2,
      currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 40 } } }],
    },
  },
  PodDisruptionBudget: {
    root: 'apis/policy/v1',
    plural: 'poddisruptionbudgets',
    namespaced: true,
    object: { spec: { maxUnavailable: '50%', selector: { matchLabels: { a: 'b' } } } },
    patches: [{ spec: { maxUnavailable: null, minAvailable: 1 } }],
    wrong: [{ spec: { maxUnavailable: 1, minAvailable: 1 } }],
    status: { disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 },
  },
  StorageClass: {
    root: 'apis/storage.k8s.io/v1',
    plural: 'storageclasses',
    object: { provisioner: 'example.com/p', parameters: { a: 'b' } },
    patches: [{ allowVolumeExpansion: true }, { parameters: { a: 'c' } }, { reclaimPolicy: 'Retain' }],
    wrong: [{}, { provisioner: 'example.com/p', volumeBindingMode: 'Odd' }],
  },
  VolumeAttributesClass: {
    root: 'apis/storage.k8s.io/v1',
    plural: 'volumeattributesclasses',
    object: { driverName: 'example.com', parameters: { a: 'b' } },
    patches: [{ metadata: { labels: { a: 'b' } } }],
  },
  VolumeAttachment: {
    root: 'apis/storage.k8s.io/v1',
    plural: 'volumeattachments',
    object: { spec: { attacher: 'example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } } },
    patches: [{ metadata: { labels: { a: 'b' } } }],
    status: { attached: true },
  },
  CSIDriver: {
    root: 'apis/storage.k8s.io/v1',
    plural: 'csidrivers',
    object: { spec: { tokenRequests: [{ audience: 'a' }, { audience: 'b' }] } },
    patches: [{ spec: { storageCapacity: true } }],
  },
  CSINode: {
    root: 'apis/storage.k8s.io/v1',
    plural: 'csinodes',
    object: { spec: { drivers: [{ name: 'example.com', nodeID: 'n', topologyKeys: ['zone'] }] } },
    patches: [{ spec: { drivers: [] } }],
  },
  CSIStorageCapacity: {
    root: 'apis/storage.k8s.io/v1',
    plural: 'csistoragecapacities',
    namespaced: true,
    object: { storageClassName: 'fast', capacity: '1Gi' },
    patches: [{ capacity: '2Gi' }],
    wrong: [{ capacity: '1Gi' }],
  },
  PriorityClass: {
    root: 'apis/scheduling.k8s.io/v1',
    plural: 'priorityclasses',
    object: { value: 1000, description: 'x' },
    patches: [{ description: 'y' }, { value: 1 }],
  },
  RuntimeClass: {
    root: 'apis/node.k8s.io/v1',
    plural: 'runtimeclasses',
    object: { handler: 'runc' },
    patches: [{ overhead: { podFixed: { memory: '1Mi' } } }],
  },
  FlowSchema: {
    root: 'apis/flowcontrol.apiserver.k8s.io/v1',
    plural: 'flowschemas',
    object: { spec: { priorityLevelConfiguration: { name: 'catch-all' } } },
    noTable: true,
  },
  PriorityLevelConfiguration: {
    root: 'apis/flowcontrol.apiserver.k8s.io/v1',
    plural: 'prioritylevelconfigurations',
    object: { spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: { queues: 16 } } } } },
    noTable: true,
  },
  ValidatingAdmissionPolicy: {
    root: 'apis/admissionregistration.k8s.io/v1',
    plural: 'validatingadmissionpolicies',
    object: { spec: { matchConstraints: matchNothing, validations: [{ expression: 'true' }] } },
    patches: [{ spec: { failurePolicy: 'Ignore' } }],
  },
  ValidatingAdmissionPolicyBinding: {
    root: 'apis/admissionregistration.k8s.io/v1',
    plural: 'validatingadmissionpolicybindings',
    object: { spec: { policyName: 'nothing.example.com', validationActions: ['Deny'], matchResources: matchNothing } },
    patches: [{ spec: { validationActions: ['Audit'] } }],
  },
  MutatingAdmissionPolicy: {
    root: 'apis/admissionregistration.k8s.io/v1',
    plural: 'mutatingadmissionpolicies',
    object: {
      spec: {
        matchConstraints: matchNothing,
        reinvocationPolicy: 'Never',
        mutations: [
          {
            patchType: 'ApplyConfiguration',
            applyConfiguration: { expression: 'Object{metadata: Object.metadata{}}' },
          },
        ],
      },
    },
    patches: [{ spec: { failurePolicy: 'Ignore' } }],
  },
  MutatingAdmissionPolicyBinding: {
    root: 'apis/admissionregistration.k8s.io/v1',
    plural: 'mutatingadmissionpolicybindings',
    object: { spec: { policyName: 'nothing.example.com', matchResources: matchNothing } },
  },
  CertificateSigningRequest: {
    root: 'apis/certificates.k8s.io/v1',
    plural: 'certificatesigningrequests',
    object: {
      spec: {
        request: signingRequest,
        signerName: 'example.com/signer',
        usages: ['client auth'],
        expirationSeconds: 3600,
        username: 'somebody',
      },
    },
    patches: [{ metadata: { labels: { a: 'b' } } }],
    noTable: true,
  },
  DeviceClass: { root: 'apis/resource.k8s.io/v1', plural: 'deviceclasses', object: { spec: {} } },
  ResourceClaim: {
    root: 'apis/resource.k8s.io/v1',
    plural: 'resourceclaims',
    namespaced: true,
    object: { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } } },
    patches: [{ metadata: { labels: { a: 'b' } } }],
  },
  ResourceClaimTemplate: {
    root: 'apis/resource.k8s.io/v1',
    plural: 'resourceclaimtemplates',
    namespaced: true,
    object: { spec: { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } } } },
  },
  ResourceSlice: {
    root: 'apis/resource.k8s.io/v1',
    plural: 'resourceslices',
    object: {
      spec: {
        driver: 'example.com',
        nodeName: 'n',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        devices: [{ name: 'd' }],
      },
    },
  },
};

/** Whole objects of these kinds: valid ones, and then those with a mistake. */
export const storedKindObjects: readonly object[] = Object.entries(kinds).flatMap(
  ([kind, { root, object, wrong = [] }]) =>
    [object, ...wrong].map((body) => ({
      apiVersion: root.replace(/^apis?\//, ''),
      kind,
      ...body,
      metadata: { name: 'a', ...('metadata' in body ? (body.metadata as object) : {}) },
    })),
);

/**
 * The kinds that the sandbox stores and validates by their shape: the answers to a client, as
 * objects and as Tables.
 */
export const storedKinds = contractArea('stored-kinds', [
  ...Object.entries(kinds).map(([name, kind]) => ({
    title: `${name}: created with its defaults, changed, shown, deleted`,
    run: (api: CaseApi) => lives(api, kind),
  })),
  ...Object.entries(kinds)
    .filter(([, { wrong = [] }]) => wrong.length > 0)
    .map(([name, kind]) => ({
      title: `${name}: refused where it is wrong`,
      run: (api: CaseApi) => isRefused(api, kind),
    })),
  {
    title: 'an autoscaler of the older version is one of the newer',
    async run(api) {
      const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
      const older = `/apis/autoscaling/v1/namespaces/${api.namespace}/horizontalpodautoscalers`;
      const newer = `/apis/autoscaling/v2/namespaces/${api.namespace}/horizontalpodautoscalers`;
      const old = { scaleTargetRef: target, maxReplicas: 3, targetCPUUtilizationPercentage: 50 };
      const show = async (path: string) => {
        const { body } = await api.unnoted.get(`${path}/a`);
        api.note(path, told(body));
        return body;
      };
      await api.quietly.post(older, { metadata: { name: 'a' }, spec: old });
      await show(newer);
      await api.quietly.patch(`${newer}/a`, 'merge', { spec: { maxReplicas: 5 } });
      const body = await show(older);
      await api.quietly.put(`${older}/a`, { ...body, spec: { ...body.spec, targetCPUUtilizationPercentage: 60 } });
      await show(newer);
    },
  },
  {
    title: 'a CertificateSigningRequest is approved through its own path',
    async run(api) {
      const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
      const name = `${api.namespace}-a`;
      const spec = { request: signingRequest, signerName: 'example.com/signer', usages: ['client auth'] };
      await api.quietly.post(path, { metadata: { name }, spec });
      const { body } = await api.unnoted.get(`${path}/${name}`);
      const condition = { type: 'Approved', status: 'True', reason: 'R', message: 'm' };
      const approved = { ...body, status: { conditions: [condition] } };
      const answer = await api.unnoted.put(`${path}/${name}/approval`, approved);
      api.note('approved', { status: answer.status, types: typesOf(answer.body) });
      const table = await api.unnoted.get(`${path}/${name}`, { headers: asTable });
      api.note('shown', table.body.rows[0].cells.at(-1));
      await api.quietly.delete(`${path}/${name}`);
    },
  },
  {
    title: 'a Pod has the priority of its class',
    needsControllers: true,
    async run(api) {
      const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
      const name = `${api.namespace}-high`;
      await api.quietly.post(classes, { metadata: { name }, value: 500, preemptionPolicy: 'Never' });
      const pods = `/api/v1/namespaces/${api.namespace}/pods`;
      const spec = { containers: [{ name: 'c', image: 'i' }], automountServiceAccountToken: false };
      const post = async (more: object) => {
        const { status, body } = await api.unnoted.post(
          pods,
          { metadata: { name: 'p' }, spec: { ...spec, ...more } },
          { query: { dryRun: 'All' } },
        );
        const { priority, priorityClassName, preemptionPolicy } = body.spec ?? {};
        api.note('pod', { status, priority, priorityClassName, preemptionPolicy, message: body.message });
      };
      await api.settled(async () => {
        const { status } = await api.unnoted.post(
          pods,
          { metadata: { name: 'p' }, spec: { ...spec, priorityClassName: name } },
          { query: { dryRun: 'All' } },
        );
        return status < 400;
      });
      await post({ priorityClassName: name });
      await post({ priorityClassName: name, priority: 3 });
      await post({ priorityClassName: 'nobody' });
      await api.quietly.delete(`${classes}/${name}`);
    },
  },
  {
    title: 'an ephemeral container is put into a Pod, and stays as it is',
    needsControllers: true,
    async run(api) {
      const pods = `/api/v1/namespaces/${api.namespace}/pods`;
      const spec = { containers: [{ name: 'c', image: 'i' }], automountServiceAccountToken: false };
      await api.quietly.eventually(
        `/api/v1/namespaces/${api.namespace}/serviceaccounts`,
        ({ items }) => items.length > 0,
      );
      await api.quietly.post(pods, { metadata: { name: 'p' }, spec });
      const patch = async (ephemeralContainers: readonly object[], type: 'strategic-merge' | 'merge') => {
        const { status, body } = await api.unnoted.patch(`${pods}/p/ephemeralcontainers`, type, {
          metadata: { labels: { dropped: 'x' } },
          spec: { ephemeralContainers },
        });
        // The message about a change contains a difference of Go structs.
        const message = String(body.message).replace(/(may not be changed\n)[\s\S]*$/, '$1');
        api.note(
          JSON.stringify(ephemeralContainers),
          status < 400
            ? { containers: body.spec.ephemeralContainers, ...pick(body.metadata, ['generation', 'labels']) }
            : { status, message },
        );
      };
      await patch([{ name: 'debug', image: 'busybox' }], 'strategic-merge');
      await patch([{ name: 'second', image: 'busybox:1', targetContainerName: 'c' }], 'strategic-merge');
      await patch([{ name: 'debug', image: 'other' }], 'strategic-merge');
      await patch([], 'merge');
      await patch([{ name: 'c', image: 'busybox' }], 'strategic-merge');
      await patch([{ name: 'd', image: 'busybox', ports: [{ containerPort: 80 }] }], 'strategic-merge');
      await patch([{ name: 'd', image: 'busybox', targetContainerName: 'nobody' }], 'strategic-merge');
    },
  },
]);

const pick = (object: Json, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, object[name] ?? null]));

const typesOf = ({ status }: Json) => status?.conditions?.map(({ type }: Json) => type);

/** Objects of the whole cluster have the name of the case's Namespace in theirs. */
const nameOf = ({ namespace }: CaseApi, { namespaced = false }: Kind) => (namespaced ? 'a' : `${namespace}.a`);

const pathOf = ({ namespace }: CaseApi, { root, plural, namespaced = false }: Kind) =>
  namespaced ? `/${root}/namespaces/${namespace}/${plural}` : `/${root}/${plural}`;

const named = (api: CaseApi, kind: Kind, object: object) => ({
  ...object,
  metadata: { ...(object as Json).metadata, name: nameOf(api, kind) },
});

async function lives(api: CaseApi, kind: Kind): Promise<void> {
  const path = pathOf(api, kind);
  const one = `${path}/${nameOf(api, kind)}`;
  const note = (line: string, { status, body }: { readonly status: number; readonly body: Json }) =>
    api.note(line, { status, body: told(body) });
  note('created', await api.unnoted.post(path, named(api, kind, kind.object)));
  for (const patch of kind.patches ?? []) note(JSON.stringify(patch), await api.unnoted.patch(one, 'merge', patch));
  if (kind.status !== undefined) {
    const { body } = await api.unnoted.get(one);
    note(
      'with a status',
      await api.unnoted.put(`${one}/status`, { ...body, status: { ...body.status, ...kind.status } }),
    );
  }
  if (kind.noTable !== true) {
    const { body } = await api.unnoted.get(one, { headers: asTable, query: { includeObject: 'None' } });
    api.note('as a Table', body);
  }
  const { status, body } = await api.unnoted.delete(one, { body: { propagationPolicy: 'Background' } });
  api.note('deleted', { status, kind: body.kind });
}

async function isRefused(api: CaseApi, kind: Kind): Promise<void> {
  for (const wrong of kind.wrong ?? []) {
    const { status, body } = await api.unnoted.post(pathOf(api, kind), named(api, kind, wrong), {
      query: { dryRun: 'All' },
    });
    const fields = (body.details?.causes ?? []).map(({ field }: Json) => field);
    api.note(JSON.stringify(wrong), { status, reason: body.reason, fields: [...new Set<string>(fields)].toSorted() });
  }
}

/**
 * An answer without fields that only a controller of the real server removes again, and without a
 * difference of structs.
 */
function told(body: Json): Json {
  if (body.kind === 'Status') {
    const causes = (body.details?.causes ?? []).map(({ field, reason }: Json) => `${field} ${reason}`);
    return { reason: body.reason, causes: [...new Set<string>(causes)].toSorted() };
  }
  const { finalizers: _, managedFields: __, ...metadata } = body.metadata;
  if (body.kind !== 'CertificateSigningRequest') return { ...body, metadata };
  // The sender has another name on each server.
  const { username, extra: ___, ...spec } = body.spec;
  return { ...body, metadata, spec: { ...spec, hasClaimedName: username === 'somebody' } };
}
