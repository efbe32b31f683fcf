import { roleFacts } from '@isthmus/controlplane/role-facts';
import type { RoleName } from '@isthmus/controlplane/role-facts';
import type { Command, CommandGroup } from '../command/command.ts';
import { defineCommand } from '../command/command.ts';
import { contextFlag } from '../command/common-flags.ts';
import { switchFlag, textFlag } from '../command/flag.ts';
import { outputFlag } from '../command/output-flag.ts';

export const handoverCommand: CommandGroup = {
  name: 'handover',
  summary: 'Prepare a cluster for the controllers of Antrea Multi-cluster',
  description: [
    'Use it to change back to Antrea, one cluster at a time, in any order. To change from Antrea to Isthmus, follow docs/antrea.md: that needs no command.',
  ],
  takes: 'a role',
  commands: [
    roleCommand('leader', 'Hand the Common Area of a leader over to Antrea', [
      'Stops the controller of Isthmus; deletes the ResourceImports of single clusters, so that members read the merged ones; removes the ' +
        'labels and annotations that only Isthmus uses; and lists the ServiceAccounts of members that an Antrea leader would reject.',
      'Imported Services keep their endpoints in all members.',
    ]),
    roleCommand('member', 'Hand the imported Services of a member over to Antrea', [
      'Stops the controller of Isthmus; replaces the EndpointSlices of imported Services by Endpoints, as Antrea writes them; removes the labels, ' +
        'annotations and finalizers that only Isthmus uses; and stores ServiceExports and ServiceImports as v1alpha1, so that the API server ' +
        "accepts Antrea's CustomResourceDefinitions.",
      'Imported Services keep uid, ClusterIP and endpoints. For a Service without ready endpoints, no Endpoints object is written.',
    ]),
  ],
};

function roleCommand(role: RoleName, summary: string, description: readonly string[]): Command {
  return defineCommand({
    name: role,
    summary,
    description: [
      ...description,
      'Without --yes, prints the plan and changes nothing. The command can be repeated. It needs the permissions of an administrator.',
      'Exits with 0 when the plan is printed or carried out, with 2 for invalid flags or kubeconfig, and with 1 for any other failure.',
    ],
    flags: {
      yes: switchFlag({ short: 'y', summary: 'carry out the plan', absent: 'false' }),
      kubeconfig: textFlag({
        short: 'k',
        placeholder: 'file',
        summary: 'kubeconfig of the cluster; default: KUBECONFIG, then ~/.kube/config',
      }),
      context: contextFlag,
      namespace: textFlag({
        short: 'n',
        placeholder: 'name',
        summary: 'the Namespace of the controller',
        absent: roleFacts[role].defaultNamespace,
      }),
      output: outputFlag,
    },
    examples: [
      { does: 'Show the plan', line: `isthmus handover ${role} --context my-cluster` },
      { does: 'Carry it out', line: `isthmus handover ${role} --context my-cluster --yes` },
    ],
    async run(io, flags) {
      const { runHandover } = await import('./run-handover.ts');
      return runHandover(io, role, flags);
    },
  });
}
