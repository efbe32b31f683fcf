import { s } from '@isthmus/schema';
import type { InferRead } from '@isthmus/schema';
import { fileMetadata } from '../../file-metadata.ts';
import { defineFileKind } from '../../file-kind.ts';
import { relations } from '../../version/version.ts';
import { digestText, idText, severities } from '../../words.ts';
import { step } from './step.ts';

/** One side of a change. */
const side = (which: string) =>
  s
    .object({
      version: s.string().doc('The version; empty if there is none or it is unknown.'),
      digests: s.record(digestText()).doc('Digests by name of the artifact.').default({}),
      source: s.oneOf('recorded', 'live', 'both', 'bundle', 'none').doc('The source.'),
      versions: s.array(s.string()).doc('All running versions, if there are several; oldest first.').default([]),
    })
    .doc(which);

/** A difference of a cluster from the bundle (docs/spec/upgrades.md §1.3). */
const change = s.object({
  id: s.string().minLength(1).doc('Unique: `cluster/component`, or the component alone for clients.'),
  component: idText().doc('The id of the component.'),
  type: idText().doc('The component type that policies use.'),
  displayName: s.string().doc('Its display name.'),
  cluster: idText().optional().doc('The cluster; absent for clients.'),
  scope: s.oneOf('management', 'cluster', 'node', 'client').doc('Its kind of target.'),
  from: side('The current state.'),
  to: side('The target state of the bundle.'),
  relation: s.oneOf(...relations, 'added', 'disabled').doc('The kind of the change.'),
  orderKnown: s.boolean().doc('Whether it is known that the target is newer.'),
  reasons: s
    .array(s.string().minLength(1))
    .doc('Reasons for the change, in sentences: recorded and live state differ, digests differ.')
    .default([]),
  method: s.string().doc('How the component is upgraded.'),
  steps: s.array(s.string()).doc('The ids of its steps; empty if it is blocked.').default([]),
  hops: s.array(s.string()).doc('The versions of intermediate stops, oldest first, and the target.').default([]),
});
export type Change = InferRead<typeof change>;

/** A verdict of a rule, as the plan keeps it; see `Finding` for the meaning of the fields. */
const kept = s.object({
  rule: s.string().minLength(1).doc('The id of the rule.'),
  severity: s.oneOf(...severities).doc('block, warn or info.'),
  subject: s
    .object({
      clusterSet: s.string().optional().doc('The ClusterSet.'),
      cluster: s.string().optional().doc('The cluster.'),
      component: s.string().optional().doc('The component.'),
      node: s.string().optional().doc('The Node.'),
      object: s.string().optional().doc('The object, or the CRD by its name.'),
      path: s.string().optional().doc('The field.'),
    })
    .doc('The subject of the finding; has the cluster if it is only one.'),
  clusters: s.array(idText()).doc('All its clusters, sorted bytewise; empty if it is about the fleet.').default([]),
  why: s.string().minLength(1).doc('The problem.'),
  unblock: s.string().optional().doc('The next step.'),
  source: s.string().optional().doc('The source.'),
});

/**
 * The steps of an upgrade, in order, with reasons: a file for a user to review and for `apply` to
 * carry out. Equal inputs give equal bytes: it contains no time except that of the snapshot. Lists
 * are never absent.
 */
export const plan = defineFileKind({
  kind: 'Plan',
  docs: 'The steps from the current state to a bundle.',
  schema: s.object({
    metadata: fileMetadata,
    spec: s
      .object({
        outcome: s
          .oneOf('up-to-date', 'ready', 'blocked')
          .doc(
            'up-to-date: the fleet does not differ from the bundle. ready: the plan has steps to the bundle. blocked: a finding blocks the plan, which has no steps.',
          ),
        bundle: s
          .object({
            name: idText().doc('Its name.'),
            number: s.int64().doc('Its number.'),
            digest: digestText().doc('Its identity.'),
          })
          .doc('The target bundle.'),
        snapshot: s
          .object({
            name: idText().doc('Its name.'),
            takenAt: s.dateTime().doc('When it was taken.'),
            fingerprint: digestText().doc('SHA-256 over the fingerprints of the clusters.'),
            clusters: s
              .mapBy(
                ['name'],
                s.object({
                  name: idText().doc('The cluster.'),
                  fingerprint: digestText().doc('SHA-256 of its state in the snapshot.'),
                  context: s.string().optional().doc('The context of the kubeconfig by which it was read.'),
                }),
              )
              .doc('SHA-256 of each cluster in the snapshot: if one differs later, the plan is stale.'),
          })
          .doc('The snapshot that it was created from.'),
        policies: s
          .mapBy(
            ['name'],
            s.object({ name: idText().doc('Its name.'), digest: digestText().doc('SHA-256 of its canonical JSON.') }),
          )
          .doc('The policies that it was created with, each with the SHA-256 of its canonical JSON.'),
        kubernetes: s.string().optional().doc('The target Kubernetes minor; absent: Kubernetes is not upgraded.'),
        changes: s.mapBy(['id'], change).doc('The changes, by cluster and component.'),
        steps: s.array(step).doc('The steps.'),
        findings: s.array(kept).doc('The findings, blocking ones first.'),
        skipped: s
          .array(
            s.object({
              cluster: idText().optional().doc('The cluster.'),
              component: idText().optional().doc('The component; absent: the whole cluster.'),
              why: s.string().minLength(1).doc('The reason for skipping it.'),
            }),
          )
          .doc('Differences and requested changes that are skipped.'),
        leftOut: s
          .array(
            s.object({
              cluster: idText().doc('The cluster.'),
              component: s.string().optional().doc('The component; absent: the whole cluster.'),
              object: s.string().optional().doc('The object that the finding is about, such as a CRD.'),
              rule: s.string().minLength(1).doc('The id of a rule that blocks it.'),
              why: s.string().minLength(1).doc('The problem.'),
              unblock: s.string().optional().doc('The next step.'),
            }),
          )
          .doc(
            'Clusters that are blocked and left out, while the others are upgraded; one entry for each blocking finding.',
          )
          .default([]),
        waived: s
          .array(
            s.object({
              rule: s.string().doc('The id of the rule.'),
              subject: s.string().doc('The subject, in one line.'),
              reason: s.string().doc('The reason for the waiver.'),
              by: s.string().doc('The owner of the waiver.'),
              until: s.string().doc('The last day on which the waiver applies.'),
            }),
          )
          .doc('Findings that a waiver accepts.'),
        idleWaivers: s
          .array(
            s.object({
              rule: s.string().doc('The id of its rule.'),
              subject: s.string().doc('The CRD, cluster, component or field that it names, or any.'),
              reason: s.string().doc('The reason for the waiver.'),
              by: s.string().doc('The owner of the waiver.'),
              until: s.string().doc('The last day on which the waiver applies.'),
              why: s.string().minLength(1).doc('The reason why it has no effect.'),
            }),
          )
          .doc('Waivers without effect in this plan; empty if the plan is blocked.')
          .default([]),
        notExamined: s
          .array(s.string().minLength(1))
          .doc('What could not be examined, and the consequences: artifacts that were not available.'),
        estimates: s
          .array(
            s.object({
              id: s.string().doc('The beginning of the ids of its steps, such as 3.1.'),
              group: idText().doc('Its part of the plan.'),
              wave: s.int32().min(0).doc('Which wave of its group; 0 where there are none.'),
              seconds: s
                .int64()
                .min(0)
                .doc(
                  'The time of its rollouts, with the wait after the wave; a rollout without a recorded time counts as 0.',
                ),
              rollouts: s.int32().min(1).doc('Its rollouts.'),
              notRecorded: s.int32().min(0).doc('How many of them have no recorded time.'),
            }),
          )
          .doc(
            'How long the rollouts of each wave take, as the snapshot recorded earlier ones; empty if it has no records. Checks, hooks and other steps are not included.',
          )
          .default([]),
        pointOfNoReturn: s
          .object({
            step: s.string().doc('The id of the first step that cannot be rolled back.'),
            reasons: s.array(s.string().minLength(1)).doc('Why.'),
          })
          .optional()
          .doc(
            'The step after which a rollback is not possible; absent if no step destroys data that a rollback needs. The rules of a component decide whether it supports a downgrade.',
          ),
      })
      .doc('The plan.'),
  }),
});
export type Plan = ReturnType<typeof plan.decode>['value'];
