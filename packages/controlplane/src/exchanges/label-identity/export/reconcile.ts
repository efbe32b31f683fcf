import type { ResourceExport as ResourceExportObject } from '@isthmus/api';
import {
  Label,
  LabelIdentity,
  Namespace,
  Pod,
  ResourceExport,
  SourceKind,
  labelIdentityExportName,
  managedByIsthmus,
} from '@isthmus/api';
import type { Reconciler } from '@isthmus/kube';
import { again, blocked, defineReconciler, done, from, isUnreadable, onChange } from '@isthmus/kube';
import { isLive } from '@isthmus/machinery';
import { labelExportKeys, numberEcho } from '@isthmus/wire';
import type { ControllerAccess } from '../../../controller-access.ts';
import { rejectedByLeader } from '../../../own-cluster/rejected-by-leader.ts';
import { rejectedAgainMs } from '../../../reporting/lasting-rejection.ts';
import type { LeaderSession } from '../../../own-cluster/leader-session.ts';
import { isUsable } from '../../../own-cluster/leader-session.ts';
import { writeExport } from '../../../own-cluster/write-exports.ts';
import type { LabelIdentityProblem, LabelIdentityProblems } from '../local/incomplete.ts';
import type { LabelSets } from '../local/label-sets.ts';
import type { LocalLabelIdentities } from '../local/label-identities.ts';
import { decideLabelExport } from './decide.ts';

/** The access that this controller needs. */
export const labelIdentityExportAccess: readonly ControllerAccess[] = [
  { at: 'local', type: Pod, scope: 'all', verbs: ['get', 'list', 'watch'], optional: true },
  { at: 'local', type: Namespace, scope: 'all', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: LabelIdentity, scope: 'all', verbs: ['get', 'list', 'watch'], optional: true },
  { at: 'leader', type: ResourceExport, scope: 'own', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
];

/** How often to check if the LabelIdentities of this cluster have been read. */
const unreadMs = 500;

/**
 * How often to retry an export whose name another object has. No watch of this member shows when
 * the name becomes free.
 */
const conflictCheckMs = 60_000;

export interface LabelExportOptions extends Pick<LocalLabelIdentities, 'labelIdentities'> {
  readonly sets: LabelSets;
  readonly session: LeaderSession;
  /** Records the problem of the set with that hash; undefined: no problem. */
  readonly note: (
    hash: string,
    problem: LabelIdentityProblems extends ReadonlyMap<string, infer P> ? P | undefined : never,
  ) => void;
}

/** Exports each set of labels that Pods of this cluster have. One key: the hash of the set. */
export function labelIdentityExportController({
  labelIdentities,
  sets,
  session,
  note,
}: LabelExportOptions): Reconciler {
  const { clusterID, leaderClusterID, leaderNamespace: namespace } = session.spec;
  let wasUsable = false;
  const rejected = (error: unknown) => rejectedByLeader(error, leaderClusterID);
  const isConflicting = ({ spec }: ResourceExportObject) =>
    spec?.kind !== SourceKind.labelIdentity || spec.clusterID !== clusterID;
  return defineReconciler<LabelIdentityProblem>({
    name: 'label-identity-export',
    sources: [sets.source],
    optionalSources: [
      from(session.exports.cache, labelExportKeys),
      onChange(session.onState, () => {
        const was = wasUsable;
        wasUsable = isUsable(session);
        return wasUsable && !was
          ? [...sets.hashes(), ...session.exports.cache.list().filter(isLive).flatMap(labelExportKeys)]
          : [];
      }),
    ],
    access: labelIdentityExportAccess,
    async reconcile(hash, { signal }) {
      // A change of the session wakes the key.
      if (!isUsable(session)) return done;
      const name = labelIdentityExportName(clusterID, hash);
      const found = session.exports.cache.get({ namespace, name });
      const decision = decideLabelExport({ label: sets.labelOf(hash), found, clusterID });
      switch (decision.kind) {
        case 'nothing':
          session.losses.forget(name);
          return done;
        case 'withdraw':
          session.losses.withdraw(name);
          await session.exports.delete(decision.object, signal);
          return done;
        case 'export': {
          const { cache } = labelIdentities;
          // A cluster has no numbers if it does not serve the kind, or denies it to this
          // controller.
          if (found === undefined && !cache.synced && !isUnreadable(cache.state))
            return again(unreadMs, 'the LabelIdentities of this cluster are not read yet');
          const metadata = {
            name,
            namespace,
            annotations: numberEcho(decision.label, cache.get({ name: hash })),
            labels: {
              [Label.sourceKind]: SourceKind.labelIdentity,
              [Label.sourceClusterID]: clusterID,
              [Label.managedBy]: managedByIsthmus,
            },
          };
          const exported = { metadata, spec: decision.spec };
          const answer = await writeExport({ session, isConflicting, marks: false }, exported, signal).catch(rejected);
          if (answer.kind === 'rejected')
            return blocked('LabelsNotExported', answer.message, { lookAgainMs: rejectedAgainMs });
          if (answer.kind === 'lost') return again(answer.forMs, 'the leader lost the export');
          if (answer.kind === 'conflicting') {
            const message = `ResourceExport ${name} on leader ${leaderClusterID} is not an export of labels of this cluster. Delete it there.`;
            return blocked('LabelsNotExported', message, { lookAgainMs: conflictCheckMs });
          }
          if (decision.refusal === undefined) return done;
          const message = `Leader ${leaderClusterID} does not publish ResourceExport ${name}: ${decision.refusal}`;
          return blocked('LabelsNotExported', message);
        }
      }
    },
    async report(hash, problem) {
      note(hash, problem);
    },
  });
}
