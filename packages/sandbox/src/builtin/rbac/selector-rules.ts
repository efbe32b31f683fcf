import type { FieldError } from '@isthmus/schema';
import type { LabelSelectorObject } from '@isthmus/machinery';
import { forbidden, invalid, labelsRule, labelValue, qualifiedName, required } from '../field-rules.ts';

/** The errors of a label selector (metav1.LabelSelector). */
export function selectorErrors(path: string, selector: LabelSelectorObject): readonly FieldError[] {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return [
    ...labelsRule(`${path}.matchLabels`, matchLabels),
    ...matchExpressions.flatMap(({ key, operator, values = [] }, index) => {
      const at = `${path}.matchExpressions[${index}]`;
      return [
        ...operatorErrors(at, operator, values ?? []),
        ...qualifiedName(`${at}.key`, key),
        ...(values ?? []).flatMap((value, item) => labelValue(`${at}.values[${item}]`, value)),
      ];
    }),
  ];
}

function operatorErrors(path: string, operator: string, values: readonly string[]): readonly FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0
        ? []
        : [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? []
        : [forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [invalid(`${path}.operator`, operator, 'not a valid selector operator')];
  }
}
