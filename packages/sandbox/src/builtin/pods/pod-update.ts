import { equal } from '@isthmus/machinery';
import type { Errors } from '../field-checks.ts';
import { when } from '../field-checks.ts';
import { forbidden, invalid, required } from '../field-rules.ts';
import type { PodSpec, Toleration } from './pod-spec.ts';
import { tolerationsErrors } from './part-rules.ts';

const updatable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

/**
 * The errors of changes that an update must not make to a Pod's spec. The real server's message
 * about other fields ends with a line-by-line difference of its structs; here it ends before.
 */
export function podSpecUpdateErrors(next: PodSpec, before: PodSpec): Errors {
  const containers = imageErrors('spec.containers', next.containers, before.containers);
  if (containers.stop) return containers.errors;
  const initContainers = imageErrors('spec.initContainers', next.initContainers, before.initContainers);
  const images = [...containers.errors, ...initContainers.errors];
  if (initContainers.stop) return images;
  const deadline = deadlineErrors(next.activeDeadlineSeconds, before.activeDeadlineSeconds);
  if (deadline.stop) return [...images, ...deadline.errors];
  return [
    ...images,
    ...deadline.errors,
    ...addedTolerationErrors(next.tolerations ?? [], before.tolerations ?? []),
    ...gateErrors(next.schedulingGates ?? [], before.schedulingGates ?? []),
    ...when(
      !equal(comparable(next, before), before),
      forbidden('spec', `pod updates may not change fields other than ${updatable}\n`),
    ),
  ];
}

interface Judged {
  readonly errors: Errors;
  /** Whether the checks end with these errors. */
  readonly stop: boolean;
}

function imageErrors(path: string, given: PodSpec['containers'], had: PodSpec['containers']): Judged {
  const [next, before] = [given ?? [], had ?? []];
  if (next.length !== before.length) {
    return { errors: [forbidden(path, 'pod updates may not add or remove containers')], stop: true };
  }
  const errors = next.flatMap(({ image = '' }, index) => [
    ...when(image === '', required(`${path}[${index}].image`)),
    ...when(
      image !== image.trim(),
      invalid(`${path}[${index}].image`, image, 'must not have leading or trailing whitespace'),
    ),
  ]);
  return { errors, stop: false };
}

function deadlineErrors(next: number | undefined, before: number | undefined): Judged {
  const path = 'spec.activeDeadlineSeconds';
  if (next === undefined) {
    const detail = 'must not update from a positive integer to nil value';
    return { errors: when(before !== undefined, invalid(path, null, detail)), stop: false };
  }
  if (next < 0 || next > 2_147_483_647) {
    return { errors: [invalid(path, next, 'must be between 0 and 2147483647, inclusive')], stop: true };
  }
  const longer = before !== undefined && before < next;
  return { errors: when(longer, invalid(path, next, 'must be less than or equal to previous value')), stop: longer };
}

function addedTolerationErrors(next: readonly Toleration[], before: readonly Toleration[]): Errors {
  const isKept = (old: Toleration) =>
    next.some((one) => equal({ ...old, tolerationSeconds: null }, { ...one, tolerationSeconds: null }));
  if (!before.every(isKept)) {
    return [forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')];
  }
  return tolerationsErrors('spec.tolerations', next);
}

function gateErrors(next: readonly { readonly name: string }[], before: readonly { readonly name: string }[]): Errors {
  return next.flatMap(({ name }, index) =>
    when(
      !before.some((old) => old.name === name),
      forbidden(
        `spec.schedulingGates[${index}].name`,
        `only deletion is allowed, but found new scheduling gate '${name}'`,
      ),
    ),
  );
}

/**
 * The next spec with the mutable fields as they were before. For a gated Pod these include the node
 * selector and the affinity.
 */
function comparable(next: PodSpec, before: PodSpec): PodSpec {
  const images = (now: PodSpec['containers'], old: PodSpec['containers']) =>
    now?.map((container, index) => ({ ...container, image: old?.[index]?.image }));
  const gated = (before.schedulingGates ?? []).length > 0;
  const shortened = (before.terminationGracePeriodSeconds ?? 0) < 0 && next.terminationGracePeriodSeconds === 1;
  return present({
    ...next,
    containers: images(next.containers, before.containers),
    initContainers: images(next.initContainers, before.initContainers),
    activeDeadlineSeconds: before.activeDeadlineSeconds,
    schedulingGates: before.schedulingGates,
    tolerations: before.tolerations,
    ...(shortened && { terminationGracePeriodSeconds: before.terminationGracePeriodSeconds }),
    ...(gated && { nodeSelector: before.nodeSelector, affinity: before.affinity }),
  });
}

function present<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as T;
}
