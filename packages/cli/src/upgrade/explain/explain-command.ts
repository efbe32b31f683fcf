import { defineCommand } from '../../command/command.ts';
import { policyFlag } from '../flags/policy-flag.ts';

export const explainCommand = defineCommand({
  name: 'explain',
  summary: 'Explain a step of a plan',
  description: [
    'Shows what the step does and why, with the sources of the rules; its checks before and after; what it interrupts; the versions that run ' +
      'afterwards; its dependencies in both directions; and the consequences of a failure.',
  ],
  operands: [
    { name: 'plan', summary: 'a file of kind Plan, printed by plan -o json or -o yaml' },
    { name: 'step', summary: 'the id of a step, such as 3.1' },
  ],
  flags: { policy: policyFlag },
  examples: [{ does: 'Explain the first step of the second group', line: 'isthmus upgrade explain plan.json 2.1' }],
  async run(io, flags, [path = '', step = '']) {
    const { explainFile } = await import('./explain-file.ts');
    return explainFile(io, { path, step, policy: flags.policy });
  },
});
