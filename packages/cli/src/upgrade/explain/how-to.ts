import type { Step } from '@isthmus/upgrade';

/** The place and the tools of a step. */
export interface HowContext {
  /** The file of the plan, for commands that read it. */
  readonly plan: string;
  /** The context of the kubeconfig, or the name of the cluster where the snapshot has none. */
  readonly context: string;
  readonly method: string | undefined;
  /** The component type of policies. */
  readonly type: string | undefined;
  readonly version: string | undefined;
  /** No later step moves the component on other Nodes of the cluster. */
  readonly isLast: boolean;
}

export type HowStep = Pick<
  Step,
  'id' | 'kind' | 'action' | 'nodes' | 'objects' | 'artifacts' | 'storedVersion' | 'cluster' | 'instructions'
>;

/**
 * The actions of a user who carries a step out by hand, in their order, with the commands. If the
 * step has instructions of its own, only these. Empty if the step only waits.
 */
export function howTo(step: HowStep, about: HowContext): readonly string[] {
  const { kind, objects, instructions } = step;
  if (instructions !== undefined) return [instructions];
  const kubectl = kubectlOf(about);
  switch (kind) {
    case 'backup':
      return [
        'Save every object of these kinds, with metadata and status, outside the upgraded cluster, and count them.',
        ...(objects.every((one) => one.includes('.'))
          ? [
              command(
                `${kubectl} get ${objects.join(',')} --all-namespaces -o yaml > ${step.cluster ?? 'cluster'}-before.yaml`,
              ),
            ]
          : []),
        ...(objects.some((one) => /(?:^|\.)cluster\.x-k8s\.io$/.test(one) || !one.includes('.'))
          ? [
              'For Cluster API, also run this command for each Namespace with clusters:',
              command(
                `clusterctl move --kubeconfig-context ${shellWord(about.context)} --to-directory ${step.cluster ?? 'cluster'}-before`,
              ),
            ]
          : []),
      ];
    case 'migrate-storage':
      return migrate(step, kubectl);
    case 'apply-definitions':
      return [
        `Apply the CRDs with server-side apply: large ones do not fit into the annotation of client-side apply. ${takesOver}`,
        ...applied(step, about),
        ...(objects.length === 0
          ? []
          : [command(`${kubectl} wait --for condition=Established crd ${objects.join(' ')} --timeout 60s`)]),
      ];
    case 'apply-shared':
      return [
        `Apply these objects with server-side apply: Namespaces, ServiceAccounts and RBAC first, webhooks last. The command prints them in this order. ${takesOver}`,
        ...applied(step, about),
      ];
    case 'recreate':
      return recreate(step, about);
    case 'upgrade':
      return upgrade(step, about);
    case 'clean-up':
      return [
        'Delete these objects, and wait until they are gone before the next step.',
        ...objects.flatMap((one) => [command(`${kubectl} delete ${operands(one)} --wait`)]),
      ];
    case 'record':
      return [
        'Take a new snapshot: the next plan starts from it.',
        command(`isthmus upgrade snapshot --context ${shellWord(about.context)} --refresh all -o fleet.yaml`),
      ];
    case 'hook':
    case 'freeze':
    case 'unfreeze':
    case 'verify':
      return [];
  }
}

function migrate({ objects, storedVersion = '' }: HowStep, kubectl: string): readonly string[] {
  const patch = JSON.stringify({ status: { storedVersions: [storedVersion] } });
  return [
    'Read every object of the CRD and write it back unchanged; an object that was deleted or changed meanwhile counts as done. Then set status.storedVersions. After a conflict, start again.',
    ...objects.flatMap((crd) => [
      command(`${kubectl} get ${crd} --all-namespaces -o json | ${kubectl} replace -f -`),
      command(`${kubectl} patch crd ${crd} --subresource status --type merge -p '${patch}'`),
    ]),
  ];
}

function recreate({ action, ...step }: HowStep, about: HowContext): readonly string[] {
  const kubectl = kubectlOf(about);
  const [object = ''] = step.objects;
  const file = `${object.split('/').at(-1) ?? 'object'}-before.yaml`;
  const isOrphan = action === 'recreate-orphan';
  return [
    'Save the object as it is, to create it again if this step fails.',
    command(`${kubectl} get ${operands(object)} -o yaml > ${file}`),
    isOrphan
      ? 'Delete it with --cascade=orphan: its Pods keep running. Create the new object, and wait until its Pods are ready.'
      : 'Delete it with --cascade=foreground, wait until it and its Pods are gone, then create the new one.',
    command(`${kubectl} delete ${operands(object)} --cascade=${isOrphan ? 'orphan' : 'foreground'} --wait`),
    ...applied(step, about),
    ...(isOrphan ? ['Then delete the old ReplicaSet, which no longer has an owner.'] : []),
  ];
}

function upgrade(step: HowStep, about: HowContext): readonly string[] {
  const { method, type = '', version = '' } = about;
  const context = shellWord(about.context);
  const rollouts = step.objects.map((one) => command(`${kubectlOf(about)} rollout status ${operands(one)}`));
  switch (method) {
    case 'apply':
      if (step.nodes.length === 0)
        return [
          `Apply these objects with server-side apply, with one field manager, and wait until all Pods have the new version. ${takesOver}`,
          ...applied(step, about),
          ...rollouts,
        ];
      return [
        `Apply the DaemonSet with updateStrategy OnDelete, delete its Pods only on ${step.nodes.length === 1 ? 'this Node' : 'these Nodes'}, and wait until the new ones are ready. ${takesOver}`,
        ...applied(step, about),
        ...step.objects.flatMap((one) => podsOnNodes(one, step.nodes, about)),
        ...(about.isLast ? afterLastNode(step, about) : []),
      ];
    case 'clusterctl': {
      const flag = providerFlag(type, version);
      if (flag === undefined) return ['Apply the manifest of this version, and wait until its Pods are ready.'];
      return [
        'Upgrade only this provider. If clusterctl does not know this version, list its manifest in the configuration (--config).',
        command(`clusterctl upgrade apply --kubeconfig-context ${context} ${flag} --wait-providers`),
      ];
    }
    case 'helm':
      return [
        `Render the chart once with the values of the release, keep the output, and apply it: a second render may contain other random values. ${takesOver}`,
        ...step.artifacts
          .filter((one) => one.startsWith('oci://'))
          .map((chart) =>
            command(`helm template RELEASE ${chart} --namespace NAMESPACE --values VALUES > rendered.yaml`),
          ),
        command(`${kubectlOf(about)} ${serverSideApply} -f rendered.yaml`),
        ...rollouts,
      ];
    case 'flux':
      return [
        `Write the images into the kustomization layer, and run \`flux bootstrap\` with the flux command of version ${version} and the arguments of the first bootstrap; then:`,
        command(`flux reconcile source git flux-system --context ${context}`),
        command(`flux check --context ${context}`),
      ];
    case 'kubernetes':
      return [
        'Roll the machine of this API server, control plane component or Node to the new version with the tool that created the cluster. A tool that replaces the whole machine carries out all steps of that machine at once.',
      ];
    case 'manual':
      return ['Upgrade it by hand: see the notes of the component in its bundle.'];
    default:
      return [];
  }
}

/**
 * Without --force-conflicts, every changed field that another tool wrote is a conflict, such as the
 * images that `kubectl apply` installed. After it, kubectl also gives the fields of client-side
 * apply to the new manager, so fields that the new manifest lacks are removed.
 */
const serverSideApply = 'apply --server-side --force-conflicts --field-manager isthmus-upgrade';
const takesOver = 'It takes over fields that another tool wrote, such as kubectl apply or Helm (--force-conflicts).';

/**
 * The commands that apply the objects of a step from its manifests. `kubectl patch -o yaml` prints
 * several objects without a line between them: JSON is read whole.
 */
function applied({ id, objects, artifacts, nodes }: HowStep, about: HowContext): readonly string[] {
  const onDelete = `kubectl patch --local -f - --type merge -p '${JSON.stringify({ spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: null } } })}' -o json | `;
  const apply = `${nodes.length > 0 ? onDelete : ''}${kubectlOf(about)} ${serverSideApply} -f -`;
  const hasManifest = artifacts.some((one) => /\.ya?ml(?:@|$| )/.test(one));
  if (!hasManifest || objects.length === 0) return [];
  return [command(`isthmus upgrade explain ${shellWord(about.plan)} ${id} --manifests FOLDER | ${apply}`)];
}

/** The strategy of the manifest holds again: no Pod restarts, because all have the new version. */
function afterLastNode(step: HowStep, about: HowContext): readonly string[] {
  const lines = applied({ ...step, nodes: [] }, about);
  return lines.length === 0 ? [] : ['All Nodes have the new version: apply the DaemonSet unchanged.', ...lines];
}

function podsOnNodes(object: string, nodes: readonly string[], about: HowContext): readonly string[] {
  const [, namespace = 'default', name = ''] = /^\w+ (?:([^/]+)\/)?(.+)$/.exec(object) ?? [];
  const kubectl = `${kubectlOf(about)} -n ${namespace}`;
  const owned = `-o jsonpath='{range .items[?(@.metadata.ownerReferences[0].name=="${name}")]}{.metadata.name}{"\\n"}{end}'`;
  return nodes.flatMap((node) => {
    const pods = `${kubectl} get pods --field-selector spec.nodeName=${node} ${owned}`;
    return [
      command(`${pods} | xargs -r ${kubectl} delete pod --wait`),
      // The new Pod is created after the old one is gone: kubectl waits for none that does not
      // exist yet.
      command(
        `until [ -n "$(${pods})" ]; do sleep 1; done; ${kubectl} wait pod $(${pods}) --for condition=Ready --timeout 30m`,
      ),
    ];
  });
}

/**
 * The flag of `clusterctl upgrade apply` for a component type; undefined for cert-manager, which
 * clusterctl upgrades on its own.
 */
function providerFlag(type: string, version: string): string | undefined {
  const [, infrastructure] = /^capi-infra-(.+)$/.exec(type) ?? [];
  if (infrastructure !== undefined) return `--infrastructure ${infrastructure}:${version}`;
  const provider = providers[type];
  return provider === undefined ? undefined : `${provider}:${version}`;
}

const providers: Readonly<Record<string, string>> = {
  'capi-core': '--core cluster-api',
  'capi-kubeadm-bootstrap': '--bootstrap kubeadm',
  'capi-kubeadm-control-plane': '--control-plane kubeadm',
  'etcdadm-bootstrap': '--bootstrap etcdadm-bootstrap',
  'etcdadm-controller': '--bootstrap etcdadm-controller',
};

function kubectlOf({ context }: HowContext): string {
  return `kubectl --context ${shellWord(context)}`;
}

/** `Deployment kube-system/x` as kubectl takes it; a CRD has its name alone. */
function operands(object: string): string {
  const every = /^every object of (.+)$/.exec(object)?.[1];
  if (every !== undefined) return `${every} --all --all-namespaces`;
  const [, kind, namespace, name] = /^(\w+) (?:([^/]+)\/)?(.+)$/.exec(object) ?? [];
  if (kind === undefined) return `crd ${object}`;
  return `${kind.toLowerCase()} ${name ?? ''}${namespace === undefined ? '' : ` -n ${namespace}`}`;
}

/** A line that can be copied into a shell. */
function command(text: string): string {
  return `$ ${text}`;
}

/** A text as one word of a POSIX shell: quoted where it has characters with a meaning. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
