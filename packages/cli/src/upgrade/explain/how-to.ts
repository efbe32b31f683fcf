import type { Step } from '@isthmus/upgrade';

/** How the owner of a component upgrades it, by the method that its bundle names. */
const upgrades: Readonly<Record<string, string>> = {
  apply:
    'Apply these objects by server-side apply, with one field manager, and wait until all Pods have the new version.',
  clusterctl:
    'Run `clusterctl upgrade apply` with the version of this provider alone (of cert-manager: with its manifest), with --wait-providers.',
  helm: 'Render the chart once, keep what was rendered, and apply that: two renders may differ in what is made at random.',
  flux: 'Write the images into the kustomization layer, run `flux bootstrap` with a flux of the target version, then `flux reconcile source git flux-system`.',
  kubernetes:
    'Roll the machine of this API server, control plane part or Node to the new version, as the tool that made the cluster does.',
  manual: 'A person does it: see the notes of the component in its bundle.',
};

const someNodes =
  'Apply the DaemonSet with updateStrategy OnDelete, delete its Pods on these Nodes alone, and wait until the new ones are ready.';

type HowStep = Pick<Step, 'kind' | 'action' | 'nodes' | 'instructions'>;

/**
 * What a person does who carries a step out by hand, in the order of doing. Empty where the step itself says it (`instructions`) or where there
 * is nothing to do but to wait.
 */
export function howTo({ kind, action, nodes, instructions }: HowStep, method: string | undefined): readonly string[] {
  if (instructions !== undefined) return [instructions];
  switch (kind) {
    case 'backup':
      return [
        'Save every object of these kinds with its metadata and status where the upgrade cannot reach it, and count them.',
        'Of Cluster API: `clusterctl move --to-directory`.',
      ];
    case 'migrate-storage':
      return [
        'Read every object of the CRD and write it back unchanged; one that is gone or was changed meanwhile counts as done.',
        'Then set status.storedVersions of the CRD to the version that is stored in alone. A conflict means: again from the start.',
      ];
    case 'apply-definitions':
      return ['Apply the CRDs by server-side apply: large ones do not fit into the annotation of client-side apply.'];
    case 'apply-shared':
      return ['Apply these objects by server-side apply: Namespaces, accounts and access rules first, webhooks last.'];
    case 'recreate':
      return recreate(action);
    case 'upgrade':
      if (method === 'apply' && nodes.length > 0) return [someNodes];
      return [method === undefined ? undefined : upgrades[method]].filter((one) => one !== undefined);
    case 'clean-up':
      return ['Delete these objects, and wait until they are gone before the next step begins.'];
    case 'record':
      return ['Write the versions down where the next snapshot reads what is recorded.'];
    case 'hook':
    case 'freeze':
    case 'unfreeze':
    case 'verify':
      return [];
  }
}

function recreate(action: HowStep['action']): readonly string[] {
  const keep = 'Save the object as it is: it is what is created again if this step fails.';
  if (action === 'recreate-orphan') {
    return [
      keep,
      'Delete it with --cascade=orphan: its Pods go on. Create the new one, and wait until its Pods are ready.',
      'Then delete the old ReplicaSet, which nobody owns any more.',
    ];
  }
  return [keep, 'Delete it with --cascade=foreground, wait until it and its Pods are gone, and create the new one.'];
}
