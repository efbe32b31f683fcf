import { FixedName } from '@isthmus/api';
import type { Command } from '../command/command.ts';
import { defineCommand } from '../command/command.ts';
import { contextFlag } from '../command/common-flags.ts';
import { switchFlag, textFlag } from '../command/flag.ts';

const operands = [{ name: 'cluster', summary: 'the ID of the cluster in the ClusterSet' }] as const;

const leaderFlags = {
  kubeconfig: textFlag({
    short: 'k',
    placeholder: 'file',
    summary: 'kubeconfig of the leader; default: KUBECONFIG, then ~/.kube/config',
  }),
  context: contextFlag,
  namespace: textFlag({
    short: 'n',
    placeholder: 'name',
    summary: "the Namespace of the leader's controller",
    absent: FixedName.leaderNamespace,
  }),
};

const exits =
  'Exits with 0 when it is done, with 2 for invalid arguments, kubeconfig or file, and with 1 for any other failure.';

export const grantCommand: Command = defineCommand({
  name: 'grant',
  summary: 'Let a cluster join, and write its join file',
  description: [
    'Run it on the leader. It records what the cluster may announce (KnownCluster), creates its ServiceAccount with the rights of a member, and writes ' +
      'a join file: the Secret and the ClusterSet for that cluster. To join, apply the file there.',
    'The token in the file can be used once, for 15 minutes: the member exchanges it for a token of 24 hours, which it renews. Each run makes a ' +
      'new file, and ends the token of the one before. A cluster that has joined stays connected.',
    'A cluster that is known keeps its ranges unless you name others. If these differ, the command prints the difference and changes nothing, unless --replace is given.',
    exits,
  ],
  operands,
  flags: {
    pods: textFlag({
      isList: true,
      placeholder: 'list',
      summary: 'ranges within which the cluster may announce Pod CIDRs, separated by commas',
    }),
    services: textFlag({
      isList: true,
      placeholder: 'list',
      summary: 'ranges within which the cluster may announce its Service CIDR, separated by commas',
    }),
    gateways: textFlag({
      isList: true,
      placeholder: 'list',
      summary: 'ranges within which its gateways have their addresses, separated by commas',
      absent: 'any address',
    }),
    replace: switchFlag({ summary: 'replace ranges that were granted or observed before', absent: 'false' }),
    output: textFlag({
      short: 'o',
      placeholder: 'file',
      summary: 'the join file to write, with permissions for its owner alone; - prints it',
    }),
    server: textFlag({
      placeholder: 'url',
      summary: "the leader's API server, as the Pods of the cluster reach it",
      absent: 'that of the kubeconfig',
    }),
    'member-namespace': textFlag({
      placeholder: 'name',
      summary: 'the Namespace of the controller in the cluster that joins',
      absent: FixedName.memberNamespace,
    }),
    ...leaderFlags,
  },
  examples: [
    {
      does: 'Let cluster east join',
      line: 'isthmus grant east --context north --pods 10.10.0.0/16 --services 10.96.0.0/12 -o east.yaml',
    },
    { does: 'Make another join file for it', line: 'isthmus grant east --context north -o east.yaml' },
    {
      does: 'Join, without a file',
      line: 'isthmus grant east --context north -o - | kubectl --context east apply -f -',
    },
  ],
  async run(io, flags, [cluster = '']) {
    const { runGrant } = await import('./run-grant.ts');
    return runGrant(io, cluster, flags);
  },
});

export const revokeCommand: Command = defineCommand({
  name: 'revoke',
  summary: 'End the tokens of a cluster',
  description: [
    'Run it on the leader. It deletes the Secrets to which the tokens of the cluster are bound, and its Secrets of type ' +
      'kubernetes.io/service-account-token. Within 15 seconds, the leader rejects the requests of the cluster.',
    'Its exports stay published for 24 hours, unless it connects again with a new join file, and it keeps its imports. ' +
      'The command prints how to remove the cluster now.',
    exits,
  ],
  operands,
  flags: leaderFlags,
  examples: [{ does: 'End the tokens of cluster east', line: 'isthmus revoke east --context north' }],
  async run(io, flags, [cluster = '']) {
    const { runRevoke } = await import('./run-revoke.ts');
    return runRevoke(io, cluster, flags);
  },
});
