import { labelSelectorOf, matchesLabels } from '@isthmus/machinery';
import type { LabelSelector, LabelSelectorObject } from '@isthmus/machinery';
import type { Errors } from '../field-checks.ts';
import { annotations, labelSelector, when } from '../field-checks.ts';
import { forbidden, invalid, labelsRule, notSupported, required } from '../field-rules.ts';
import { podSpecDefaults } from './pod-defaults.ts';
import type { Labels, PodSpec } from './pod-spec.ts';
import { podSpecErrors } from './pod-spec-validation.ts';

export interface PodTemplate {
  readonly metadata?: { readonly labels?: Labels | undefined; readonly annotations?: Labels | undefined } | undefined;
  readonly spec?: PodSpec | undefined;
}

/** The common fields of the specs of kinds that create Pods. */
export interface WorkloadSpec {
  readonly selector?: LabelSelectorObject | undefined;
  readonly template: PodTemplate;
  readonly replicas?: number | undefined;
  readonly minReadySeconds?: number | undefined;
  readonly revisionHistoryLimit?: number | undefined;
}

export function templateDefaults(template: PodTemplate): PodTemplate {
  return { ...template, spec: podSpecDefaults(template.spec ?? {}, true) };
}

/** The errors of a template by itself. */
export function templateErrors(path: string, { metadata = {}, spec = {} }: PodTemplate): Errors {
  return [
    ...labelsRule(`${path}.labels`, metadata.labels ?? {}),
    ...annotations(`${path}.annotations`, metadata.annotations),
    ...podSpecErrors(`${path}.spec`, spec, false),
    ...when(
      (spec.ephemeralContainers ?? []).length > 0,
      forbidden(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template'),
    ),
  ];
}

/** Such Pods always restart, and have no end. `kind`: as the message names it. */
export function endlessErrors(path: string, { spec = {} }: PodTemplate, kind: string): Errors {
  return [
    ...when(
      spec.restartPolicy !== 'Always',
      notSupported(`${path}.spec.restartPolicy`, spec.restartPolicy, ['Always']),
    ),
    ...when(
      spec.activeDeadlineSeconds !== undefined,
      forbidden(`${path}.spec.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`),
    ),
  ];
}

/**
 * The errors of a selector, which is required and must not be empty. `kind`: its name in the
 * message.
 */
export function selectorErrors(path: string, selector: LabelSelectorObject | undefined, kind: string): Errors {
  if (selector === undefined) return [required(path)];
  return [...labelSelector(path, selector), ...emptySelectorErrors(path, selector, kind)];
}

export function emptySelectorErrors(path: string, selector: LabelSelectorObject, kind: string): Errors {
  const count = Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length;
  return when(count === 0, invalid(path, selector, `empty selector is invalid for ${kind}`));
}

/** The parsed selector; undefined if it is not valid. An absent selector selects nothing. */
export function readSelector(selector: LabelSelectorObject | undefined): LabelSelector | 'nothing' | undefined {
  if (selector === undefined) return 'nothing';
  try {
    return labelSelectorOf(selector);
  } catch {
    return undefined;
  }
}

/** The error of a selector that does not match its template. */
export function mismatchErrors(
  path: string,
  selector: LabelSelector | 'nothing',
  { metadata = {} }: PodTemplate,
): Errors {
  const matches = selector !== 'nothing' && matchesLabels(selector, metadata.labels ?? {});
  const error = invalid(
    `${path}.metadata.labels`,
    metadata.labels ?? null,
    '`selector` does not match template `labels`',
  );
  return when(!matches, error);
}
