import { defineCommand } from '../../command/command.ts';
import { textFlag } from '../../command/flag.ts';
import { policyFlag } from '../flags/policy-flag.ts';

export const explainCommand = defineCommand({
  name: 'explain',
  summary: 'Explain a step of a plan',
  description: [
    'Shows what the step does and why, with the sources of the rules; its checks before and after; what it interrupts; the versions that run ' +
      'afterwards; its dependencies in both directions; and the consequences of a failure.',
    'With --manifests, prints instead the objects that the step applies, in the order in which they are applied, for `kubectl apply -f -`.',
  ],
  operands: [
    { name: 'plan', summary: 'a file of kind Plan, printed by plan -o json or -o yaml' },
    { name: 'step', summary: 'the id of a step, such as 3.1' },
  ],
  flags: {
    policy: policyFlag,
    manifests: textFlag({
      isList: true,
      placeholder: 'folders',
      summary: 'fetched manifests: files or folders, separated by commas; prints the objects of the step',
      absent: 'the step is explained',
    }),
  },
  examples: [
    { does: 'Explain the first step of the second group', line: 'isthmus upgrade explain plan.json 2.1' },
    {
      does: 'Print the objects that a step applies',
      line: 'isthmus upgrade explain plan.json 2.1 --manifests manifests/ | kubectl apply --server-side -f -',
    },
  ],
  async run(io, flags, [path = '', step = '']) {
    const { explainFile } = await import('./explain-file.ts');
    return explainFile(io, { path, step, policy: flags.policy, manifests: flags.manifests });
  },
});
