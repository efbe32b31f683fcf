import {
  ClusterInfoImport,
  ClusterNetworkPolicy,
  ClusterSet,
  EndpointSlice,
  LabelIdentity,
  Namespace,
  Node,
  Pod,
  Service,
  labelIdentityHash,
} from '@isthmus/api';
import { createSandbox } from '@isthmus/sandbox';
import { clusterAdmin, createVirtualClock, definitions, putDefinition } from '@isthmus/fleet-sim';
import { importedCart, importedCartEndpoints } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { ExitCode } from '../command/exit-code.ts';
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
async function traced({
  gatewayIP = '172.30.2.11',
  isMember = true,
  user = clusterAdmin,
  prepare,
}: {
  readonly user?: Parameters<ReturnType<typeof createSandbox>['transport']>[0];
  readonly isMember?: boolean;
  readonly gatewayIP?: string;
  readonly prepare?: (server: ReturnType<typeof createSandbox>) => void;
} = {}) {
  const clock = createVirtualClock({ startMs: Date.UTC(2026, 10, 26) });
  const server = createSandbox({
    name: 'east',
    clock,
    serviceCIDR: '10.99.0.0/16',
    ...(isMember && { image: await definitions.ours() }),
  });
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
  if (isMember)
    server.admin.put(ClusterInfoImport, {
      metadata: { name: 'west-clusterinfo', namespace: 'kube-system' },
      spec: { clusterID: 'west', podCIDRs: ['10.20.0.0/16'], gatewayInfos: [{ gatewayIP }] },
      status: { conditions: [{ type: 'Reachable', status: 'True', reason: 'GatewaysAnswer' }] },
    });
  server.admin.put(Service, importedCart('10.99.0.80'));
  server.admin.put(EndpointSlice, importedCartEndpoints(['10.20.1.5']));
  prepare?.(server);
  const trace = async (...args: readonly string[]) => {
    const io = madeUpIo({ clock, transport: server.transport(user), files: { kubeconfig } });
    const code = await inVirtualTime(clock, runCli(io, ['agent', 'trace', ...args, '--kubeconfig', 'kubeconfig']));
    return { code, out: io.out, err: io.err };
  };
  return { trace, server, clock };
}

describe('isthmus agent trace', () => {
  it('prints the way of a packet from the objects of the cluster', async () => {
    const { trace } = await traced();
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
    const { trace } = await traced({
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

  it('follows policies and the number of the labels of the client', async () => {
    const { trace, server, clock } = await traced();
    putDefinition(server, ClusterNetworkPolicy);
    await clock.settle();
    server.admin.put(Pod, {
      metadata: { name: 'client', namespace: 'shop', labels: { role: 'tenant' } },
      spec: { nodeName: 'east-1', containers: [{ name: 'main', image: 'none' }] },
      status: { podIP: '10.10.1.2', podIPs: [{ ip: '10.10.1.2' }] },
    });
    const label = 'ns:kubernetes.io/metadata.name=shop&pod:role=tenant';
    server.admin.put(LabelIdentity, { metadata: { name: labelIdentityHash(label) }, spec: { label, id: 17 } });
    const flag = '--enable-stretched-network-policy';
    const numbered = 'Its tunnel packets carry number 17 for the labels of the client.';
    expect(await trace('10.10.1.2', 'shop/cart', flag)).toMatchObject({
      code: ExitCode.ok,
      out: expect.stringContaining(numbered),
    });
    server.admin.put(ClusterNetworkPolicy, {
      metadata: { name: 'keep-out' },
      spec: {
        priority: 1,
        appliedTo: [{ podSelector: { matchLabels: { role: 'tenant' } } }],
        egress: [{ action: 'Drop', toServices: [{ name: 'cart', namespace: 'shop', scope: 'ClusterSet' }] }],
      },
    });
    const { code, out } = await trace('10.10.1.2', 'shop/cart', flag);
    expect([code, out]).toEqual([ExitCode.failed, expect.stringContaining('chain egress-dropped drops it')]);
    expect((await trace('10.10.1.3', 'shop/cart', flag)).code).toBe(ExitCode.ok);
  });

  it('knows a client by each of its addresses', async () => {
    const { trace, server } = await traced();
    const podIPs = [{ ip: 'fd00:10:0:1::2' }, { ip: '10.10.1.2' }];
    server.admin.put(Pod, {
      metadata: { name: 'client', namespace: 'shop', labels: { role: 'tenant' } },
      spec: { nodeName: 'east-1', containers: [{ name: 'main', image: 'none' }] },
      status: { podIP: 'fd00:10:0:1::2', podIPs },
    });
    const label = 'ns:kubernetes.io/metadata.name=shop&pod:role=tenant';
    server.admin.put(LabelIdentity, { metadata: { name: labelIdentityHash(label) }, spec: { label, id: 17 } });
    const { out } = await trace('10.10.1.2', 'shop/cart', '--enable-stretched-network-policy');
    expect(out).toContain('Its tunnel packets carry number 17 for the labels of the client.');
  });

  it('rejects operands that name nothing', async () => {
    const { trace } = await traced();
    const { code, err } = await trace('10.10.1.2', 'shop/other');
    expect(code).toBe(ExitCode.usage);
    expect(err).toContain(
      'cannot trace: Service shop/other is not imported; kubectl get serviceimports -A lists those that are.',
    );
  });

  it('fails where the packet is rejected, and prints why: here, the wrong Namespace', async () => {
    const { trace } = await traced();
    const { code, out } = await trace('10.10.1.2', 'shop/cart', '-n', 'antrea-multicluster');
    expect(code).toBe(ExitCode.failed);
    expect(out).toContain('Rejected on Node east-1');
    expect(out).toContain('Namespace antrea-multicluster contains neither a ClusterSet nor a ClusterInfoImport');
    expect(out).toContain('no ClusterInfoImport announces the network of cluster west');
  });

  it('reports a cluster that is not a member, such as that of the wrong context', async () => {
    const { trace } = await traced({ isMember: false });
    const { code, err } = await trace('10.10.1.2', 'shop/cart');
    expect(code).toBe(ExitCode.failed);
    expect(err).toMatch(/^error: cannot trace: this cluster does not have the kind ClusterInfoImport, .*context/);
  });

  it('names the next step where the user of the kubeconfig may not read the objects', async () => {
    const { trace } = await traced({
      user: { kind: 'user', user: { username: 'jane', groups: ['system:authenticated'] } },
    });
    const { code, err } = await trace('10.10.1.2', 'shop/cart');
    expect(code).toBe(ExitCode.failed);
    expect(err).toMatch(/^error: .*403.*Name a user who may do this, .*--kubeconfig and --context/);
  });
});
