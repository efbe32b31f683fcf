/**
 * For tests of the agent as a process: API servers on the Nodes of a lab, and how the agent is
 * started there.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { labClusterInfo, labNodeObject } from '@isthmus/testkit';
import type { LabCluster, LabNode } from '@isthmus/testkit';

/** The launcher of the program `isthmus`. */
export const launcher = fileURLToPath(new URL('../../../bin/isthmus.js', import.meta.url));
const server = fileURLToPath(new URL('serve-objects.ts', import.meta.url));

/** The address of the imported Service. */
export const clusterIP = '10.99.0.80';
/** The Namespace of the agent and the ClusterInfoImports. */
const namespace = 'kube-system';

/**
 * Serves objects on a Node (`serve-objects.ts`). Resolves, when it answers, to the path of a
 * kubeconfig for its administrator, which is put in `folder`.
 */
export async function serveOn({ place, layout }: LabNode, folder: string, objects: readonly object[]): Promise<string> {
  const file = join(folder, `${layout.name}.json`);
  const kubeconfig = join(folder, `${layout.name}.kubeconfig`);
  writeFileSync(file, JSON.stringify(objects));
  await place.start('server', process.execPath, [server, file, kubeconfig]);
  while (!existsSync(kubeconfig)) await delay(50);
  return kubeconfig;
}

/** Its Namespaces and Nodes, all of them gateways, and the networks of the other clusters. */
export function networkObjects(own: LabCluster, others: readonly LabCluster[]): readonly object[] {
  return [
    ...[namespace, 'shop'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    ...own.nodes.map((node) => labNodeObject(node, true)),
    ...others.map((other) =>
      labClusterInfo(other, { namespace, gateways: other.nodes.map(({ layout }) => layout.name) }),
    ),
  ];
}
