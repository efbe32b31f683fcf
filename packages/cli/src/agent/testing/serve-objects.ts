/**
 * A program for tests: serves the objects of a file (a JSON list) from an API server on loopback
 * until it is ended, and writes a kubeconfig for its administrator. Arguments: the file, and the
 * path of the kubeconfig. It also serves the policies of Antrea, as kinds that keep what they are
 * given.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import {
  AntreaNetworkPolicy,
  ClusterInfoImport,
  ClusterNetworkPolicy,
  EndpointSlice,
  Namespace,
  Node,
  Pod,
  Service,
  Tier,
} from '@isthmus/api';
import { systemClock } from '@isthmus/kube';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { createSandbox, serveHttps } from '@isthmus/sandbox';
import { definitions, putDefinition } from '@isthmus/fleet-sim';
import { tokenKubeconfig } from '@isthmus/testkit';

const [, , objects = '', kubeconfig = ''] = process.argv;
const token = 'of-the-test';
const sandbox = createSandbox({
  name: 'lab',
  clock: systemClock(),
  serviceCIDR: '10.99.0.0/16',
  image: await definitions.ours(),
  tokens: { [token]: { username: 'test', groups: ['system:masters'] } },
});
for (const type of [ClusterNetworkPolicy, AntreaNetworkPolicy, Tier]) putDefinition(sandbox, type);
const types: readonly ResourceType[] = [Namespace, Node, ClusterInfoImport, Service, EndpointSlice, Pod];
for (const object of JSON.parse(readFileSync(objects, 'utf8')) as readonly KubernetesObject[]) {
  const type = types.find(({ kind }) => kind === object.kind);
  if (type === undefined) throw new Error(`${object.kind} is not served here`);
  sandbox.admin.put(type, object);
}
const server = await serveHttps(sandbox);
writeFileSync(`${kubeconfig}.new`, tokenKubeconfig(server, { token }));
renameSync(`${kubeconfig}.new`, kubeconfig);
