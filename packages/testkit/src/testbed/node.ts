/**
 * One of the modules that may touch the world: it writes a Node's files and starts its programs
 * (fs, timers).
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { RealApiServer } from '../apiserver/api-server.ts';
import { create } from '../apiserver/as-admin.ts';
import type { Environment } from '../apiserver/find-binaries.ts';
import { renderKubeconfig } from '../apiserver/kubeconfig.ts';
import type { ClusterLayout, NodeLayout } from './layout.ts';
import type { Machine, Place, PlacedProcess, RunResult } from './machine.ts';
import type { NodeNetwork } from './node-files.ts';
import { cniConfig, containerdConfig, containerdSocket, kubeletConfig, nodeObject, nodeSetup } from './node-files.ts';
import { nodeImageNames, nodeProgram } from './programs.ts';
import { cniPlugins } from './requirements.ts';

/** The programs that a Node runs, in the order in which they start. */
export type NodeComponent = 'containerd' | 'kubelet' | 'kube-proxy';

/** How Nodes handle Services and Pods. */
export interface NodeSettings {
  /** `none`: ClusterIPs do not work. */
  readonly kubeProxy: 'nftables' | 'iptables' | 'none';
  /**
   * Whether Pods leave their Pod network with the address of their Node, as with most CNIs. Without
   * it, hosts beyond that network cannot answer them.
   */
  readonly masquerade: boolean;
  /** Whether the Nodes of all clusters have routes to each other's Pods. */
  readonly routed: boolean;
}

/** A running Node of a test bed. */
export interface TestbedNode {
  readonly layout: NodeLayout;
  /** The pid, on this machine, of a process that holds its namespaces open. */
  readonly pid: number;
  /**
   * Runs a program in the namespaces of the Node (its network, its mounts), with root's rights,
   * until the program ends; any exit code is a result.
   */
  run(program: string, args: readonly string[], input?: string): Promise<RunResult>;
  /** Runs the command line of containerd, in the namespace of Kubernetes' images. */
  ctr(...args: readonly string[]): Promise<RunResult>;
  /**
   * Imports the images of an archive (OCI layout or `docker save`) into the Node. Errors: those of
   * `ctr`.
   */
  importImages(archive: string): Promise<void>;
  /**
   * Imports the images of the test bed again. A kubelet whose disk is full removes images that no
   * container uses, also that of its own sandboxes.
   */
  importOwnImages(): Promise<void>;
  /** Cuts the Node off from all others, or connects it again. */
  setLink(state: 'up' | 'down'): Promise<void>;
  /** Ends a component with SIGKILL and resolves when it has gone. Containers keep running. */
  stop(component: NodeComponent): Promise<void>;
  /** Starts a stopped component again. */
  start(component: NodeComponent): Promise<void>;
  /** The whole output of a component. */
  logs(component: NodeComponent): string;
}

/** The parts that a Node is made from. */
export interface NodeParts {
  readonly machine: Machine;
  /** The directory of the test bed. */
  readonly directory: string;
  readonly cgroup: string;
  readonly cluster: ClusterLayout;
  readonly layout: NodeLayout;
  /** The size of its own disk; undefined: it uses that of the machine. */
  readonly diskMiB: number | undefined;
  readonly network: NodeNetwork;
  readonly settings: NodeSettings;
  readonly environment: Environment;
}

/**
 * Makes the namespaces of a Node and starts containerd with the images of the test bed: the steps
 * that need no API server.
 */
export async function makeNode(parts: NodeParts): Promise<{ join(server: RealApiServer): Promise<TestbedNode> }> {
  const { machine, cluster, layout, diskMiB, settings, environment } = parts;
  const directory = join(parts.directory, layout.name);
  const paths = { directory, cniPlugins, cgroup: `/${parts.cgroup}/${layout.name}` };
  mkdirSync(join(directory, 'cni'), { recursive: true });
  writeFileSync(join(directory, 'containerd.toml'), containerdConfig(paths));
  writeFileSync(join(directory, 'cni', '10-pods.conflist'), cniConfig(layout));
  const place = await machine.makePlace(layout.name, {
    mounts: true,
    setup: nodeSetup(layout, directory, parts.network, diskMiB),
    ready: join(directory, 'ready'),
  });
  const running = new Map<NodeComponent, PlacedProcess>();
  const commands: Readonly<Record<NodeComponent, readonly [program: string, ...args: readonly string[]]>> = {
    containerd: ['containerd', '--config', join(directory, 'containerd.toml')],
    kubelet: [
      nodeProgram('kubelet', environment),
      `--config=${join(directory, 'kubelet.json')}`,
      `--kubeconfig=${join(directory, 'kubelet.kubeconfig')}`,
      `--hostname-override=${layout.name}`,
      `--node-ip=${layout.address},${layout.address6}`,
      '--root-dir=/var/lib/kubelet',
    ],
    'kube-proxy': [
      nodeProgram('kube-proxy', environment),
      `--kubeconfig=${join(directory, 'kube-proxy.kubeconfig')}`,
      `--proxy-mode=${settings.kubeProxy}`,
      `--hostname-override=${layout.name}`,
      `--cluster-cidr=${cluster.clusterCIDRs.join(',')}`,
      // The limits of connection tracking belong to the machine.
      '--conntrack-max-per-core=0',
      '--conntrack-tcp-timeout-established=0',
      '--conntrack-tcp-timeout-close-wait=0',
    ],
  };
  const start = async (component: NodeComponent) => {
    if (running.has(component)) throw new Error(`starting ${component} of Node ${layout.name}: it runs already`);
    const [program, ...args] = commands[component];
    running.set(component, await place.start(component, program, args));
    if (component === 'containerd') await untilServing(ctr, logs);
  };
  const ctr: TestbedNode['ctr'] = (...args) =>
    place.run('ctr', ['--address', containerdSocket, '--namespace', 'k8s.io', ...args]);
  const logs = (component: NodeComponent) =>
    readFileSync(join(parts.directory, `${layout.name}.${component}.log`), 'utf8');
  const importImages = async (archive: string) => {
    const { code, stderr } = await ctr('images', 'import', archive);
    if (code !== 0) throw new Error(`importing ${archive} into Node ${layout.name}: ${stderr}`);
  };

  const importOwnImages = async () => {
    for (const image of nodeImageNames) await importImages(nodeProgram(`${image}.tar`, environment));
  };

  await start('containerd');
  await importOwnImages();

  return {
    async join(server) {
      const url = `https://${cluster.address}:${new URL(server.url).port}`;
      const users = [
        ['kubelet', { user: `system:node:${layout.name}`, groups: ['system:nodes'] }],
        ['kube-proxy', { user: 'system:kube-proxy', groups: [] }],
      ] as const;
      for (const [name, subject] of users) {
        const user = await server.issueClient(subject);
        const { caData } = server;
        const kubeconfig = renderKubeconfig({ name: cluster.name, url, caData, user });
        writeFileSync(join(directory, `${name}.kubeconfig`), kubeconfig, { mode: 0o600 });
      }
      writeFileSync(join(directory, 'ca.crt'), server.caData);
      writeFileSync(join(directory, 'kubelet.json'), kubeletConfig(cluster, paths, diskMiB));
      await create(server, '/api/v1/nodes', nodeObject(layout));
      await start('kubelet');
      if (settings.kubeProxy !== 'none') await start('kube-proxy');
      return nodeOf({ layout, place, ctr, importImages, importOwnImages, start, logs, running });
    },
  };
}

function nodeOf(
  parts: Pick<TestbedNode, 'layout' | 'ctr' | 'importImages' | 'importOwnImages' | 'start' | 'logs'> & {
    readonly place: Place;
    readonly running: Map<NodeComponent, PlacedProcess>;
  },
): TestbedNode {
  const { place, running, ...rest } = parts;
  return {
    ...rest,
    pid: place.pid,
    run: (program, args, input) => place.run(program, args, input),
    setLink: (state) => place.setLink(state),
    async stop(component) {
      const process = running.get(component);
      running.delete(component);
      await process?.signal('KILL');
      await process?.exited;
    },
  };
}

async function untilServing(ctr: TestbedNode['ctr'], logs: (component: NodeComponent) => string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    if ((await ctr('version')).code === 0) return;
    await delay(100);
  }
  throw new Error(`starting containerd: it does not answer. It wrote:\n${logs('containerd').slice(-2000)}`);
}
