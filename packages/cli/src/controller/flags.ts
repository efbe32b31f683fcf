import { contextFlag, logFormatFlag } from '../command/common-flags.ts';
import { switchFlag, textFlag } from '../command/flag.ts';
import type { FlagTable, GivenFlags } from '../command/flag.ts';
import { klogFlags } from './klog-flags.ts';

/** The flags of a controller in either role. */
export function controllerFlags(defaultNamespace: string) {
  return {
    config: textFlag({
      placeholder: 'file',
      summary: 'a MultiClusterConfig',
      absent: 'all settings have their defaults',
    }),
    kubeconfig: textFlag({
      short: 'k',
      placeholder: 'file',
      summary:
        "kubeconfig of the cluster to serve; default: KUBECONFIG, then the Pod's own cluster, then ~/.kube/config",
    }),
    context: contextFlag,
    namespace: textFlag({
      short: 'n',
      placeholder: 'name',
      summary: `the Namespace of the controller; default: POD_NAMESPACE, then the Pod's own, then ${defaultNamespace}`,
    }),
    'leader-elect': switchFlag({
      summary: 'run only while holding a Lease, so that only one replica is active',
      absent: 'true',
    }),
    'log-format': logFormatFlag,
    ...klogFlags,
  } as const satisfies FlagTable;
}

export type ControllerFlags = GivenFlags<ReturnType<typeof controllerFlags>>;
