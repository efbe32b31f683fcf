import type { InferRead } from '@isthmus/schema';
import { s } from '@isthmus/schema';
import { idText } from '../../words.ts';

/** A condition that must hold before a step may begin, or after it before the next may. */
const gate = s.object({
  id: idText().doc('Unique within the step.'),
  at: s.oneOf('before', 'after').doc('When it is checked.'),
  kind: s
    .oneOf(
      'fact',
      'ready',
      'established',
      'webhook-ready',
      'objects-valid',
      'dry-run',
      'heartbeat',
      'imports-unchanged',
      'approval',
      'soak',
    )
    .doc(
      'fact: a hook is done. ready: the workloads run the new version on every Node and are available. established: CRDs are Established with ' +
        'NamesAccepted. webhook-ready: its endpoints answer. objects-valid: stored objects are valid under the new schema. dry-run: the API server accepts the ' +
        'objects. heartbeat: the member has announced itself again. imports-unchanged: imports are as before. approval: a user approves. soak: a waiting time.',
    ),
  what: s.string().minLength(1).doc('The condition, in one sentence with names.'),
  seconds: s.int32().min(0).optional().doc('heartbeat: maximum age; soak: duration; others: maximum time to wait.'),
});
export type Gate = InferRead<typeof gate>;

/** A version that runs after a step where another ran before, or nothing. */
const effect = s.object({
  component: idText().doc('The id of the component.'),
  cluster: idText().optional().doc('The cluster; absent for clients.'),
  node: idText().optional().doc('The Node; absent: on all that the component has there.'),
  name: s.string().optional().doc('Which of several replicas or clients.'),
  from: s.string().doc('The version before; empty: none, or unknown.'),
  to: s.string().doc('The version after.'),
});
export type Effect = InferRead<typeof effect>;

/** The kinds of steps. A plan changes a fleet only by these. */
const stepKinds = [
  'hook',
  'freeze',
  'backup',
  'migrate-storage',
  'apply-definitions',
  'apply-shared',
  'recreate',
  'upgrade',
  'verify',
  'clean-up',
  'record',
  'unfreeze',
] as const;

/** One step of a plan. */
export const step = s.object({
  id: s
    .string()
    .pattern('^\\d+(\\.\\d+)*$')
    .doc(
      'Its position, such as 3.2.1: group, wave, step. Steps are listed in an order in which they can be carried out one by one.',
    ),
  kind: s
    .oneOf(...stepKinds)
    .doc(
      'hook: an additional step that a person or script carries out. freeze, unfreeze: pause and resume tools that would interfere. backup: ' +
        'save the data for a rollback. migrate-storage: rewrite objects and set storedVersions. apply-definitions: apply CRDs. apply-shared: ' +
        'apply the objects of a manifest that belong to no workload. recreate: delete an object whose immutable fields change and create it again. upgrade: upgrade the component ' +
        'itself. verify: only check gates. clean-up: remove left-over objects, in the order of docs/spec/upgrades.md §2.7. record: record the running versions.',
    ),
  title: s.string().minLength(1).doc('Summary in one line.'),
  why: s.string().minLength(1).doc('The reason for the step and its position, with the ids of the rules.'),
  group: idText().doc(
    'Its part of the plan: pre-steps, freeze, management, leader, members, clusters, kubernetes, clients, post-steps.',
  ),
  wave: s.int32().min(0).doc('Which wave of its group: canary first. 0 where there are none.').default(0),
  after: s
    .setOf(s.string())
    .doc('The ids of the steps that must be done before; steps without an order may run in parallel.')
    .default([]),
  cluster: idText().optional().doc('Its cluster; absent for clients.'),
  component: idText().optional().doc('The id of the component that it belongs to.'),
  nodes: s.setOf(idText()).doc('The Nodes of this wave, for components of scope node.').default([]),
  objects: s
    .array(s.string().minLength(1))
    .doc('The objects that it writes or deletes, such as `Deployment kube-system/antrea-controller`; CRDs by name.')
    .default([]),
  artifacts: s.array(s.string().minLength(1)).doc('The artifacts that it uses: location and digest.').default([]),
  effects: s
    .array(effect)
    .doc('The versions that run afterwards: all effects of a plan together give the bundle.')
    .default([]),
  rolling: s.boolean().doc('While it runs, versions before and after run side by side.').default(false),
  gates: s.mapBy(['id'], gate).doc('Its conditions.').default([]),
  interrupts: s.array(s.string().minLength(1)).doc('What does not work while it runs, in sentences.').default([]),
  reversible: s
    .boolean()
    .doc(
      'Whether a rollback is still possible: no step up to this one destroys data that it needs; false from the point of no return on. The rules of a component decide whether it supports a downgrade.',
    )
    .default(true),
  action: s
    .oneOf('recreate-foreground', 'recreate-orphan')
    .optional()
    .doc('How the object is recreated; for steps of kind recreate.'),
  storedVersion: s
    .string()
    .optional()
    .doc('The version in which the objects are stored afterwards; for steps of kind migrate-storage.'),
  instructions: s.string().optional().doc('Instructions; for steps of kind hook, freeze and unfreeze.'),
});
export type Step = InferRead<typeof step>;
