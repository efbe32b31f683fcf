import { formatFlag, numberFlag, switchFlag, textFlag } from '../../command/flag.ts';
import { demandFlags } from '../bundle/demand-flags.ts';
import { policyFlag } from '../flags/policy-flag.ts';
import { minorOf } from '../flags/server-flag.ts';
import { liveFlags } from '../snapshot/snapshot-flags.ts';
import { historyFlag } from '../flags/check-flags.ts';

/** How a plan is printed. */
const planFormats = ['table', 'json', 'yaml', 'markdown'] as const;
export type PlanFormat = (typeof planFormats)[number];

/** The inputs of a plan, its division and its output. */
export const planFlags = {
  bundle: textFlag({ placeholder: 'file', summary: 'the target ComponentBundle' }),
  snapshot: textFlag({ placeholder: 'file', summary: 'the FleetSnapshot of the current state' }),
  ...liveFlags,
  policy: policyFlag,
  'other-bundle': textFlag({
    isList: true,
    placeholder: 'files',
    summary: 'bundles with versions for intermediate stops, separated by commas',
  }),
  manifests: textFlag({
    isList: true,
    placeholder: 'folders',
    summary: 'fetched manifests of the bundles: files or folders, separated by commas; matched by digest',
    absent: 'the files beside the bundles',
  }),
  history: historyFlag,
  waivers: textFlag({ placeholder: 'file', summary: 'a Waivers file: accepted findings, with owner and end date' }),
  kubernetes: {
    placeholder: 'minor',
    summary: 'the target Kubernetes minor',
    absent: 'Kubernetes is not upgraded',
    parse: minorOf,
  },
  canary: textFlag({
    isList: true,
    placeholder: 'number|clusters',
    summary:
      'the first wave of members of a ClusterSet, of other clusters, and of several leaders: a number of clusters, or their names separated by commas',
    absent: 'set by a policy, or 1',
  }),
  'wave-share': textFlag({
    isList: true,
    placeholder: 'percents',
    summary:
      'the total share of members that is done after each further wave, separated by commas: 10%,50%; a last wave has the rest',
    absent: 'set by a policy, or 25%',
  }),
  'wave-size': numberFlag({
    placeholder: 'number',
    summary: 'the maximum number of clusters in a wave, counted over the fleet; larger waves are divided',
    absent: 'any number',
  }),
  concurrency: numberFlag({
    placeholder: 'number',
    summary: 'the maximum number of clusters of a wave that are upgraded at the same time',
    absent: 'all clusters of the wave',
  }),
  soak: textFlag({
    placeholder: 'duration',
    summary: 'how long to wait after a wave before the next one of its group begins: 30m, 1h30m, 90s',
    absent: 'set by a policy, or no wait',
  }),
  nodes: numberFlag({
    placeholder: 'number',
    summary: 'how many Nodes of a cluster are upgraded at once',
    absent: 'set by a policy, or 1',
  }),
  'recreate-orphan': textFlag({
    isList: true,
    placeholder: 'deployments',
    summary:
      'Deployments that keep their Pods running while they are recreated, such as kube-system/x, separated by commas',
    absent: 'the Pods are deleted first',
  }),
  prune: switchFlag({
    summary: 'remove objects of earlier versions (from --other-bundle) that the bundle does not have',
    absent: 'they stay and are reported',
  }),
  'prune-crd': textFlag({
    isList: true,
    placeholder: 'names',
    summary: 'with --prune: CRDs to remove with all their objects, separated by commas',
    absent: 'CRDs with objects stay',
  }),
  only: textFlag({
    isList: true,
    placeholder: 'names',
    summary: 'upgrade only these clusters and ClusterSets, separated by commas',
    absent: 'all clusters',
  }),
  exclude: textFlag({
    isList: true,
    placeholder: 'names',
    summary: 'leave these clusters and ClusterSets as they are, separated by commas',
  }),
  'all-or-nothing': switchFlag({
    summary: 'do not plan at all if a cluster is blocked',
    absent: 'blocked clusters are left out and listed, and the command exits with 2',
  }),
  'max-unreachable': numberFlag({
    placeholder: 'number',
    summary: 'how many clusters may be unreachable, not counting paused ones',
    absent: '0',
  }),
  output: formatFlag(planFormats, 'table, markdown (for a review), json or yaml (a file of kind Plan)'),
  check: textFlag({
    placeholder: 'plan',
    summary:
      'instead of planning, check whether this plan is still valid for the bundle, the snapshot and the policies: exits with 0 or 3',
  }),
  'detailed-exitcode': switchFlag({ summary: 'exit with 2 if there are changes' }),
  ...demandFlags,
};
