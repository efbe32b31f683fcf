import { choiceFlag, numberFlag, switchFlag, textFlag } from '../../command/flag.ts';
import { demandFlags } from '../bundle/demand-flags.ts';
import { policyFlag } from '../policy-flag.ts';
import { minorOf } from '../check/server-flag.ts';
import { historyFlag } from '../check/check-flags.ts';

/** What a plan is made from, and how it is divided and printed. */
export const planFlags = {
  bundle: textFlag({ placeholder: 'file', summary: 'the ComponentBundle to go to' }),
  snapshot: textFlag({ placeholder: 'file', summary: 'the FleetSnapshot to start from' }),
  policy: policyFlag,
  'other-bundle': textFlag({
    placeholder: 'files',
    summary: 'bundles whose versions may be stopped at on the way, separated by commas',
  }),
  history: historyFlag,
  waivers: textFlag({ placeholder: 'file', summary: 'findings that may pass, with who answers for them' }),
  kubernetes: {
    placeholder: 'minor',
    summary: 'the Kubernetes minor to go to',
    absent: 'Kubernetes stays',
    parse: minorOf,
  },
  canary: numberFlag({ placeholder: 'number', summary: 'how many clusters are in the first wave', absent: '1' }),
  nodes: numberFlag({ placeholder: 'number', summary: 'how many Nodes of a cluster move at once', absent: '1' }),
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
  'detailed-exitcode': switchFlag({ summary: 'end with 2 where there are changes' }),
  ...demandFlags,
};
