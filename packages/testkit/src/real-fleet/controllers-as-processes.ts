import { tokenKubeconfig } from '../apiserver/kubeconfig.ts';
import type { ControllerPlan, StartController } from './controller-plan.ts';
import { endProcess, spawnIsthmus } from './isthmus-process.ts';

/** Controllers as `isthmus controller` processes of their own. */
export const controllersAsProcesses: StartController = async (plan, { directory, output, signal }) => {
  const { cluster, role, namespace } = plan;
  const files = await directory();
  const tokenFile = await files.write(`${cluster}-${role}.token`, plan.token);
  const kubeconfig = await files.write(`${cluster}-${role}.kubeconfig`, tokenKubeconfig(plan, { tokenFile }));
  const config = await files.write(`${cluster}-${role}.yaml`, configOf(plan));
  const args = ['controller', role, '--kubeconfig', kubeconfig, '--config', config, '--namespace', namespace];
  signal.throwIfAborted();
  const child = spawnIsthmus(args, { POD_NAME: `${cluster}-${role}` }, (line) => output.push(line));
  return () => endProcess(child, 10_000);
};

function configOf({ endpointIPType, stretched, podCIDRs }: ControllerPlan): string {
  return JSON.stringify({
    apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
    kind: 'MultiClusterConfig',
    health: { healthProbeBindAddress: '127.0.0.1:0' },
    metrics: { bindAddress: '0' },
    webhook: { port: 9443 },
    endpointIPType,
    enableStretchedNetworkPolicy: stretched,
    podCIDRs,
  });
}
