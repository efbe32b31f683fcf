import { Service } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../virtual-clock.ts';
import { createStandin } from './create-standin.ts';
import { clusterIPsOf } from './services.ts';
import { ask, del, patch, post, put } from './testing/requests.ts';

const services = '/api/v1/namespaces/default/services';

function start(serviceCIDR?: string) {
  const clock = createVirtualClock({ startMs: 0 });
  const standin = createStandin({ name: 'east', clock, types: [Service], serviceCIDR });
  return { admin: standin.admin, transport: standin.transport() };
}

const service = (name: string, spec: object) => ({ metadata: { name }, spec });
const specOf = ({ body }: { readonly body: unknown }) => (body as { spec: Record<string, unknown> }).spec;

describe('a Service', () => {
  it.each([
    [
      'of one port',
      { selector: { app: 'cart' }, ports: [{ port: 80 }] },
      {
        selector: { app: 'cart' },
        ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
        type: 'ClusterIP',
        clusterIP: '10.96.0.10',
        clusterIPs: ['10.96.0.10'],
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
      },
    ],
    [
      'that is headless',
      { clusterIP: 'None', selector: { app: 'cart' }, ports: [{ name: 'a', port: 80, targetPort: 'http' }] },
      {
        selector: { app: 'cart' },
        ports: [{ name: 'a', port: 80, protocol: 'TCP', targetPort: 'http' }],
        type: 'ClusterIP',
        clusterIP: 'None',
        clusterIPs: ['None'],
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
      },
    ],
    [
      'of type ExternalName',
      { type: 'ExternalName', externalName: 'a.b' },
      { type: 'ExternalName', externalName: 'a.b', sessionAffinity: 'None' },
    ],
    [
      'with session affinity',
      { clusterIP: '10.96.7.7', sessionAffinity: 'ClientIP', ports: [{ port: 80, protocol: 'UDP', targetPort: 8080 }] },
      {
        ports: [{ port: 80, protocol: 'UDP', targetPort: 8080 }],
        type: 'ClusterIP',
        clusterIP: '10.96.7.7',
        clusterIPs: ['10.96.7.7'],
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } },
        internalTrafficPolicy: 'Cluster',
      },
    ],
  ])('%s gets the defaults of the real server', async (_title, spec, expected) => {
    const { transport } = start();
    const { code, body } = await ask(transport, post(services, service('cart', spec)));
    expect(code).toBe(201);
    expect(specOf({ body })).toEqual(expected);
    expect((body as { status: unknown }).status).toEqual({ loadBalancer: {} });
  });

  it.each([
    [
      { clusterIP: '10.97.0.1', ports: [{ port: 80 }] },
      'spec.clusterIPs: Invalid value: ["10.97.0.1"]: failed to allocate IP 10.97.0.1: the provided network does not match the current range',
    ],
    [
      { clusterIP: '10.96.0.10', ports: [{ port: 80 }] },
      'spec.clusterIPs: Invalid value: ["10.96.0.10"]: failed to allocate IP 10.96.0.10: provided IP is already allocated',
    ],
    [{}, 'spec.ports: Required value'],
    [
      { ports: [{ port: 80 }, { port: 81 }] },
      '[spec.ports[0].name: Required value, spec.ports[1].name: Required value]',
    ],
    [
      {
        ports: [
          { name: 'a', port: 80 },
          { name: 'a', port: 81 },
        ],
      },
      'spec.ports[1].name: Duplicate value: "a"',
    ],
    [{ ports: [{ port: 0 }] }, 'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive'],
  ])('with the spec %j is refused', async (spec, message) => {
    const { transport } = start();
    await ask(transport, post(services, service('first', { ports: [{ port: 80 }] })));
    expect(await ask(transport, post(services, service('cart', spec)))).toMatchObject({
      code: 422,
      body: { message: `Service "cart" is invalid: ${message}` },
    });
  });

  it('keeps its address through updates that do not name it, and refuses another', async () => {
    const { transport } = start();
    await ask(transport, post(services, service('cart', { ports: [{ port: 80 }] })));
    for (const request of [
      patch(`${services}/cart`, { spec: { ports: [{ port: 81 }] } }),
      patch(`${services}/cart`, { spec: { clusterIP: null, clusterIPs: null } }),
      put(`${services}/cart`, service('cart', { ports: [{ port: 82 }] })),
    ]) {
      expect(specOf(await ask(transport, request))).toMatchObject({
        clusterIP: '10.96.0.10',
        clusterIPs: ['10.96.0.10'],
      });
    }
    expect(await ask(transport, patch(`${services}/cart`, { spec: { clusterIP: '10.96.0.99' } }))).toMatchObject({
      code: 422,
      body: {
        message:
          'Service "cart" is invalid: spec.clusterIPs[0]: Invalid value: ["10.96.0.99"]: may not change once set',
      },
    });
  });

  it('gets an address when it becomes one of ClusterIP, and loses it when it becomes one of ExternalName', async () => {
    const { transport } = start();
    await ask(
      transport,
      post(services, service('cart', { type: 'ExternalName', externalName: 'a.b', ports: [{ port: 80 }] })),
    );
    const inside = await ask(transport, patch(`${services}/cart`, { spec: { type: 'ClusterIP', externalName: null } }));
    expect(specOf(inside)).toMatchObject({ clusterIP: '10.96.0.10' });
    const outside = await ask(
      transport,
      patch(`${services}/cart`, { spec: { type: 'ExternalName', externalName: 'a.b' } }),
    );
    expect(specOf(outside)).not.toHaveProperty('clusterIP');
  });

  it('that is made anew gets another address than it had', async () => {
    const { transport } = start();
    const create = () => ask(transport, post(services, service('cart', { ports: [{ port: 80 }] })));
    await create();
    await ask(transport, del(`${services}/cart`));
    expect(specOf(await create())['clusterIP']).toBe('10.96.0.11');
  });

  it('frees its address when it goes', async () => {
    const { transport } = start();
    await ask(transport, post(services, service('cart', { clusterIP: '10.96.5.5', ports: [{ port: 80 }] })));
    await ask(transport, del(`${services}/cart`));
    expect(
      (await ask(transport, post(services, service('other', { clusterIP: '10.96.5.5', ports: [{ port: 80 }] })))).code,
    ).toBe(201);
  });

  it('is answered as an object when it is deleted', async () => {
    const { transport } = start();
    await ask(transport, post(services, service('cart', { ports: [{ port: 80 }] })));
    expect(await ask(transport, del(`${services}/cart`))).toMatchObject({
      code: 200,
      body: { kind: 'Service', metadata: { name: 'cart' } },
    });
  });
});

describe('a range of Service addresses', () => {
  it('is handed out to its last address, around its end, and then no more', () => {
    const ips = clusterIPsOf('fd00::/124');
    const taken = new Set<string>();
    for (let i = 0; i < 15; i++) taken.add(ips.next(taken));
    expect([...taken].slice(0, 7)).toEqual([
      'fd00::a',
      'fd00::b',
      'fd00::c',
      'fd00::d',
      'fd00::e',
      'fd00::f',
      'fd00::1',
    ]);
    expect(() => ips.next(taken)).toThrow('exhausted');
    expect(ips.family).toBe('IPv6');
  });

  it('must be a CIDR', () => {
    expect(() => start('10.96.0.0')).toThrow('The Service range 10.96.0.0 is no CIDR.');
  });
});
