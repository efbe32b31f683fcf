import type { CommandGroup } from '../command/command.ts';
import { defineCommand } from '../command/command.ts';
import type { Flag } from '../command/flag.ts';
import { switchFlag, textFlag } from '../command/flag.ts';
import { UsageError } from '../command/usage-error.ts';
import type { AskedCluster } from './cluster-list.ts';
import { defaultClusters, leaderProblem, parseClusterList } from './cluster-list.ts';

const defaultKubeconfig = './isthmus-sandbox.kubeconfig';

const clusters: Flag<readonly AskedCluster[]> = {
  placeholder: 'name[:role],…',
  summary:
    'the clusters as name or name:role; the role is leader, member (the default) or leader+member; exactly one leader, except with --bare',
  absent: defaultClusters,
  parse: parseClusterList,
};

export const sandboxCommand: CommandGroup = {
  name: 'sandbox',
  summary: 'Run simulated clusters in this process to try Isthmus',
  takes: 'a command',
  commands: [
    defineCommand({
      name: 'up',
      summary: 'Run clusters that are joined into one ClusterSet, until interrupted',
      description: [
        'Starts a Kubernetes API server for each cluster in this process, over HTTPS on free ports of 127.0.0.1, with the controllers of ' +
          'Kubernetes and one simulated Node; installs Isthmus, runs its controllers, and joins the members. All data is kept in memory ' +
          'and is lost when the command ends. Does not need Kubernetes, Docker or root.',
        'Nodes and Pods are simulated: Pods get IPs and report Running, but no containers run and no traffic flows. Webhooks are called by ' +
          'url only, not through a Service; MutatingAdmissionPolicies are stored and change nothing. The annotation sandbox.isthmus.dev/ready: "false" on a Pod makes it not ready; sandbox.isthmus.dev/kubelet-stopped: ' +
          '"true" on a Node stops its heartbeats. Certificates and tokens are valid for ten days.',
        'With --network, Nodes and Pods have networks, as namespaces of Linux that end with the command, and members two Nodes with an agent on each: Pods reach each other and imported Services, also by name. The containers ' +
          'of a Pod are processes of this machine, with its files and root permissions: their command and args, or a server that answers with the name of the Pod on its ports. Images are not pulled.',
        "The kubeconfig is written when all clusters are ready and removed when the command ends. It contains administrators' keys: only its " +
          'owner can read it. ~/.kube/config is not changed. A file that an earlier sandbox wrote is replaced if its clusters have ' +
          'ended; the command rejects any other existing file and leaves it unchanged.',
        'Progress goes to stdout, controller warnings to stderr: those of the start as a summary, with the path of the log. Exits with 0 after SIGTERM or SIGINT, with 2 for invalid flags or a kubeconfig that cannot be ' +
          'written, and with 1 for any other failure. A second signal ends it at once, with 1; a signal before the program is loaded ends it like any process.',
      ],
      flags: {
        clusters,
        bare: switchFlag({
          summary:
            'leave the clusters without Isthmus, to practise its installation; roles in --clusters have no effect',
          absent: 'false',
        }),
        network: switchFlag({
          summary: 'give Nodes and Pods networks, and run processes in Pods and agents on Nodes; needs Linux and root',
          absent: 'false',
        }),
        kubeconfig: textFlag({ placeholder: 'file', summary: 'the kubeconfig to write', absent: defaultKubeconfig }),
      },
      examples: [
        { does: 'A leader and two members', line: 'isthmus sandbox up' },
        {
          does: 'Two clusters, one with both roles',
          line: 'isthmus sandbox up --clusters north:leader+member,east',
        },
        { does: 'Clusters whose Pods call each other', line: 'isthmus sandbox up --network' },
        { does: 'Clusters to practise the installation on', line: 'isthmus sandbox up --bare' },
      ],
      async run(io, flags) {
        const { clusters: asked = parseClusterList(defaultClusters), bare: isBare = false, network = false } = flags;
        const problem = isBare ? undefined : leaderProblem(asked);
        if (problem !== undefined) throw new UsageError(`--clusters is invalid. ${problem}`);
        if (isBare && network)
          throw new UsageError('--bare and --network exclude each other: the agents of a network are part of Isthmus.');
        // Loaded only here: serving an API loads much code, which a controller does not need.
        const { runUp } = await import('./up.ts');
        return runUp(io, {
          clusters: asked,
          kubeconfig: flags.kubeconfig ?? defaultKubeconfig,
          isBare,
          hasNetwork: network,
        });
      },
    }),
    defineCommand({
      name: 'exec',
      summary: 'Run a program in a Pod of a sandbox with a network',
      description: [
        "Runs a program of this machine in the network of a Pod, as kubectl exec does: over the API server of the cluster, with the administrator's key of the kubeconfig that " +
          'isthmus sandbox up --network wrote. Standard input is not passed on; kubectl exec -i does that.',
        'Exits with the code of the program, with 1 for any other failure, and with 2 for invalid arguments or a kubeconfig that is not from a sandbox.',
      ],
      operands: [
        { name: 'pod', summary: 'the Pod, as cluster/namespace/name' },
        { name: 'command', summary: 'the program and its arguments, after --', many: true },
      ],
      flags: {
        container: textFlag({ short: 'c', placeholder: 'name', summary: 'the container, if the Pod has several' }),
        kubeconfig: textFlag({
          placeholder: 'file',
          summary: 'the kubeconfig of the sandbox',
          absent: defaultKubeconfig,
        }),
      },
      examples: [
        {
          does: 'Call an imported Service from a Pod of east',
          line: 'isthmus sandbox exec east/shop/client -- curl -s http://10.102.7.9/',
        },
      ],
      async run(io, flags, operands) {
        const { runExec } = await import('./exec.ts');
        return runExec(io, { ...flags, kubeconfig: flags.kubeconfig ?? defaultKubeconfig }, operands);
      },
    }),
  ],
};
