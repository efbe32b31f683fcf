import { roleFacts } from '@isthmus/controlplane/role-facts';
import type { RoleFacts, RoleName } from '@isthmus/controlplane/role-facts';
import type { Command, CommandGroup } from '../command/command.ts';
import { defineCommand } from '../command/command.ts';
import { controllerFlags } from './flags.ts';

export const controllerCommand: CommandGroup = {
  name: 'controller',
  summary: 'Run a controller of the multi-cluster control plane',
  takes: 'a role',
  commands: [
    roleCommand(roleFacts.leader, 'Run the controller of a leader cluster', [
      'Merges the exports of the members in one Namespace and monitors the members. Reads and writes only in that Namespace.',
    ]),
    roleCommand(roleFacts.member, 'Run the controller of a member cluster', [
      'Joins the ClusterSet of its Namespace, exports Services of this cluster and imports Services of the others.',
    ]),
  ],
};

function roleCommand(role: RoleFacts<RoleName>, summary: string, description: readonly string[]): Command {
  return defineCommand({
    name: role.name,
    summary,
    description: [...description, ...processNotes(role)],
    flags: controllerFlags(role.defaultNamespace),
    examples: [
      { does: 'Run in a Pod', line: `isthmus controller ${role.name} --config /etc/isthmus/config.yaml` },
      {
        does: 'Run outside the cluster, with the permissions of a kubeconfig user',
        line: `isthmus controller ${role.name} --kubeconfig ~/.kube/config --context my-cluster`,
      },
    ],
    async run(io, flags) {
      // Only here: other commands start without a control plane.
      const [{ roles }, { runController }] = await Promise.all([import('./role.ts'), import('./run-controller.ts')]);
      return runController(io, roles[role.name], flags);
    },
  });
}

function processNotes(role: RoleFacts): readonly string[] {
  return [
    `Only one of several replicas is active: it holds the Lease ${role.leaseName} in the controller's Namespace. The identity in the Lease begins with ` +
      'POD_NAME, or the host name. If POD_UID is set, a restarted container takes over the Lease at once; otherwise it waits until the Lease expires.',
    'Serves /healthz and /readyz (/readyz?verbose lists all checks), and /metrics if the configuration sets its address. Logs go to ' +
      'stderr.',
    'Exits with 0 after SIGTERM or SIGINT, with 2 for invalid flags, configuration or kubeconfig, and with 1 for any other failure. ' +
      'A second signal ends it at once, with 1. If the API server cannot be reached, or lacks the custom resources of ' +
      `${role.manifests.definitions}, the controller keeps trying and reports it in /readyz and the log.`,
  ];
}
