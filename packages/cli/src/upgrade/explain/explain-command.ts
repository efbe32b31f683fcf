import { defineCommand } from '../../command/command.ts';
import { policyFlag } from '../flags/policy-flag.ts';

export const explainCommand = defineCommand({
  name: 'explain',
  summary: 'Say why a step is in a plan, and what it does',
  description: [
    'What the step does and why there, with the sources of the rules; what has to hold before and after it; what it interrupts; which versions run ' +
      'afterwards; what it waits for and what waits for it; and what it means where it fails.',
  ],
  operands: [
    { name: 'plan', summary: 'a file of kind Plan, as plan -o json or yaml prints it' },
    { name: 'step', summary: 'the id of a step, as 3.1' },
  ],
  flags: { policy: policyFlag },
  examples: [{ does: 'The first step of the second group', line: 'isthmus upgrade explain plan.json 2.1' }],
  async run(io, flags, [path = '', step = '']) {
    const { explainFile } = await import('./explain-file.ts');
    return explainFile(io, { path, step, policy: flags.policy });
  },
});
