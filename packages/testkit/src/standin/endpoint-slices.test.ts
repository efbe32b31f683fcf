import { EndpointSlice, Namespace, Pod, Service } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../virtual-clock.ts';
import { createStandin } from './create-standin.ts';
import { ask, patch, post } from './testing/requests.ts';

function start() {
  const clock = createVirtualClock({ startMs: 0 });
  const standin = createStandin({ name: 'east', clock, types: [Service, Pod, EndpointSlice] });
  const { admin } = standin;
  admin.put(Namespace, { metadata: { name: 'shop' } });
  const slices = async () => {
    await clock.settle();
    return admin.list(EndpointSlice, 'shop');
  };
  return { clock, admin, slices, transport: standin.transport() };
}

function pod(
  name: string,
  podIP: string,
  more: { ready?: boolean; port?: number; app?: string; spec?: object } = {},
): Pod {
  const { ready = true, port = 8080, app = 'cart', spec } = more;
  return {
    metadata: { name, namespace: 'shop', labels: { app } },
    spec: { containers: [{ name: 'main', ports: [{ name: 'http', containerPort: port }] }], ...spec },
    status: { phase: 'Running', podIP, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

const cart: Service = {
  metadata: { name: 'cart', namespace: 'shop', labels: { team: 'a' } },
  spec: {
    selector: { app: 'cart' },
    ports: [
      { name: 'web', port: 80, targetPort: 'http' },
      { name: 'admin', port: 9000 },
    ],
  },
};

describe('the slices of a Service with a selector', () => {
  it('list the Pods that it selects, with resolved ports, labels and owner', async () => {
    const { admin, slices } = start();
    const service = admin.put(Service, cart);
    admin.put(Pod, pod('p1', '10.1.0.1', { spec: { nodeName: 'n1', hostname: 'h', subdomain: 'cart' } }));
    admin.put(Pod, pod('p2', '10.1.0.2', { ready: false }));
    admin.put(Pod, pod('other', '10.1.0.3', { app: 'other' }));
    const [slice, ...more] = await slices();
    expect(more).toEqual([]);
    expect(slice).toMatchObject({
      metadata: {
        name: expect.stringMatching(/^cart-[a-z0-9]{5}$/),
        labels: {
          team: 'a',
          'kubernetes.io/service-name': 'cart',
          'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        },
        ownerReferences: [{ kind: 'Service', name: 'cart', uid: service.metadata.uid, controller: true }],
      },
      addressType: 'IPv4',
      ports: [
        { name: 'web', protocol: 'TCP', port: 8080 },
        { name: 'admin', protocol: 'TCP', port: 9000 },
      ],
      endpoints: [
        {
          addresses: ['10.1.0.1'],
          conditions: { ready: true, serving: true, terminating: false },
          targetRef: { kind: 'Pod', name: 'p1' },
          nodeName: 'n1',
          hostname: 'h',
        },
        { addresses: ['10.1.0.2'], conditions: { ready: false, serving: false, terminating: false } },
      ],
    });
  });

  it('follow what happens to the Pods', async () => {
    const { admin, slices } = start();
    admin.put(Service, cart);
    admin.put(Pod, pod('p1', '10.1.0.1'));
    const [first] = await slices();
    admin.put(Pod, pod('p1', '10.1.0.1', { ready: false }));
    const [second] = await slices();
    expect(second?.metadata.uid).toBe(first?.metadata.uid);
    expect(second?.endpoints?.[0]?.conditions?.ready).toBe(false);
    admin.patch(Pod, { namespace: 'shop', name: 'p1' }, { metadata: { labels: { app: 'gone' } } });
    const [third] = await slices();
    // As the real server stores empty lists of a slice.
    expect([third?.endpoints, third?.ports]).toEqual([null, null]);
  });

  it('are one placeholder where no Pod is selected, and none without a selector', async () => {
    const { admin, slices } = start();
    admin.put(Service, cart);
    expect(await slices()).toMatchObject([{ endpoints: null, ports: null }]);
    admin.patch(Service, { namespace: 'shop', name: 'cart' }, { spec: { selector: null } });
    expect(await slices()).toEqual([]);
  });

  it('are apart where Pods resolve a port differently', async () => {
    const { admin, slices } = start();
    admin.put(Service, cart);
    admin.put(Pod, pod('p1', '10.1.0.1', { port: 8080 }));
    admin.put(Pod, pod('p2', '10.1.0.2', { port: 8081 }));
    const ports = (await slices()).map(({ ports, endpoints }) => [
      ports?.[0]?.port,
      (endpoints ?? []).map(({ addresses }) => addresses[0]),
    ]);
    expect(ports.toSorted(([a = 0], [b = 0]) => Number(a) - Number(b))).toEqual([
      [8080, ['10.1.0.1']],
      [8081, ['10.1.0.2']],
    ]);
  });

  it('leave out Pods without a usable address, and those that have ended', async () => {
    const { admin, slices } = start();
    admin.put(Service, cart);
    admin.put(Pod, pod('v6', 'fd00::1'));
    admin.put(Pod, pod('odd', 'nonsense'));
    const { status, ...ended } = pod('ended', '10.1.0.9');
    admin.put(Pod, { ...ended, status: { ...status, phase: 'Succeeded' } });
    expect(await slices()).toMatchObject([{ addressType: 'IPv4', endpoints: null }]);
  });

  it('of a headless Service say so', async () => {
    const { admin, slices } = start();
    admin.put(Service, { ...cart, spec: { ...cart.spec, clusterIP: 'None' } });
    expect((await slices())[0]?.metadata.labels).toMatchObject({ 'service.kubernetes.io/headless': '' });
  });

  it('go with the Service, and with the Namespace', async () => {
    const { admin, slices } = start();
    admin.put(Service, cart);
    expect(await slices()).toHaveLength(1);
    admin.delete(Service, { namespace: 'shop', name: 'cart' });
    expect(await slices()).toEqual([]);
    admin.put(Service, cart);
    await slices();
    admin.delete(Namespace, { name: 'shop' });
    expect(await slices()).toEqual([]);
    expect(admin.get(Namespace, { name: 'shop' })).toBeUndefined();
  });

  it('leave slices of others alone, and are not rewritten when nothing changes', async () => {
    const { admin, slices, transport, clock } = start();
    const foreign = {
      metadata: { name: 'mine', labels: { 'kubernetes.io/service-name': 'cart' } },
      addressType: 'IPv4',
      endpoints: [],
    };
    await ask(transport, post('/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices', foreign));
    admin.put(Service, cart);
    admin.put(Pod, pod('p1', '10.1.0.1'));
    const before = await slices();
    expect(before).toHaveLength(2);
    await ask(transport, patch('/api/v1/namespaces/shop/pods/p1', { metadata: { annotations: { a: 'b' } } }));
    await clock.settle();
    expect(await slices()).toEqual(before);
  });
});

describe('the addresses of a slice', () => {
  const path = '/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices';

  it.each([
    ['127.0.0.1', 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
    ['169.254.1.1', 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
    ['224.0.0.1', 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
    ['0.0.0.0', 'may not be unspecified (0.0.0.0)'],
    ['web.example.com', 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    ['fd00::1', 'must be an IPv4 address'],
  ])('may not be %s', async (address, problem) => {
    const { transport } = start();
    const slice = { metadata: { name: 's' }, addressType: 'IPv4', endpoints: [{ addresses: [address] }] };
    expect(await ask(transport, post(path, slice))).toMatchObject({
      code: 422,
      body: {
        message: `EndpointSlice.discovery.k8s.io "s" is invalid: endpoints[0].addresses[0]: Invalid value: "${address}": ${problem}`,
      },
    });
  });

  it('keep their family', async () => {
    const { transport } = start();
    const slice = {
      metadata: { name: 's' },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.1'] }],
      ports: [{ port: 80 }],
    };
    expect(await ask(transport, post(path, slice))).toMatchObject({
      code: 201,
      body: {
        metadata: { generation: 1 },
        endpoints: [{ addresses: ['10.0.0.1'], conditions: {} }],
        ports: [{ name: '', protocol: 'TCP', port: 80 }],
      },
    });
    expect(await ask(transport, patch(`${path}/s`, { metadata: { labels: { a: 'b' } } }))).toMatchObject({
      body: { metadata: { generation: 2 } },
    });
    expect(await ask(transport, patch(`${path}/s`, { addressType: 'IPv6', endpoints: [] }))).toMatchObject({
      code: 422,
      body: {
        message:
          'EndpointSlice.discovery.k8s.io "s" is invalid: addressType: Invalid value: "IPv6": field is immutable',
      },
    });
  });
});
