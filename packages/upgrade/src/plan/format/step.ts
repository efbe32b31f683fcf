import type { InferRead } from '@isthmus/schema';
import { s } from '@isthmus/schema';
import { idText } from '../../words.ts';

/** What has to hold before a step may begin, or after it before the next may. */
const gate = s.object({
  id: idText().doc('Unique within the step.'),
  at: s.oneOf('before', 'after').doc('When it is asked.'),
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
        'NamesAccepted. webhook-ready: its endpoints answer. objects-valid: stored objects pass the new schema. dry-run: the API server takes the ' +
        'objects. heartbeat: the member announces itself anew. imports-unchanged: what is imported is as before. approval: a person says yes. soak: time passes.',
    ),
  what: s.string().minLength(1).doc('What is asked, in one sentence with names.'),
  seconds: s.int32().min(0).optional().doc('heartbeat: how fresh; soak: how long; others: how long to wait at most.'),
});
export type Gate = InferRead<typeof gate>;

/** A version that runs after a step where another ran before, or nothing. */
const effect = s.object({
  component: idText().doc('The id of the component.'),
  cluster: idText().optional().doc('The cluster; absent for clients.'),
  node: idText().optional().doc('The Node; absent: on all that the component has there.'),
  name: s.string().optional().doc('Which of several replicas or clients.'),
  from: s.string().doc('What ran; empty: nothing, or it is not known.'),
  to: s.string().doc('What runs then.'),
});
export type Effect = InferRead<typeof effect>;

/** What a step does. Nothing else ever happens to a fleet. */
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
    .doc('Its place, as 3.2.1: group, wave, step. Steps are listed in an order in which they can be done one by one.'),
  kind: s
    .oneOf(...stepKinds)
    .doc(
      'hook: something beside the upgrade that a person or script does. freeze, unfreeze: tools that would interfere are held and let go. backup: ' +
        'what a rollback needs is kept. migrate-storage: objects are rewritten and storedVersions is set. apply-definitions: CRDs. apply-shared: ' +
        'what of a manifest belongs to no workload. recreate: an object whose immutable fields change is deleted and made anew. upgrade: the component ' +
        'itself. verify: nothing but gates. clean-up: what is left over goes, in the order of docs/spec/upgrades.md §2.7. record: what now runs is written down.',
    ),
  title: s.string().minLength(1).doc('What it does, in one line.'),
  why: s.string().minLength(1).doc('Why it is in the plan, and why here: the rules by their ids.'),
  group: idText().doc(
    'The part of the plan that it belongs to: pre-steps, freeze, management, leader, members, clusters, kubernetes, clients, post-steps.',
  ),
  wave: s.int32().min(0).doc('Which wave of its group: canary first. 0 where there are none.').default(0),
  after: s
    .setOf(s.string())
    .doc('The ids of the steps that must be done; what is not ordered may run side by side.')
    .default([]),
  cluster: idText().optional().doc('Where; absent for clients.'),
  component: idText().optional().doc('The id of the component that it belongs to.'),
  nodes: s.setOf(idText()).doc('The Nodes of this wave, for components of scope node.').default([]),
  objects: s
    .array(s.string().minLength(1))
    .doc('The objects that it writes or deletes, as `Deployment kube-system/antrea-controller`; CRDs by name.')
    .default([]),
  artifacts: s.array(s.string().minLength(1)).doc('The digests of the artifacts that it uses.').default([]),
  effects: s
    .array(effect)
    .doc('The versions that run afterwards: applying all effects of a plan gives the bundle.')
    .default([]),
  rolling: s.boolean().doc('While it runs, versions before and after run side by side.').default(false),
  gates: s.mapBy(['id'], gate).doc('What has to hold.').default([]),
  interrupts: s.array(s.string().minLength(1)).doc('What does not work while it runs, in sentences.').default([]),
  reversible: s.boolean().doc('Whether it can be undone; nothing can after the point of no return.').default(true),
  action: s
    .oneOf('recreate-foreground', 'recreate-orphan')
    .optional()
    .doc('How it is made anew; steps of kind recreate.'),
  instructions: s.string().optional().doc('For the person who does it; steps of kind hook, freeze and unfreeze.'),
});
export type Step = InferRead<typeof step>;
