import type { CommandGroup } from '../../command/command.ts';
import { checkCrdCommand } from './crd-command.ts';
import { checkDeprecationsCommand } from './deprecations-command.ts';
import { checkManifestsCommand } from './manifests-command.ts';
import { checkMetricsCommand } from './metrics-command.ts';
import { checkObjectsCommand } from './objects-command.ts';
import { checkPlacementCommand } from './placement-command.ts';
import { checkReleaseCommand } from './release-command.ts';
import { checkSkewCommand } from './skew-command.ts';

export const checkCommand: CommandGroup = {
  name: 'check',
  summary: 'Hold versions, definitions, objects and metrics against what was promised',
  takes: 'a check',
  commands: [
    checkCrdCommand,
    checkObjectsCommand,
    checkManifestsCommand,
    checkDeprecationsCommand,
    checkMetricsCommand,
    checkPlacementCommand,
    checkReleaseCommand,
    checkSkewCommand,
  ],
};
