import { equal } from '@isthmus/machinery';
import type { FieldError } from '@isthmus/schema';
import type { Stored } from '../../store/stored.ts';
import type { GenerationRule, Strategy } from '../../strategy/strategy.ts';
import { specOrStatus } from '../reset-fields.ts';
import { orderedBy } from '../pods/in-type-order.ts';
import { builtInType } from '../types/load.ts';
import type { WorkloadSpec } from '../pods/pod-template.ts';
import { hostNameWarnings, podWarnings } from '../pods/pod-warnings.ts';
import type { Errors } from '../field-checks.ts';
import { nonNegative, when } from '../field-checks.ts';
import { invalid } from '../field-rules.ts';

/** How the kinds that make Pods differ from each other. */
export interface WorkloadRules<S extends WorkloadSpec> {
  readonly kind: string;
  readonly defaults: (spec: S) => S;
  /** The status of a new object. */
  readonly newStatus: object;
  readonly errors: (spec: S, before: S | undefined) => readonly FieldError[];
  readonly status: StatusRules;
  /** Its name is part of the names of its Pods. */
  readonly warnsOfName: boolean;
  /** Default: the spec. */
  readonly generation?: GenerationRule | undefined;
  /** The spec with the fields that the server sets. */
  readonly prepare?: ((spec: S, before: S | undefined) => S) | undefined;
}

export function workloadStrategy<S extends WorkloadSpec>(rules: WorkloadRules<S>): Partial<Strategy> {
  const type = () => builtInType('apps/v1', rules.kind);
  const specOf = (object: Stored) => (object['spec'] ?? {}) as S;
  /** A null selector counts as absent. */
  const judged = (object: Stored): S => {
    const { selector, ...spec } = specOf(object);
    return { ...spec, ...(selector && { selector }) } as S;
  };
  const prepare = rules.prepare ?? ((spec) => spec);
  return {
    generation: rules.generation ?? 'spec',
    resetFields: specOrStatus,
    defaults: (object) => ({ ...object, spec: rules.defaults(specOf(object)) }),
    prepareForCreate: orderedBy(type, (object) => ({
      ...object,
      spec: prepare(specOf(object), undefined),
      status: rules.newStatus,
    })),
    prepareForUpdate: orderedBy(type, (object, before: Stored) => ({
      ...object,
      spec: prepare(specOf(object), specOf(before)),
      status: before['status'],
    })),
    prepareForStatusUpdate: (object, before) => ({
      ...object,
      metadata: object.kind === 'Deployment' ? withLabelsOf(before, object) : object.metadata,
      spec: before['spec'],
    }),
    validate: (object) => rules.errors(judged(object), undefined),
    validateUpdate: (object, before) => rules.errors(judged(object), judged(before)),
    validateStatusUpdate: workloadStatusErrors(rules.status),
    warnings(object, before) {
      if (before !== undefined && equal(specOf(object), specOf(before))) return [];
      const { template } = specOf(object);
      return [
        ...(before === undefined && rules.warnsOfName
          ? hostNameWarnings(object.metadata.name, 'Pod names and hostnames')
          : []),
        ...podWarnings('spec.template', template.spec ?? {}),
      ];
    },
  };
}

function withLabelsOf({ metadata: { labels } }: Stored, { metadata }: Stored): Stored['metadata'] {
  const { labels: _, ...rest } = metadata;
  return labels === undefined ? rest : { ...rest, labels };
}

type Counts = Readonly<Record<string, number | undefined>>;

interface StatusRules {
  /** Fields that count, in the order of the real server. */
  readonly counts: readonly string[];
  /** Counts that may not exceed another count, and the name of that one in the message. */
  readonly notMoreThan: readonly (readonly [field: string, limit: string, named: string])[];
}

/** The errors of the next status of a kind that creates Pods. */
function workloadStatusErrors({ counts, notMoreThan }: StatusRules): (object: Stored, before: Stored) => Errors {
  return (object, before) => {
    const status = (object['status'] ?? {}) as Counts;
    const { collisionCount: had } = (before['status'] ?? {}) as Counts;
    const { collisionCount } = status;
    const decremented = had !== undefined && (collisionCount === undefined || collisionCount < had);
    return [
      ...counts.flatMap((field) => nonNegative(`status.${field}`, status[field])),
      ...notMoreThan.flatMap(([field, limit, named]) =>
        when(
          (status[field] ?? 0) > (status[limit] ?? 0),
          invalid(`status.${field}`, status[field] ?? 0, `cannot be greater than ${named}`),
        ),
      ),
      ...when(
        counts.includes('collisionCount') && decremented,
        invalid('status.collisionCount', collisionCount ?? 0, 'cannot be decremented'),
      ),
    ];
  };
}
