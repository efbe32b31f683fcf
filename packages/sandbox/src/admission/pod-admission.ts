import { randomSuffix, sleep } from '@isthmus/machinery';
import type { PodSpec, Toleration } from '../builtin/pods/pod-spec.ts';
import type { Core } from '../core/core.ts';
import { about } from '../refusal/refusal.ts';
import type { Stored } from '../store/stored.ts';
import type { AdmissionRequest } from '../core/core.ts';
import { withTokenMounted } from './token-volume.ts';

/**
 * Applies the server's own admission plugins to a new Pod, in their order: ServiceAccount,
 * Priority, DefaultTolerationSeconds (1.36, with their standard settings). Rejects a Pod whose
 * ServiceAccount or priority class does not exist.
 */
export async function admitPod(
  core: Core,
  { operation, target, object, before }: AdmissionRequest,
): Promise<Stored | undefined> {
  if (object === undefined || target.resource.storageKey !== '/pods' || target.subresource !== undefined) return object;
  const spec = object['spec'] as PodSpec;
  if (operation === 'UPDATE') {
    const had = before?.['spec'] as PodSpec | undefined;
    const priority = spec.priority ?? had?.priority;
    const preemptionPolicy = spec.preemptionPolicy ?? had?.preemptionPolicy;
    return withSpec(object, {
      ...spec,
      tolerations: withStandardTolerations(spec.tolerations ?? []),
      ...(priority !== undefined && { priority }),
      ...(preemptionPolicy !== undefined && { preemptionPolicy }),
    });
  }
  if (operation !== 'CREATE') return object;
  const refuse = (why: string) => {
    const name = object.metadata.name || object.metadata.generateName || target.name;
    const message = `pods ${JSON.stringify(name)} is forbidden: ${why}`;
    return about({ group: '', plural: 'pods' }, name, { reason: 'Forbidden', message });
  };
  const account = spec.serviceAccountName || 'default';
  const named = { ...spec, serviceAccountName: account, serviceAccount: account };
  const found = await serviceAccount(core, `${target.namespace ?? ''}/${account}`, account === 'default');
  if (found === undefined) {
    const missing = `serviceaccount ${JSON.stringify(account)} not found`;
    throw refuse(`error looking up service account ${target.namespace}/${account}: ${missing}`);
  }
  const { automountServiceAccountToken: standard, imagePullSecrets } = found as Stored & ServiceAccountParts;
  const automounts = spec.automountServiceAccountToken ?? standard ?? true;
  const mounted = automounts ? withTokenMounted(named, randomSuffix(core.random)) : named;
  const pulls =
    (spec.imagePullSecrets ?? []).length === 0 && (imagePullSecrets ?? []).length > 0 ? { imagePullSecrets } : {};
  const prioritized = withPriority(core, { ...mounted, ...pulls }, refuse);
  return withSpec(object, { ...prioritized, tolerations: withStandardTolerations(prioritized.tolerations ?? []) });
}

interface ServiceAccountParts {
  readonly automountServiceAccountToken?: boolean | undefined;
  readonly imagePullSecrets?: PodSpec['imagePullSecrets'];
}

function withSpec(object: Stored, spec: PodSpec): Stored {
  return { ...object, spec };
}

const accountTries = 10;
const betweenTriesMs = 150;

/** In a new Namespace, the ServiceAccount `default` may be created a moment later. */
async function serviceAccount(core: Core, key: string, waits: boolean): Promise<Stored | undefined> {
  for (let tries = 1; ; tries++) {
    const found = core.store.get('/serviceaccounts', key);
    if (found !== undefined || !waits || tries === accountTries) return found;
    await sleep(core.clock, betweenTriesMs, new AbortController().signal);
  }
}

interface Priority {
  readonly value: number;
  readonly preemptionPolicy?: string | undefined;
}

/** The two priority classes that every server has; a sandbox does not list them. */
const systemClasses: ReadonlyMap<string, Priority> = new Map([
  ['system-cluster-critical', { value: 2_000_000_000 }],
  ['system-node-critical', { value: 2_000_001_000 }],
]);

const classesKey = 'scheduling.k8s.io/priorityclasses';

/** The class by its name; without a name the lowest of those that are for all Pods. */
function classOf({ store }: Core, name: string): (Priority & { readonly name: string }) | undefined {
  if (name !== '') {
    const found = store.get(classesKey, name) as (Stored & Priority) | undefined;
    const known = found ?? systemClasses.get(name);
    return known && { name, value: known.value, preemptionPolicy: known.preemptionPolicy };
  }
  const standard = store
    .list(classesKey)
    .filter((one) => one['globalDefault'] === true)
    .map((one) => one as Stored & Priority)
    .toSorted((a, b) => a.value - b.value)[0];
  return {
    name: standard?.metadata.name ?? '',
    value: standard?.value ?? 0,
    preemptionPolicy: standard?.preemptionPolicy,
  };
}

function withPriority(core: Core, spec: PodSpec, refuse: (why: string) => Error): PodSpec {
  const { priorityClassName = '', priority, preemptionPolicy } = spec;
  const found = classOf(core, priorityClassName);
  if (found === undefined) throw refuse(`no PriorityClass with name ${priorityClassName} was found`);
  const { name, value } = found;
  if (priority !== undefined && priority !== value) {
    throw refuse(
      `the integer value of priority (${priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    );
  }
  const policy = found.preemptionPolicy ?? 'PreemptLowerPriority';
  if (preemptionPolicy !== undefined && preemptionPolicy !== policy) {
    throw refuse(
      `the string value of PreemptionPolicy (${preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
    );
  }
  return { ...spec, ...(name !== '' && { priorityClassName: name }), priority: value, preemptionPolicy: policy };
}

/** A Pod stays on a lost node for five minutes, unless it has tolerations of its own for that. */
function withStandardTolerations(tolerations: readonly Toleration[]): readonly Toleration[] {
  const missing = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].filter(
    (taint) =>
      !tolerations.some(
        ({ key = '', effect = '' }) => (key === taint || key === '') && (effect === 'NoExecute' || effect === ''),
      ),
  );
  return [
    ...tolerations,
    ...missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 })),
  ];
}
