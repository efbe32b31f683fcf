import type { Errors } from '../field-checks.ts';
import { invalid } from '../field-rules.ts';
import type { WorkloadSpec } from '../pods/pod-template.ts';
import { endlessErrors, mismatchErrors, readSelector, selectorErrors, templateErrors } from '../pods/pod-template.ts';

/**
 * The errors of the selector and template of a Deployment or a ReplicaSet. The real server's
 * messages swap the two.
 */
export function replicatedErrors({ selector, template }: WorkloadSpec): Errors {
  const read = readSelector(selector);
  return [
    ...selectorErrors('spec.selector', selector, 'deployment'),
    ...(read === undefined
      ? [invalid('spec.selector', selector, 'invalid label selector')]
      : [
          ...(read !== 'nothing' && read.length === 0 ? [] : mismatchErrors('spec.template', read, template)),
          ...templateErrors('spec.template', template),
          ...endlessErrors('spec.template', template, 'ReplicaSet'),
        ]),
  ];
}
