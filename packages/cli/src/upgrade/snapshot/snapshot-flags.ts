import { numberFlag, switchFlag, textFlag } from '../../command/flag.ts';

/** The clusters to read, and how; also flags of `plan`. */
export const liveFlags = {
  context: textFlag({
    isList: true,
    placeholder: 'contexts',
    summary: 'read the clusters of these contexts of the kubeconfig, separated by commas',
    absent: 'snapshot reads the current context',
  }),
  'all-contexts': switchFlag({ summary: 'read the clusters of all contexts of the kubeconfig' }),
  kubeconfig: textFlag({ placeholder: 'file', summary: 'the kubeconfig', absent: 'KUBECONFIG, or ~/.kube/config' }),
  'helm-secrets': switchFlag({
    summary: 'also read the Secrets of Helm releases, for the versions of charts; their values are not stored',
    absent: 'no Secret is read',
  }),
  'object-counts': switchFlag({
    summary: 'also count the custom resources of known components, for --prune; needs permission to list them',
    absent: 'they are not counted',
  }),
  concurrency: numberFlag({ placeholder: 'number', summary: 'how many clusters are read at once', absent: '8' }),
};

export const snapshotFlags = {
  ...liveFlags,
  output: textFlag({
    short: 'o',
    placeholder: 'file',
    summary:
      'the file for the snapshot: YAML, or JSON if the name ends with .json; clusters that it already contains are not read again',
    absent: 'standard output',
  }),
  refresh: textFlag({
    isList: true,
    placeholder: 'contexts',
    summary: 'read these contexts again although the file has them, separated by commas, or "all"',
    absent: 'only clusters that are missing or could not be read are read',
  }),
  name: textFlag({
    placeholder: 'name',
    summary: 'the name of the snapshot',
    absent: 'the name in the file, or fleet',
  }),
  rights: switchFlag({
    summary:
      'only print a ClusterRole with the permissions that a snapshot needs, including those for --helm-secrets and --object-counts if they are set',
  }),
};
