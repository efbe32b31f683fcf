import type { CommandGroup } from '../command/command.ts';
import { ExitCode } from '../exit-code.ts';
import { bundleCommand } from './bundle/command.ts';
import { checkCommand } from './check/command.ts';
import { explainCommand } from './explain/explain-command.ts';
import { planCommand } from './plan/plan-command.ts';

/** All that decides upgrades from files. Wrong arguments end with 1 here: 2 and 3 are verdicts (ADR 0007). */
export const upgradeCommand: CommandGroup = {
  name: 'upgrade',
  summary: 'Decide from files how a fleet is upgraded',
  description: [
    'Ends with 0 where there is nothing to say against it, with 2 for warnings, with 3 where it must not be done as it is, with 1 for any error, ' +
      'wrong arguments and files included.',
  ],
  takes: 'a command',
  usageExit: ExitCode.failed,
  commands: [bundleCommand, checkCommand, explainCommand, planCommand],
};
