import { defineCommand } from '../../../command/command.ts';
import { switchFlag, textFlag } from '../../../command/flag.ts';
import { findingsFlag } from '../../output/findings-flag.ts';
import { policyFlag } from '../../flags/policy-flag.ts';
import { serverFlag } from '../../flags/server-flag.ts';
import { historyFlag } from '../../flags/check-flags.ts';

export const checkCrdCommand = defineCommand({
  name: 'crd',
  summary: 'Check what new CRDs would break in a cluster that has the old ones',
  description: [
    'Reports CRDs that the API server would reject, effects on stored objects and clients, and migrations to run before or after. The rules are in ' +
      'docs/upgrade/crd-rules.md. CRDs that are only in the new files are checked on their own.',
    'Pass the old CRDs as they are in the cluster (`kubectl get crd -o yaml --show-managed-fields`): their status lists the versions in which objects may be stored, and their managed fields show which clients write them.',
  ],
  operands: [
    { name: 'old', summary: 'the live CRDs: a file or a folder' },
    { name: 'new', summary: 'the new CRDs: a file or a folder' },
  ],
  flags: {
    server: serverFlag,
    objects: textFlag({
      isList: true,
      placeholder: 'paths',
      summary:
        'the stored objects: files or folders, separated by commas; findings that affect none of them are marked as unused',
    }),
    with: textFlag({
      isList: true,
      placeholder: 'paths',
      summary:
        'other manifests of the release or the cluster, such as Services of webhooks: files or folders, separated by commas',
    }),
    waivers: textFlag({
      placeholder: 'file',
      summary: 'a Waivers file: accepted findings, with owner and end date',
    }),
    policy: policyFlag,
    history: historyFlag,
    'client-side-apply': switchFlag({
      summary: 'the CRDs are applied without --server-side and must fit into an annotation',
      absent: 'false',
    }),
    lints: switchFlag({ summary: 'also report new style problems', absent: 'false' }),
    output: findingsFlag,
  },
  examples: [
    {
      does: 'Compare a folder of CRDs with the last release',
      line: 'isthmus upgrade check crd v2.6/crds v2.7/crds --server 1.31',
    },
    {
      does: 'Include the objects of a cluster',
      line: 'isthmus upgrade check crd live.yaml new.yaml --objects widgets.json',
    },
  ],
  async run(io, flags, [old = '', next = '']) {
    return (await import('./check-crd.ts')).checkCrd(io, flags, [old, next]);
  },
});
