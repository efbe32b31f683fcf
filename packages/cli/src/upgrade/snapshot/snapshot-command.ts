import { defineCommand } from '../../command/command.ts';
import { snapshotFlags } from './snapshot-flags.ts';

export const snapshotCommand = defineCommand({
  name: 'snapshot',
  summary: 'Take a snapshot of live clusters, for plans',
  description: [
    'Reads which versions run in each cluster: Deployments, DaemonSets, Pods that differ by Node, CRDs, webhooks, Nodes and ClusterSets. Nothing is ' +
      'changed in the clusters. A cluster that cannot be read is recorded with the cause, and the others are read.',
    'With --output, you can continue an interrupted snapshot: run the same command again. FILE.part keeps each cluster that was read, until the snapshot is complete.',
    'Exits with 0 if all clusters were read, with 2 if some could not be read, and with 1 for any error.',
  ],
  operands: [],
  flags: snapshotFlags,
  examples: [
    { does: 'Read two clusters into a file', line: 'isthmus upgrade snapshot --context north,east -o fleet.yaml' },
    {
      does: 'Read all clusters of a kubeconfig again',
      line: 'isthmus upgrade snapshot --all-contexts --refresh all -o fleet.json',
    },
    {
      does: 'Create the ClusterRole that a snapshot needs',
      line: 'isthmus upgrade snapshot --rights | kubectl apply -f -',
    },
  ],
  async run(io, flags) {
    const { takeSnapshot } = await import('./take-snapshot.ts');
    return takeSnapshot(io, flags);
  },
});
