import type { CommandGroup } from '../command/command.ts';
import { defineCommand } from '../command/command.ts';
import type { Flag } from '../command/flag.ts';
import { textFlag } from '../command/flag.ts';
import type { AskedCluster } from './cluster-list.ts';
import { defaultClusters, parseClusterList } from './cluster-list.ts';

const defaultKubeconfig = './isthmus-sandbox.kubeconfig';

const clusters: Flag<readonly AskedCluster[]> = {
  placeholder: 'name[:role],…',
  summary:
    'the clusters by name, each a member, or what stands behind a colon: leader, member, leader+member; one leader',
  absent: defaultClusters,
  parse: parseClusterList,
};

export const sandboxCommand: CommandGroup = {
  name: 'sandbox',
  summary: 'Run clusters in this process, to try things out',
  takes: 'a command',
  commands: [
    defineCommand({
      name: 'up',
      summary: 'Bring up clusters that are joined into one ClusterSet, until interrupted',
      description: [
        'Starts a Kubernetes API server for each cluster in this process, over HTTPS on free ports of 127.0.0.1, with the controllers of ' +
          'Kubernetes and one simulated Node; installs Isthmus, runs its controllers, and joins the members. Everything is kept in memory ' +
          'and goes when the command ends. Needs no Kubernetes, no Docker, no root.',
        'What is simulated: Pods get addresses and say that they run, but nothing runs in them, and no packet is carried. Webhooks ' +
          'are called where they have a url, for nothing runs behind a Service. Annotation sandbox.isthmus.dev/ready: "false" on a Pod makes it not ready; sandbox.isthmus.dev/kubelet-stopped: ' +
          '"true" on a Node stops its heartbeats. Certificates and tokens are good for ten days.',
        "The kubeconfig appears, whole, when everything is ready, and goes when the command ends. It holds administrators' keys: only its " +
          'owner can read it. ~/.kube/config is not touched. A file that a sandbox wrote before is replaced once its clusters are ' +
          'gone; any other file is left alone, and refused.',
        'Says what it has done on standard output; on standard error what the controllers warn of. Ends with 0 after SIGTERM or SIGINT (before the program is loaded, by the signal itself; a second one ends ' +
          'it at once, with 1), with 2 for wrong flags or a kubeconfig that cannot be put there, with 1 for any other failure.',
      ],
      flags: {
        clusters,
        kubeconfig: textFlag({ placeholder: 'file', summary: 'where the kubeconfig goes', absent: defaultKubeconfig }),
      },
      examples: [
        { does: 'A leader and two members', line: 'isthmus sandbox up' },
        {
          does: 'Two clusters, of which one has both roles',
          line: 'isthmus sandbox up --clusters north:leader+member,east',
        },
      ],
      async run(io, flags) {
        // Only here: what serves an API is much to load, and a controller has no use for it.
        const { runUp } = await import('./up.ts');
        return runUp(io, {
          clusters: flags.clusters ?? parseClusterList(defaultClusters),
          kubeconfig: flags.kubeconfig ?? defaultKubeconfig,
        });
      },
    }),
  ],
};
