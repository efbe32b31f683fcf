import type { CaseApi, Json } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

/**
 * EndpointSlices, as the Pods of a Service come, change and go. No kubelet runs: a case writes the
 * status instead.
 */
export const controllersEndpoints = contractArea('controllers-endpoints', [
  {
    title: 'a Service whose selector selects nothing has one empty slice',
    needsControllers: true,
    async run(api) {
      await api.quietly.post(`${ns(api)}/services`, service({ labels: { tier: 'front' } }));
      await api.eventually(slices(api), ({ items }) => items.length === 1);
    },
  },
  {
    title: 'a Service without a selector has no slices of the controller',
    needsControllers: true,
    async run(api) {
      await api.quietly.post(`${ns(api)}/services`, service({ name: 'bare' }, { selector: undefined }));
      await api.quietly.post(`${ns(api)}/services`, service());
      await api.eventually(slices(api), ({ items }) => items.length === 1);
    },
  },
  {
    title: 'a headless Service has slices that say so',
    needsControllers: true,
    async run(api) {
      await api.quietly.post(`${ns(api)}/services`, service({}, { clusterIP: 'None' }));
      await api.eventually(slices(api), ({ items }) => items.length === 1);
    },
  },
  {
    title: 'a ready Pod is an endpoint with its Node and zone, a named port with its number',
    needsControllers: true,
    run: withNode(async (api) => {
      await api.quietly.post(
        `${ns(api)}/services`,
        service({}, { ports: [{ port: 80, targetPort: 'http', appProtocol: 'http' }] }),
      );
      await runPod(api, 'one', '10.7.0.1');
      await api.eventually(slices(api), ({ items }) => readyCount(items) === 1);
    }),
  },
  {
    title: 'a Pod that is not ready is an endpoint that is not ready, unless the Service publishes it',
    needsControllers: true,
    run: withNode(async (api) => {
      await runPod(api, 'one', '10.7.0.1', { ready: 'False' });
      await api.quietly.post(`${ns(api)}/services`, service());
      await api.eventually(slices(api), ({ items }) => items[0]?.endpoints?.length === 1);
      await api.quietly.patch(`${ns(api)}/services/web`, 'merge', { spec: { publishNotReadyAddresses: true } });
      await api.eventually(slices(api), ({ items }) => readyCount(items) === 1);
    }),
  },
  {
    title: 'a Pod that is being deleted still serves, and is not ready',
    needsControllers: true,
    run: withNode(async (api) => {
      await runPod(api, 'one', '10.7.0.1');
      await api.quietly.post(`${ns(api)}/services`, service());
      await api.quietly.eventually(slices(api), ({ items }) => readyCount(items) === 1);
      await api.quietly.delete(`${ns(api)}/pods/one`);
      await api.eventually(slices(api), ({ items }) => items[0]?.endpoints?.[0]?.conditions.terminating === true);
    }),
  },
  {
    title: 'a Pod that is finished is no endpoint',
    needsControllers: true,
    run: withNode(async (api) => {
      await runPod(api, 'one', '10.7.0.1');
      await api.quietly.post(`${ns(api)}/services`, service());
      await api.quietly.eventually(slices(api), ({ items }) => readyCount(items) === 1);
      await api.quietly.patch(`${ns(api)}/pods/one/status`, 'merge', {
        status: {
          phase: 'Succeeded',
          conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: '2026-11-21T00:00:01Z' }],
        },
      });
      await api.eventually(slices(api), ({ items }) => (items[0]?.endpoints ?? []).length === 0);
    }),
  },
  {
    title: 'a Pod on a Node that is not there is no endpoint',
    needsControllers: true,
    run: withNode(async (api) => {
      await runPod(api, 'lost', '10.7.0.2', { nodeName: 'no-such-node' });
      await runPod(api, 'one', '10.7.0.1');
      await api.quietly.post(`${ns(api)}/services`, service());
      await api.eventually(slices(api), ({ items }) => readyCount(items) === 1);
    }),
  },
  {
    title: 'the hostname of a Pod in the subdomain of the Service is told',
    needsControllers: true,
    run: withNode(async (api) => {
      await runPod(api, 'one', '10.7.0.1', { spec: { hostname: 'h1', subdomain: 'web' } });
      await api.quietly.post(`${ns(api)}/services`, service());
      await api.eventually(slices(api), ({ items }) => readyCount(items) === 1);
    }),
  },
  {
    title: 'slices follow the labels of their Service',
    needsControllers: true,
    async run(api) {
      await api.quietly.post(`${ns(api)}/services`, service({ labels: { tier: 'front' } }));
      await api.quietly.eventually(slices(api), ({ items }) => items.length === 1);
      await api.quietly.patch(`${ns(api)}/services/web`, 'merge', {
        metadata: { labels: { tier: 'back', more: 'x' } },
      });
      await api.eventually(slices(api), ({ items }) => items[0]?.metadata.labels.more === 'x');
    },
  },
  {
    title: 'a slice that somebody deletes comes back',
    needsControllers: true,
    run: withNode(async (api) => {
      await runPod(api, 'one', '10.7.0.1');
      await api.quietly.post(`${ns(api)}/services`, service());
      const { body } = await api.quietly.eventually(slices(api), ({ items }) => readyCount(items) === 1);
      const { name, uid } = body.items[0].metadata;
      await api.quietly.delete(`${slices(api)}/${name}`);
      await api.eventually(
        slices(api),
        ({ items }) => items.length === 1 && items[0].metadata.uid !== uid && readyCount(items) === 1,
      );
    }),
  },
  {
    title: 'slices go with their Service',
    needsControllers: true,
    async run(api) {
      await api.quietly.post(`${ns(api)}/services`, service());
      await api.quietly.eventually(slices(api), ({ items }) => items.length === 1);
      await api.quietly.delete(`${ns(api)}/services/web`);
      await api.eventually(slices(api), ({ items }) => items.length === 0);
    },
  },
  {
    title: 'Pods whose named port has different numbers stand in different slices',
    needsControllers: true,
    run: withNode(async (api) => {
      await api.quietly.post(`${ns(api)}/services`, service({}, { ports: [{ port: 80, targetPort: 'http' }] }));
      await runPod(api, 'one', '10.7.0.1');
      await api.quietly.eventually(slices(api), ({ items }) => readyCount(items) === 1);
      await runPod(api, 'two', '10.7.0.2', { spec: { containers: [container(9090)] } });
      const { body } = await api.quietly.eventually(slices(api), ({ items }) => readyCount(items) === 2);
      const ports = body.items.map(({ ports: [port] }: Json) => port.port).toSorted();
      if (ports.join() !== '8080,9090') throw new Error(`the ports are ${ports.join()}`);
    }),
  },
]);

const ns = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}`;
const slices = ({ namespace }: CaseApi) => `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
const container = (containerPort: number) => ({
  name: 'c',
  image: 'example.com/i',
  ports: [{ name: 'http', containerPort }],
});

function service(metadata: object = {}, spec: object = {}): object {
  return { metadata: { name: 'web', ...metadata }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }], ...spec } };
}

function readyCount(items: Json): number {
  return items.flatMap((slice: Json) => slice.endpoints ?? []).filter((one: Json) => one.conditions.ready).length;
}

interface PodOptions {
  readonly ready?: 'True' | 'False';
  readonly nodeName?: string;
  readonly spec?: object;
}

/** Creates a Pod and writes its status as a kubelet would. */
async function runPod(api: CaseApi, name: string, podIP: string, more: PodOptions = {}): Promise<void> {
  const { ready = 'True', nodeName = api.namespace, spec = {} } = more;
  const pod = {
    metadata: { name, labels: { app: 'web' } },
    spec: { nodeName, containers: [container(8080)], ...spec },
  };
  await api.quietly.eventually(`${ns(api)}/serviceaccounts`, ({ items }) => items.length > 0);
  await api.quietly.post(`${ns(api)}/pods`, pod);
  const conditions = [{ type: 'Ready', status: ready, lastTransitionTime: '2026-11-21T00:00:00Z' }];
  await api.quietly.patch(`${ns(api)}/pods/${name}/status`, 'merge', {
    status: { phase: 'Running', podIP, podIPs: [{ ip: podIP }], conditions },
  });
}

/**
 * A Node named as the Namespace, for as long as the case runs; its Pods are taken away at the end.
 */
function withNode(run: (api: CaseApi) => Promise<void>): (api: CaseApi) => Promise<void> {
  return async (api) => {
    const labels = { 'topology.kubernetes.io/zone': 'z1' };
    await api.quietly.post('/api/v1/nodes', { metadata: { name: api.namespace, labels } });
    try {
      await run(api);
    } finally {
      const { body } = await api.quietly.get(`${ns(api)}/pods`);
      for (const { metadata } of body.items) {
        await api.quietly.delete(`${ns(api)}/pods/${metadata.name}`, { query: { gracePeriodSeconds: '0' } });
      }
      await api.quietly.delete(`/api/v1/nodes/${api.namespace}`);
    }
  };
}
