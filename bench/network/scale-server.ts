/**
 * A program in a Node of a lab: an API server on loopback with many imported Services. Arguments:
 * the path of a kubeconfig that it writes, other clusters, Services, Nodes, Pods of this Node. For
 * each line of input it changes one endpoint.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  ClusterInfoImport,
  EndpointSlice,
  LabelIdentity,
  Namespace,
  Node,
  Pod,
  Service,
  labelIdentityHash,
} from '@isthmus/api';
import { systemClock } from '@isthmus/kube';
import { createSandbox, serveHttps } from '@isthmus/sandbox';
import { definitions } from '@isthmus/fleet-sim';
import { tokenKubeconfig } from '@isthmus/testkit';

const [, , kubeconfig = '', ...numbers] = process.argv;
const [clusters = 0, services = 0, nodes = 0, pods = 0] = numbers.map(Number);
const endpointsEach = 5;
const token = 'of-the-bench';
const { admin, ...sandbox } = createSandbox({
  name: 'bench',
  clock: systemClock(),
  serviceCIDR: '10.96.0.0/12',
  image: await definitions.ours(),
  tokens: { [token]: { username: 'bench', groups: ['system:masters'] } },
});
for (const name of ['kube-system', 'shop']) admin.put(Namespace, { metadata: { name } });
for (let node = 0; node < nodes; node++)
  admin.put(Node, {
    metadata: { name: `node-${node}`, annotations: { 'multicluster.antrea.io/gateway': String(node < 2) } },
    spec: { podCIDRs: [`10.0.${node}.0/24`] },
    status: { addresses: [{ type: 'InternalIP', address: node === 0 ? '172.30.1.11' : `172.30.1.${100 + node}` }] },
  });
const range = (cluster: number) => `10.${32 + Math.floor(cluster / 4)}.${64 * (cluster % 4)}`;
for (let cluster = 0; cluster < clusters; cluster++)
  admin.put(ClusterInfoImport, {
    metadata: { name: `c${cluster}-clusterinfo`, namespace: 'kube-system' },
    spec: {
      clusterID: `c${cluster}`,
      podCIDRs: [`${range(cluster)}.0/18`],
      gatewayInfos: [0, 1].map((gateway) => ({ gatewayIP: `172.31.${cluster}.${10 + gateway}` })),
    },
  });
const slice = (service: number, salt: number) => {
  const cluster = service % clusters;
  const third = Number(range(cluster).split('.')[2]) + 1 + Math.floor(service / clusters);
  const name = `antrea-mc-s${service}`;
  admin.put(EndpointSlice, {
    metadata: {
      name,
      namespace: 'shop',
      labels: {
        'kubernetes.io/service-name': name,
        'multicluster.kubernetes.io/service-name': `s${service}`,
        'multicluster.kubernetes.io/source-cluster': `c${cluster}`,
      },
    },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    endpoints: Array.from({ length: endpointsEach }, (_, index) => ({
      addresses: [`10.${range(cluster).split('.')[1]}.${third}.${1 + index + (index === 0 ? 10 * salt : 0)}`],
      conditions: { ready: true },
    })),
  });
};
for (let service = 0; service < services; service++) {
  admin.put(Service, {
    metadata: {
      name: `antrea-mc-s${service}`,
      namespace: 'shop',
      annotations: { 'multicluster.antrea.io/imported-service': 'true' },
    },
    spec: { ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
  });
  slice(service, 0);
}
for (let pod = 0; pod < pods; pod++) {
  const labels = { app: `app-${pod}` };
  admin.put(Pod, {
    metadata: { name: `p${pod}`, namespace: 'shop', labels },
    spec: { nodeName: 'node-0', containers: [{ name: 'c', image: 'c' }] },
    status: { phase: 'Running', podIP: `10.0.0.${2 + pod}`, podIPs: [{ ip: `10.0.0.${2 + pod}` }] },
  });
  const label = `ns:kubernetes.io/metadata.name=shop&pod:app=app-${pod}`;
  admin.put(LabelIdentity, { metadata: { name: labelIdentityHash(label) }, spec: { label, id: pod + 1 } });
}
const server = await serveHttps({ admin, ...sandbox });
writeFileSync(`${kubeconfig}.new`, tokenKubeconfig(server, { token }));
renameSync(`${kubeconfig}.new`, kubeconfig);
await changeEndpoints();
process.exit(0);

async function changeEndpoints(): Promise<void> {
  let salt = 0;
  for await (const _ of createInterface({ input: process.stdin })) slice((salt * 37) % services, (salt++ % 9) + 1);
}
