import { choiceFlag, switchFlag, textFlag } from '../command/flag.ts';
import type { FlagTable, GivenFlags } from '../command/flag.ts';
import { klogFlags } from './klog-flags.ts';

/** The flags of a controller in either role. */
export function controllerFlags(defaultNamespace: string) {
  return {
    config: textFlag({
      placeholder: 'file',
      summary: 'a MultiClusterConfig',
      absent: 'every setting at its default',
    }),
    kubeconfig: textFlag({
      short: 'k',
      placeholder: 'file',
      summary:
        "the cluster to serve: this file alone, otherwise those of KUBECONFIG, the Pod's own cluster, ~/.kube/config",
    }),
    context: textFlag({
      placeholder: 'name',
      summary: 'the context of the kubeconfig',
      absent: 'its current one',
    }),
    namespace: textFlag({
      short: 'n',
      placeholder: 'name',
      summary: `the Namespace of the controller: this one, otherwise POD_NAMESPACE, the Pod's own, ${defaultNamespace}`,
    }),
    'leader-elect': switchFlag({
      summary: 'run only while holding a Lease, so that of several replicas one is active',
      absent: 'true',
    }),
    'log-format': choiceFlag(['json', 'text'], {
      placeholder: 'format',
      summary: 'json or text',
      absent: 'text on a terminal, json elsewhere',
    }),
    ...klogFlags,
  } as const satisfies FlagTable;
}

export type ControllerFlags = GivenFlags<ReturnType<typeof controllerFlags>>;
