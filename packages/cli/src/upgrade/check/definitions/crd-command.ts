import { defineCommand } from '../../../command/command.ts';
import { switchFlag, textFlag } from '../../../command/flag.ts';
import { outputFlag } from '../../flags/output-flag.ts';
import { policyFlag } from '../../flags/policy-flag.ts';
import { serverFlag } from '../../flags/server-flag.ts';
import { historyFlag } from '../../flags/check-flags.ts';

export const checkCrdCommand = defineCommand({
  name: 'crd',
  summary: 'Say what new CRDs would break where the old ones are live',
  description: [
    'What the API server would refuse, what becomes of stored objects and of clients, and which migration has to come before or after. The rules stand in ' +
      'docs/upgrade/crd-rules.md. CRDs that are only in the new files are looked at by themselves.',
    'Give the old CRDs as they are live (`kubectl get crd -o yaml --show-managed-fields`): their status says in which versions objects may be stored, their managed fields who writes them.',
  ],
  operands: [
    { name: 'old', summary: 'the CRDs that are live: a file or a folder' },
    { name: 'new', summary: 'the CRDs to come: a file or a folder' },
  ],
  flags: {
    server: serverFlag,
    objects: textFlag({
      placeholder: 'paths',
      summary: 'the stored objects: files or folders, separated by commas; what strikes none of them is told as such',
    }),
    with: textFlag({
      placeholder: 'paths',
      summary:
        'other manifests of the release or the cluster, as Services of webhooks: files or folders, separated by commas',
    }),
    waivers: textFlag({
      placeholder: 'file',
      summary: 'a Waivers file: findings that may pass, by whom and until when',
    }),
    policy: policyFlag,
    history: historyFlag,
    'client-side-apply': switchFlag({
      summary: 'they are applied without --server-side, and have to fit into an annotation',
      absent: 'false',
    }),
    lints: switchFlag({ summary: 'tell matters of taste as well, as far as they are new', absent: 'false' }),
    output: outputFlag,
  },
  examples: [
    {
      does: 'A folder of CRDs, against those of the last release',
      line: 'isthmus upgrade check crd v2.6/crds v2.7/crds --server 1.31',
    },
    {
      does: 'With the objects that a cluster holds',
      line: 'isthmus upgrade check crd live.yaml new.yaml --objects widgets.json',
    },
  ],
  async run(io, flags, [old = '', next = '']) {
    return (await import('./check-crd.ts')).checkCrd(io, flags, [old, next]);
  },
});
