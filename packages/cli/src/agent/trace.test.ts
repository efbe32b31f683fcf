import { ClusterInfoImport, ClusterSet, EndpointSlice, Namespace, Node, Service } from '@isthmus/api';
import { createSandbox } from '@isthmus/sandbox';
import { clusterAdmin, createVirtualClock, definitions, importedCart, importedCartEndpoints } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { ExitCode } from '../exit-code.ts';
import { runCli } from '../run-cli.ts';
import { inVirtualTime } from '../testing/in-virtual-time.ts';
import { madeUpIo } from '../testing/made-up-io.ts';

const kubeconfig = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'it',
  clusters: [{ name: 'it', cluster: { server: 'https://cluster.test:6443' } }],
  users: [{ name: 'it', user: { token: 'a token' } }],
  contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
});

/** A cluster of one Node, a gateway, that has imported Service `shop/cart` from west. */
async function clusterOfOneNode({
  gatewayIP = '172.30.2.11',
  prepare,
}: {
  readonly gatewayIP?: string;
  readonly prepare?: (server: ReturnType<typeof createSandbox>) => void;
} = {}) {
  const clock = createVirtualClock({ startMs: Date.UTC(2026, 10, 26) });
  const server = createSandbox({ name: 'east', clock, serviceCIDR: '10.99.0.0/16', image: await definitions.ours() });
  server.admin.put(Namespace, { metadata: { name: 'kube-system' } });
  server.admin.put(Namespace, { metadata: { name: 'shop' } });
  server.admin.put(Node, {
    metadata: { name: 'east-1', annotations: { 'multicluster.antrea.io/gateway': 'true' } },
    spec: { podCIDRs: ['10.10.1.0/24'] },
    status: {
      addresses: [{ type: 'InternalIP', address: '172.30.1.11' }],
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  });
  server.admin.put(ClusterInfoImport, {
    metadata: { name: 'west-clusterinfo', namespace: 'kube-system' },
    spec: { clusterID: 'west', podCIDRs: ['10.20.0.0/16'], gatewayInfos: [{ gatewayIP }] },
  });
  server.admin.put(Service, importedCart('10.99.0.80'));
  server.admin.put(EndpointSlice, importedCartEndpoints(['10.20.1.5']));
  prepare?.(server);
  return async (...args: readonly string[]) => {
    const io = madeUpIo({ clock, transport: server.transport(clusterAdmin), files: { kubeconfig } });
    const code = await inVirtualTime(clock, runCli(io, ['agent', 'trace', ...args, '--kubeconfig', 'kubeconfig']));
    return { code, out: io.out, err: io.err };
  };
}

describe('isthmus agent trace', () => {
  it('prints the way of a packet from the objects of the cluster', async () => {
    const trace = await clusterOfOneNode();
    expect(await trace('10.10.1.2', 'shop/cart')).toEqual({
      code: ExitCode.ok,
      out: [
        'TCP 10.10.1.2:40000 → 10.99.0.80:80 (imported Service shop/antrea-mc-cart)',
        '  east-1  TCP 10.10.1.2:40000 → 10.99.0.80:80 comes from a Pod',
        '          chain import/shop/antrea-mc-cart/tcp/80/4 translates the destination to 10.20.1.5:8080',
        '          tunnel isthmus-gw carries it to 172.30.2.11',
        'Sent to 172.30.2.11, a gateway of cluster west, whose Nodes this cluster does not know.',
        '',
      ].join('\n'),
      err: '',
    });
  });

  it('prints virtual addresses where another cluster has the same Pod CIDR', async () => {
    const annotation = 'isthmus.dev/virtual-pod-cidrs';
    const trace = await clusterOfOneNode({
      prepare({ admin }) {
        admin.put(ClusterSet, {
          metadata: {
            name: 'fleet',
            namespace: 'kube-system',
            annotations: { [annotation]: '10.10.0.0/16=100.64.0.0/16' },
          },
        });
        admin.put(ClusterInfoImport, {
          metadata: {
            name: 'west-clusterinfo',
            namespace: 'kube-system',
            annotations: { [annotation]: '10.10.0.0/16=100.65.0.0/16' },
          },
          spec: { clusterID: 'west', podCIDRs: ['100.65.0.0/16'], gatewayInfos: [{ gatewayIP: '172.30.2.11' }] },
        });
      },
    });
    const { code, out } = await trace('10.10.1.2', '100.65.1.2:80');
    expect(code).toBe(ExitCode.ok);
    expect(out).toContain('chain source translates the source to 100.64.1.2');
    expect(out).toContain('There, 100.65.0.0/16 stands for Pods with addresses in 10.10.0.0/16.');
  });

  it('rejects operands that name nothing', async () => {
    const trace = await clusterOfOneNode();
    const { code, err } = await trace('10.10.1.2', 'shop/other');
    expect(code).toBe(ExitCode.usage);
    expect(err).toContain('cannot trace: Service shop/other is not imported.');
  });
});
