import { choiceFlag, numberFlag, switchFlag, textFlag } from '../../command/flag.ts';
import { demandFlags } from '../bundle/demand-flags.ts';
import { policyFlag } from '../flags/policy-flag.ts';
import { minorOf } from '../flags/server-flag.ts';
import { historyFlag } from '../flags/check-flags.ts';

/** What a plan is made from, and how it is divided and printed. */
export const planFlags = {
  bundle: textFlag({ placeholder: 'file', summary: 'the ComponentBundle to go to' }),
  snapshot: textFlag({ placeholder: 'file', summary: 'the FleetSnapshot to start from' }),
  policy: policyFlag,
  'other-bundle': textFlag({
    placeholder: 'files',
    summary: 'bundles whose versions may be stopped at on the way, separated by commas',
  }),
  manifests: textFlag({
    placeholder: 'folders',
    summary:
      'files that were fetched from where the bundles name them, with all below folders, separated by commas; each is known by its digest',
    absent: 'those beside the bundles',
  }),
  history: historyFlag,
  waivers: textFlag({ placeholder: 'file', summary: 'findings that may pass, with who answers for them' }),
  kubernetes: {
    placeholder: 'minor',
    summary: 'the Kubernetes minor to go to',
    absent: 'Kubernetes stays',
    parse: minorOf,
  },
  canary: textFlag({
    placeholder: 'number|clusters',
    summary: 'how many clusters of a ClusterSet are in the first wave of members, or which, separated by commas',
    absent: 'as a policy says, or 1',
  }),
  'wave-share': textFlag({
    placeholder: 'percents',
    summary:
      'the share of the members that is through after each further wave, rising, separated by commas: 10%,50%; the rest follows',
    absent: 'as a policy says, or 25%',
  }),
  soak: textFlag({
    placeholder: 'duration',
    summary: 'how long a wave runs before the next begins: 30m, 1h30m, 90s',
    absent: 'as a policy says, or no time',
  }),
  nodes: numberFlag({
    placeholder: 'number',
    summary: 'how many Nodes of a cluster move at once',
    absent: 'as a policy says, or 1',
  }),
  'recreate-orphan': textFlag({
    placeholder: 'deployments',
    summary:
      'Deployments whose Pods go on until the new ones are ready where they have to be made anew, as kube-system/x, separated by commas',
    absent: 'all are deleted first',
  }),
  prune: switchFlag({
    summary: 'remove what earlier versions brought, as --other-bundle has them, and the bundle does not have',
    absent: 'it stays, and is told',
  }),
  'prune-crd': textFlag({
    placeholder: 'names',
    summary: 'with --prune: CRDs that go with all their objects, separated by commas',
    absent: 'a CRD with objects stays',
  }),
  'max-unreachable': numberFlag({
    placeholder: 'number',
    summary: 'how many clusters may be unreachable; those that are paused do not count',
    absent: '0',
  }),
  output: choiceFlag(['table', 'json', 'yaml', 'markdown'], {
    placeholder: 'format',
    short: 'o',
    summary: 'table for people, markdown for a review, json or yaml for a file of kind Plan',
    absent: 'table',
  }),
  check: textFlag({
    placeholder: 'plan',
    summary:
      'print no plan, but whether this one, made before, still holds for the bundle, the snapshot and the policies: ends with 0, or with 3',
  }),
  'detailed-exitcode': switchFlag({ summary: 'end with 2 where there are changes' }),
  ...demandFlags,
};
