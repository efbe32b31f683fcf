import type { CommandGroup } from '../../command/command.ts';
import { checkCrdCommand } from './definitions/crd-command.ts';
import { checkDeprecationsCommand } from './manifests/deprecations-command.ts';
import { checkManifestsCommand } from './manifests/manifests-command.ts';
import { checkMetricsCommand } from './releases/metrics-command.ts';
import { checkObjectsCommand } from './definitions/objects-command.ts';
import { checkPlacementCommand } from './manifests/placement-command.ts';
import { checkReleaseCommand } from './releases/release-command.ts';
import { checkSkewCommand } from './releases/skew-command.ts';

export const checkCommand: CommandGroup = {
  name: 'check',
  summary: 'Check versions, CRDs, objects and metrics against upgrade policies',
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
