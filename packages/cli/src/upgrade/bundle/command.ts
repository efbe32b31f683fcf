import type { CommandGroup } from '../../command/command.ts';
import { bundleDiffCommand } from './diff-command.ts';
import { bundleLatestCommand } from './latest-command.ts';
import { bundleLintCommand } from './lint-command.ts';
import { bundleResolveCommand } from './resolve/resolve-command.ts';
import { bundleShowCommand } from './show-command.ts';
import { bundleSignCommand } from './sign-command.ts';
import { bundleVerifyCommand } from './verify-command.ts';

export const bundleCommand: CommandGroup = {
  name: 'bundle',
  summary: 'Check, complete, sign, compare and find bundles',
  description: [
    'A bundle is a file of kind ComponentBundle: components that were tested together, with the digests of their artifacts.',
  ],
  takes: 'a command',
  commands: [
    bundleLintCommand,
    bundleSignCommand,
    bundleVerifyCommand,
    bundleShowCommand,
    bundleDiffCommand,
    bundleLatestCommand,
    bundleResolveCommand,
  ],
};
