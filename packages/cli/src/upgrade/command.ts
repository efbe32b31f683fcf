import type { CommandGroup } from '../command/command.ts';
import { ExitCode } from '../command/exit-code.ts';
import { bundleCommand } from './bundle/command.ts';
import { checkCommand } from './check/command.ts';
import { explainCommand } from './explain/explain-command.ts';
import { planCommand } from './plan/plan-command.ts';
import { snapshotCommand } from './snapshot/snapshot-command.ts';

/**
 * The commands that decide upgrades from files. Wrong arguments end with 1 here: 2 and 3 are
 * verdicts (ADR 0007).
 */
export const upgradeCommand: CommandGroup = {
  name: 'upgrade',
  summary: 'Check and plan upgrades of a fleet',
  description: [
    'Exit codes of most commands: 0 without findings, 2 with warnings, 3 if a finding blocks the upgrade, 1 for ' +
      'any error, including invalid arguments and files. The help of a command has those that differ.',
  ],
  takes: 'a command',
  usageExit: ExitCode.failed,
  commands: [bundleCommand, checkCommand, explainCommand, planCommand, snapshotCommand],
};
