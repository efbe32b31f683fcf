import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FixedName } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { parseYaml, printYamlDocuments } from '@isthmus/machinery';
import type { RealCluster } from '@isthmus/testkit';
import { freePort, serviceAccountToken, tokenKubeconfig } from '@isthmus/testkit';
import type { LaunchedController } from './launch.ts';
import { launch } from './launch.ts';
import type { OtherMake } from './other-make.ts';

/** How controllers are run that are not of this checkout. */
export interface RealControllersOptions extends Pick<OtherMake, 'name' | 'what' | 'needsHandover' | 'goesOn'> {
  /** The program in the process of a controller. */
  readonly program: string;
  args(role: 'leader' | 'member', files: ControllerFiles): readonly string[];
  /** The path of the manifest of a role. */
  manifest(role: 'leader' | 'member'): string;
  readonly endpointIPType: 'ClusterIP' | 'PodIP';
  /** Whether labels of Pods get numbers; default false. */
  readonly stretched?: boolean | undefined;
  readonly say: (line: string) => void;
}

export interface ControllerFiles {
  /** Paths. */
  readonly kubeconfig: string;
  readonly config: string;
  /** The controller's own. */
  readonly namespace: string;
}

/** A controller whose credentials and configuration are written. */
export interface PreparedController {
  /** Starts it; returns at once. */
  launch(): LaunchedController;
}

export interface RealControllers extends OtherMake {
  prepare(cluster: RealCluster, role: 'leader' | 'member'): Promise<PreparedController>;
}

const definitionKinds = ['CustomResourceDefinition'];
/**
 * Without what needs Pods: the Deployment, and the webhooks, which the API server would wait for.
 */
const accessKinds = ['ServiceAccount', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding', 'ConfigMap'];

/**
 * Controllers as processes, as their ServiceAccounts, with the rights and definitions of their
 * manifests.
 */
export async function realControllers(options: RealControllersOptions): Promise<RealControllers> {
  const { name, what, needsHandover, goesOn, program, endpointIPType, stretched = false, say } = options;
  const directory = await mkdtemp(join(tmpdir(), 'isthmus-swaps-'));
  const running = new Set<LaunchedController>();
  const ofKinds = async (role: 'leader' | 'member', kinds: readonly string[]) => {
    const path = options.manifest(role);
    const documents = parseYaml(await readFile(path, 'utf8'), { source: path });
    const objects = documents.map(({ value }) => value as KubernetesObject);
    return printYamlDocuments(objects.filter(({ kind = '' }) => kinds.includes(kind)));
  };
  const prepare = async (cluster: RealCluster, role: 'leader' | 'member'): Promise<PreparedController> => {
    const namespace = role === 'leader' ? FixedName.leaderNamespace : FixedName.memberNamespace;
    const [health, webhook] = [await freePort(), await freePort()];
    const file = async (kind: string, text: string) => {
      const path = join(directory, `${cluster.name}.${kind}`);
      await writeFile(path, text, { mode: 0o600 });
      return path;
    };
    const token = await serviceAccountToken(cluster.admin, namespace, FixedName.controllerServiceAccount);
    const tokenFile = await file('token', token);
    const kubeconfig = await file('kubeconfig', tokenKubeconfig(cluster.server, { tokenFile }));
    const config = await file('yaml', JSON.stringify(configOf({ health, webhook, endpointIPType, stretched })));
    // Antrea's controllers write the certificates of their webhooks to a fixed path in the folder
    // of temporary files.
    const temporary = join(directory, `${cluster.name}.tmp`);
    await mkdir(temporary, { recursive: true });
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: directory,
      TMPDIR: temporary,
      KUBECONFIG: kubeconfig,
      POD_NAMESPACE: namespace,
    };
    const args = options.args(role, { kubeconfig, config, namespace });
    return {
      launch() {
        const launched = launch({ program, args, env, health });
        running.add(launched);
        void launched.ended.then(() => running.delete(launched));
        return launched;
      },
    };
  };
  return {
    name,
    what,
    needsHandover,
    goesOn,
    definitions: (role) => ofKinds(role, definitionKinds),
    access: (role) => ofKinds(role, accessKinds),
    prepare,
    async start(cluster, role) {
      const from = performance.now();
      const prepared = await prepare(cluster, role);
      let current = prepared.launch();
      await current.ready();
      say(`${cluster.name}: ${name} ${role} is ready after ${Math.round(performance.now() - from)} ms`);
      let over = false;
      // A controller that loses its Lease ends, and in a cluster its container is started again, a
      // moment later.
      const startAgain = async () => {
        for (;;) {
          await current.ended;
          if (over) return;
          say(`${cluster.name}: ${name} ${role} ended, and is started again; it wrote: ${current.said().slice(-500)}`);
          await new Promise((resolve) => setTimeout(resolve, 1_000));
          if (over) return;
          current = prepared.launch();
        }
      };
      void startAgain();
      const end = (how: (controller: LaunchedController) => Promise<void>) => {
        over = true;
        return how(current);
      };
      return { stop: () => end((controller) => controller.stop()), kill: () => end((controller) => controller.kill()) };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...running].map((controller) => controller.stop()));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

interface Config {
  /** Ports. */
  readonly health: number;
  readonly webhook: number;
  readonly endpointIPType: 'ClusterIP' | 'PodIP';
  readonly stretched: boolean;
}

function configOf({ health, webhook, endpointIPType, stretched }: Config) {
  return {
    apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
    kind: 'MultiClusterConfig',
    health: { healthProbeBindAddress: `127.0.0.1:${health}` },
    metrics: { bindAddress: '0' },
    webhook: { port: webhook, host: '127.0.0.1' },
    serviceCIDR: '10.96.0.0/12',
    podCIDRs: ['10.10.0.0/16'],
    endpointIPType,
    enableStretchedNetworkPolicy: stretched,
  };
}
