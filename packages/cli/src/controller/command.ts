import type { Command, CommandGroup } from '../command/command.ts';
import { defineCommand } from '../command/command.ts';
import { controllerFlags } from './flags.ts';
import type { Role } from './role.ts';
import { roles } from './role.ts';
import { runController } from './run-controller.ts';

export const controllerCommand: CommandGroup = {
  name: 'controller',
  summary: 'Run a controller of the multi-cluster control plane',
  takes: 'a role',
  commands: [
    roleCommand(roles.leader, 'Run the controller of a leader cluster', [
      'Merges what the members export in one Namespace, and watches over the members. Reads and writes in that Namespace only.',
    ]),
    roleCommand(roles.member, 'Run the controller of a member cluster', [
      'Joins the ClusterSet of its Namespace, exports Services of this cluster and imports those of the others.',
    ]),
  ],
};

function roleCommand(role: Role, summary: string, description: readonly string[]): Command {
  return defineCommand({
    name: role.name,
    summary,
    description: [...description, ...processNotes(role)],
    flags: controllerFlags(role.defaultNamespace),
    examples: [
      { does: 'In a Pod', line: `isthmus controller ${role.name} --config /etc/isthmus/config.yaml` },
      {
        does: 'On a desk, as the user of a kubeconfig',
        line: `isthmus controller ${role.name} --kubeconfig ~/.kube/config --context my-cluster`,
      },
    ],
    run: (io, flags) => runController(io, role, flags),
  });
}

function processNotes(role: Role): readonly string[] {
  return [
    `Of several replicas one is active: it holds the Lease ${role.leaseName} in the controller's Namespace. POD_NAME, or the name of the ` +
      'host, stands in it.',
    'Serves /healthz and /readyz (/readyz?verbose names each check), and /metrics where the configuration gives it an address. Logs go to ' +
      'standard error.',
    'Ends with 0 after SIGTERM or SIGINT (a second one ends it at once, with 1), with 2 for wrong flags, configuration or kubeconfig, ' +
      'with 1 for any other failure, such as a lost Lease. An API server that cannot be reached, or that lacks the custom resources of ' +
      `${role.manifests.definitions}, does not end it: /readyz and the log say so, and it goes on trying.`,
  ];
}
