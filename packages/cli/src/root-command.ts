import { agentCommand } from './agent/command.ts';
import type { CommandGroup } from './command/command.ts';
import { controllerCommand } from './controller/command.ts';
import { dnsCommand } from './dns/command.ts';
import { grantCommand, revokeCommand } from './grant/command.ts';
import { handoverCommand } from './handover/command.ts';
import { sandboxCommand } from './sandbox/command.ts';
import { upgradeCommand } from './upgrade/command.ts';
import { versionCommand } from './version/command.ts';

/** The whole command tree. */
export const rootCommand: CommandGroup = {
  name: 'isthmus',
  summary: 'Join Kubernetes clusters into one ClusterSet',
  takes: 'a command',
  commands: [
    agentCommand,
    controllerCommand,
    dnsCommand,
    grantCommand,
    handoverCommand,
    revokeCommand,
    sandboxCommand,
    upgradeCommand,
    versionCommand,
  ],
};
