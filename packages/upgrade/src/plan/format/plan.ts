import { defineConfigKind, s } from '@isthmus/schema';
import type { InferRead } from '@isthmus/schema';
import { fileMetadata } from '../../file-metadata.ts';
import { upgradeGroup, upgradeVersion } from '../../file-kind.ts';
import { relations } from '../../version/version.ts';
import { digestText, idText, severities } from '../../words.ts';
import { step } from './step.ts';

/** One side of a change. */
const side = (which: string) =>
  s
    .object({
      version: s.string().doc('The version; empty where there is none or it is not known.'),
      digests: s.record(digestText()).doc('By name of the artifact.').default({}),
      source: s.oneOf('recorded', 'live', 'both', 'bundle', 'none').doc('Who says so.'),
      versions: s.array(s.string()).doc('All that run, where they are several; oldest first.').default([]),
    })
    .doc(which);

/** What of a cluster differs from the bundle (docs/spec/upgrades.md §1.3). */
const change = s.object({
  id: s.string().minLength(1).doc('Unique: `cluster/component`, or the component alone for clients.'),
  component: idText().doc('The id of the component.'),
  type: idText().doc('The word by which policies speak of it.'),
  displayName: s.string().doc('Its name for people.'),
  cluster: idText().optional().doc('The cluster; absent for clients.'),
  scope: s.oneOf('management', 'cluster', 'node', 'client').doc('What it belongs to.'),
  from: side('What is there.'),
  to: side('What the bundle wants.'),
  relation: s.oneOf(...relations, 'added', 'disabled').doc('What kind of change it is.'),
  orderKnown: s.boolean().doc('Whether it is known that the target is newer.'),
  reasons: s
    .array(s.string().minLength(1))
    .doc('Why it is a change, in sentences: recorded differs from live, digests differ.')
    .default([]),
  method: s.string().doc('How the component is upgraded.'),
  steps: s.array(s.string()).doc('The ids of the steps that carry it out; empty where it is blocked.').default([]),
  hops: s.array(s.string()).doc('The versions that it stops at on the way, oldest first, the target last.').default([]),
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
    .doc('What it is about; the cluster only where it is one alone.'),
  clusters: s
    .array(idText())
    .doc('All the clusters that it is about, one or many, bytewise; empty where it is about the fleet.')
    .default([]),
  why: s.string().minLength(1).doc('What was found.'),
  unblock: s.string().optional().doc('What to do.'),
  source: s.string().optional().doc('Who says so.'),
});

/**
 * What will be done, in order, and why; a file for a person to review and for `apply` to carry out. Equal inputs give equal bytes: it holds no
 * time but that of the snapshot. Lists are never absent.
 */
export const plan = defineConfigKind({
  group: upgradeGroup,
  version: upgradeVersion,
  kind: 'Plan',
  docs: 'The steps from what runs to a bundle.',
  schema: s.object({
    metadata: fileMetadata,
    spec: s
      .object({
        outcome: s
          .oneOf('up-to-date', 'ready', 'blocked')
          .doc(
            'up-to-date: nothing differs. ready: the steps lead to the bundle. blocked: a finding stops it; there are no steps.',
          ),
        bundle: s
          .object({
            name: idText().doc('Its name.'),
            number: s.int64().doc('Its number.'),
            digest: digestText().doc('Its identity.'),
          })
          .doc('The bundle that it leads to.'),
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
                  fingerprint: digestText().doc('SHA-256 of what was seen of it.'),
                }),
              )
              .doc('SHA-256 of each cluster as it was seen: where one differs later, the plan is stale.'),
          })
          .doc('The snapshot that it was made from.'),
        policies: s
          .mapBy(
            ['name'],
            s.object({ name: idText().doc('Its name.'), digest: digestText().doc('SHA-256 of its canonical JSON.') }),
          )
          .doc('The policies under which it was made, each with SHA-256 of its canonical JSON.'),
        kubernetes: s.string().optional().doc('The Kubernetes minor that it leads to; absent: Kubernetes stays.'),
        changes: s.mapBy(['id'], change).doc('What differs, by cluster and component.'),
        steps: s.array(step).doc('What is done.'),
        findings: s.array(kept).doc('What the rules say: first those that block.'),
        skipped: s
          .array(
            s.object({
              cluster: idText().optional().doc('The cluster.'),
              component: idText().optional().doc('The component; absent: the whole cluster.'),
              why: s.string().minLength(1).doc('Why it is left as it is.'),
            }),
          )
          .doc('What is left out though it differs, or was asked for.'),
        waived: s
          .array(
            s.object({
              rule: s.string().doc('The id of the rule.'),
              subject: s.string().doc('What it is about, in one line.'),
              reason: s.string().doc('Why it may pass.'),
              by: s.string().doc('Who answers for it.'),
              until: s.string().doc('The last day on which that counts.'),
            }),
          )
          .doc('Findings that pass because a person answers for them.'),
        notExamined: s
          .array(s.string().minLength(1))
          .doc('What could not be looked at, and what that means: artifacts that were not at hand.'),
        pointOfNoReturn: s
          .object({
            step: s.string().doc('The id of the first step that cannot be undone.'),
            reasons: s.array(s.string().minLength(1)).doc('Why.'),
          })
          .optional()
          .doc('From where on there is only forward; absent: everything can be undone.'),
      })
      .doc('The plan.'),
  }),
});
export type Plan = ReturnType<typeof plan.decode>['value'];
