import type { ClusterSet } from '@isthmus/api';
import { FixedName } from '@isthmus/api';
import { howToAllowRemovals } from '@isthmus/wire';

type HeldVerdict = { readonly status: 'True'; readonly reason: 'WithdrawalHeld'; readonly message: string };

/**
 * How to make a member that runs Antrea export again what the leader lost. After a restart its
 * controller writes what it has not written since then, but only for a Service or ServiceExport
 * that changes.
 */
const reexportByAntrea =
  'kubectl annotate serviceexports --all --all-namespaces --overwrite exported-again="$(date +%s)"';

const antreaAgain = `restart the controllers of these clusters, and then write to each ServiceExport there: ${reexportByAntrea}`;

/** What a leader holds, for its condition and its Event. */
export const exportsLost = `The exports of published objects are missing, although no member withdrew them. The published objects are kept. Clusters that run Isthmus export again without your help. Clusters that run Antrea do not, and their exports may be kept for only a minute: ${antreaAgain}.`;

/** The leader that lost imports. */
interface LosingLeader {
  readonly leaderClusterID: string;
  readonly leaderNamespace: string;
  /**
   * Whether it answers heartbeats, which means that it runs Isthmus; undefined: not known. Other
   * leaders publish nothing again before they restart.
   */
  readonly answers: boolean | undefined;
}

/** Which imports a member holds, and how they come back. `which` are missing: `Imports`. */
export function importsLost(which: string, { leaderClusterID, leaderNamespace, answers }: LosingLeader): string {
  const lost = `${which} are missing on leader ${leaderClusterID}, although no exporter withdrew them. They are kept.`;
  if (answers !== false)
    return `${lost} They are published again when their exports are back, for most causes without your help: docs/losses.md lists the causes and what to do.`;
  return `${lost} Leader ${leaderClusterID} does not publish them again by itself. If they are still missing after two minutes, restart its controller there: ${restartOfController(leaderNamespace)}. Clusters that run Antrea do not export again by themselves either, and their imports may be kept for only a minute: ${antreaAgain}.`;
}

/** The command that restarts the controller of a leader. */
export function restartOfController(leaderNamespace: string): string {
  return `kubectl -n ${leaderNamespace} rollout restart deployment ${FixedName.controllerDeployment}`;
}

/**
 * Which exports a member holds, for its condition and its Event. `definitions`: the deleted CRDs,
 * such as `serviceexports.<group>`.
 */
export function exportsLostWithDefinition(definitions: readonly string[]): string {
  return `CustomResourceDefinition ${definitions.join(', ')} was deleted together with its objects. Their exports are kept. Apply the CustomResourceDefinition and the objects again.`;
}

/** What is kept and why, and how a user releases it. */
export function heldMessage(clusterSet: ClusterSet, what: string): string {
  return `${what} ${howToAllowRemovals(clusterSet)}`;
}

/**
 * The condition WithdrawalHeld of a ClusterSet. `what` names the objects that are kept, and the
 * reason. Absent if nothing is held.
 */
export function heldVerdict(clusterSet: ClusterSet, held: number, what: string): HeldVerdict | 'absent' {
  if (held === 0) return 'absent';
  return {
    status: 'True',
    reason: 'WithdrawalHeld',
    message: `Objects held: ${held}. ${heldMessage(clusterSet, what)}`,
  };
}
