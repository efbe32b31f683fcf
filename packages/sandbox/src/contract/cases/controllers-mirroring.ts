import type { CaseApi, Json } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

/** EndpointSlices of Endpoints that a client has written. */
export const controllersMirroring = contractArea(
  'controllers-mirroring',
  [
    {
      title: 'Endpoints of a Service without a selector are mirrored to a slice',
      needsControllers: true,
      async run(api) {
        await api.quietly.post(services(api), service());
        await api.quietly.post(endpoints(api), written(['10.0.0.1', '10.0.0.2'], { notReady: ['10.0.0.3'] }));
        await api.quietly.eventually(slices(api), ({ items }) => items[0]?.endpoints?.length === 3);
        await noteSlices(api);
      },
    },
    {
      title: 'labels and annotations are copied, but for those of the tools',
      needsControllers: true,
      async run(api) {
        await api.quietly.post(services(api), service());
        await api.quietly.post(
          endpoints(api),
          written(['10.0.0.1'], {
            metadata: {
              labels: { tier: 'front' },
              annotations: {
                note: 'x',
                'kubectl.kubernetes.io/last-applied-configuration': '{}',
                'endpoints.kubernetes.io/last-change-trigger-time': '2026-01-01T00:00:00Z',
              },
            },
          }),
        );
        await api.eventually(slices(api), ({ items }) => items.length === 1);
      },
    },
    {
      title: 'each family and each set of ports has a slice',
      needsControllers: true,
      async run(api) {
        await api.quietly.post(services(api), service());
        await api.quietly.post(endpoints(api), {
          metadata: { name: 'web' },
          subsets: [
            { addresses: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }], ports: [{ port: 80 }] },
            { addresses: [{ ip: '10.0.0.2' }], ports: [{ port: 81, name: 'b', appProtocol: 'http' }] },
          ],
        });
        await api.quietly.eventually(slices(api), ({ items }) => items.length === 3);
        await noteSlices(api);
      },
    },
    {
      title: 'a change is mirrored into the same slice, and the slice goes with the Endpoints',
      needsControllers: true,
      async run(api) {
        await api.quietly.post(services(api), service());
        await api.quietly.post(endpoints(api), written(['10.0.0.1']));
        await api.eventually(slices(api), ({ items }) => items.length === 1);
        await api.quietly.put(`${endpoints(api)}/web`, written(['10.0.0.1', '10.0.0.9']));
        await api.quietly.eventually(slices(api), ({ items }) => items[0]?.endpoints?.length === 2);
        await noteSlices(api);
        await api.quietly.delete(`${endpoints(api)}/web`);
        await api.eventually(slices(api), ({ items }) => items.length === 0);
      },
    },
    {
      title: 'Endpoints that ask for it, elect a leader, or have no Service are not mirrored',
      needsControllers: true,
      async run(api) {
        await api.quietly.post(services(api), service());
        await api.quietly.post(services(api), service('other'));
        await api.quietly.post(
          endpoints(api),
          written(['10.0.0.1'], { metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } } }),
        );
        await api.quietly.post(
          endpoints(api),
          written(['10.0.0.1'], {
            metadata: { name: 'other', annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' } },
          }),
        );
        await api.quietly.post(endpoints(api), written(['10.0.0.1'], { metadata: { name: 'nobody' } }));
        await api.pass(2_000);
        await api.get(slices(api));
        await api.quietly.patch(`${endpoints(api)}/web`, 'merge', { metadata: { labels: null } });
        await api.eventually(slices(api), ({ items }) => items.length === 1);
      },
    },
    {
      title: 'a Service that gets a selector has no mirrored slice any more',
      needsControllers: true,
      async run(api) {
        await api.quietly.post(services(api), service());
        await api.quietly.post(endpoints(api), written(['10.0.0.1']));
        await api.quietly.eventually(slices(api), ({ items }) => items.length === 1);
        await api.quietly.patch(`${services(api)}/web`, 'merge', { spec: { selector: { app: 'web' } } });
        const mirrored = (items: readonly Json[]) =>
          items.filter(({ metadata }) =>
            metadata.labels['endpointslice.kubernetes.io/managed-by'].includes('mirroring'),
          );
        await api.settled(async () => mirrored((await api.unnoted.get(slices(api))).body.items).length === 0);
      },
    },
  ],
  { moreControllers: ['endpointslice-mirroring-controller'] },
);

const services = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}/services`;
const endpoints = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}/endpoints`;
const slices = ({ namespace }: CaseApi) => `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;

function service(name = 'web') {
  return { metadata: { name }, spec: { ports: [{ port: 80 }] } };
}

function written(
  ready: readonly string[],
  { notReady = [], metadata = {} }: { readonly notReady?: readonly string[]; readonly metadata?: object } = {},
) {
  const addressesOf = (addresses: readonly string[]) => addresses.map((ip) => ({ ip }));
  return {
    metadata: { name: 'web', ...metadata },
    subsets: [
      {
        addresses: addressesOf(ready),
        ...(notReady.length > 0 && { notReadyAddresses: addressesOf(notReady) }),
        ports: [{ name: 'http', port: 8080 }],
      },
    ],
  };
}

/** Notes the slices sorted by content: the server creates them in any order. */
async function noteSlices(api: CaseApi): Promise<void> {
  const { body } = await api.unnoted.get(slices(api));
  const shown = body.items.map(({ addressType, ports, endpoints: all }: Json) => ({
    addressType,
    ports,
    endpoints: all.toSorted((a: Json, b: Json) => (a.addresses[0] < b.addresses[0] ? -1 : 1)),
  }));
  const textOf = (slice: Json) => JSON.stringify(slice);
  api.note(
    'slices',
    shown.toSorted((a: Json, b: Json) => (textOf(a) < textOf(b) ? -1 : 1)),
  );
}
