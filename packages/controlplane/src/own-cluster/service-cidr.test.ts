import { Service } from '@isthmus/api';
import type { ApiRequest, Transport } from '@isthmus/kube';
import { createClient } from '@isthmus/kube';
import type { Sandbox } from '@isthmus/sandbox';
import { createSandbox } from '@isthmus/sandbox';
import type { VirtualClock } from '@isthmus/fleet-sim';
import { clusterAdmin, createVirtualClock, definitions } from '@isthmus/fleet-sim';
import { beforeAll, describe, expect, it } from 'vitest';
import { findServiceCIDR } from './service-cidr.ts';

let server: Sandbox;
let clock: VirtualClock;
beforeAll(async () => {
  clock = createVirtualClock({ startMs: 0 });
  server = createSandbox({ name: 'here', clock, image: await definitions.ours() });
});

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

type Answer = (request: ApiRequest) => { readonly status: number; readonly message: string } | undefined;

/** The result if the API server gives this answer. */
function findWith(answer: Answer): Promise<string | undefined> {
  const transport: Transport = server.transport(clusterAdmin);
  const client = createClient({
    clock,
    transport: {
      async send(request, signal) {
        const given = answer(request);
        if (given === undefined) return transport.send(request, signal);
        const { status: code, message } = given;
        const body = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message });
        return { status: code, headers: { 'content-type': 'application/json' }, body: bytesOf(body) };
      },
      close: () => transport.close(),
    },
  });
  return findServiceCIDR(client, { namespace: 'kube-system', signal: new AbortController().signal });
}

const isRange = ({ path }: ApiRequest) => path.endsWith('/servicecidrs/kubernetes');
const isService = ({ path, method }: ApiRequest) => method === 'POST' && path.endsWith('/services');
/** An API server before 1.33, which rejects the Service with this message. */
const older =
  (message?: string): Answer =>
  (request) => {
    if (isRange(request)) return { status: 404, message: 'the server could not find the requested resource' };
    return message !== undefined && isService(request) ? { status: 422, message } : undefined;
  };

describe('the Service CIDR of a cluster', () => {
  it('is that of ServiceCIDR kubernetes, and no Service is sent', async () => {
    const sent: string[] = [];
    const found = await findWith((request) => void sent.push(request.method));
    expect(found).toMatch(/^10\.\d+\.0\.0\/\d+$/);
    expect(sent).toEqual(['GET']);
  });

  it('is named by an API server that serves no ServiceCIDRs, and leaves no Service behind', async () => {
    expect(await findWith(older())).toBe(await findWith(() => undefined));
    const names = server.admin.list(Service).map(({ metadata }) => metadata.name);
    expect(names).not.toContain('isthmus-service-range');
  });

  it.each([
    ['The range of valid IPs is 10.19.0.0/18', '10.19.0.0/18'],
    ['not in the valid range. The range of valid IPs is fd00:10::/108', 'fd00:10::/108'],
    ['The range of valid IPs are 10.19.0.0/18', undefined],
    ['The range of valid IPs is none', undefined],
    ['The range of valid IPs is 10.19.0.0/180', undefined],
    ['admission webhook "x" denied the request', undefined],
  ])('after the answer %j is %s', async (message, expected) => {
    expect(await findWith(older(message))).toBe(expected);
  });

  it('is an error where the API server fails, and it is asked again', async () => {
    const failing: Answer = () => ({ status: 500, message: 'etcd is away' });
    await expect(findWith(failing)).rejects.toThrow('etcd is away');
  });
});
