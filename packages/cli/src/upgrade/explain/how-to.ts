import type { Step } from '@isthmus/upgrade';

/** How the owner of a component upgrades it, by the method that its bundle names. */
const upgrades: Readonly<Record<string, string>> = {
  apply:
    'Apply these objects with server-side apply, with one field manager, and wait until all Pods have the new version.',
  clusterctl:
    'Run `clusterctl upgrade apply` with --wait-providers and only the version of this provider (for cert-manager: apply its manifest).',
  helm: 'Render the chart once, keep the output, and apply it: a second render may contain other random values.',
  flux: 'Write the images into the kustomization layer, run `flux bootstrap` with the flux command of the target version, then `flux reconcile source git flux-system`.',
  kubernetes:
    'Roll the machine of this API server, control plane component or Node to the new version with the tool that created the cluster.',
  manual: 'Upgrade it by hand: see the notes of the component in its bundle.',
};

const someNodes =
  'Apply the DaemonSet with updateStrategy OnDelete, delete its Pods only on these Nodes, and wait until the new ones are ready.';

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
        'Save every object of these kinds, with metadata and status, outside the upgraded cluster, and count them.',
        'For Cluster API, run `clusterctl move --to-directory`.',
      ];
    case 'migrate-storage':
      return [
        'Read every object of the CRD and write it back unchanged; an object that was deleted or changed meanwhile counts as done.',
        'Then set status.storedVersions of the CRD to the storage version only. After a conflict, start again.',
      ];
    case 'apply-definitions':
      return ['Apply the CRDs with server-side apply: large ones do not fit into the annotation of client-side apply.'];
    case 'apply-shared':
      return ['Apply these objects with server-side apply: Namespaces, ServiceAccounts and RBAC first, webhooks last.'];
    case 'recreate':
      return recreate(action);
    case 'upgrade':
      if (method === 'apply' && nodes.length > 0) return [someNodes];
      return [method === undefined ? undefined : upgrades[method]].filter((one) => one !== undefined);
    case 'clean-up':
      return ['Delete these objects, and wait until they are gone before the next step.'];
    case 'record':
      return ['Record the versions where the next snapshot reads them.'];
    case 'hook':
    case 'freeze':
    case 'unfreeze':
    case 'verify':
      return [];
  }
}

function recreate(action: HowStep['action']): readonly string[] {
  const keep = 'Save the object as it is, to create it again if this step fails.';
  if (action === 'recreate-orphan') {
    return [
      keep,
      'Delete it with --cascade=orphan: its Pods keep running. Create the new object, and wait until its Pods are ready.',
      'Then delete the old ReplicaSet, which no longer has an owner.',
    ];
  }
  return [keep, 'Delete it with --cascade=foreground, wait until it and its Pods are gone, then create the new one.'];
}
