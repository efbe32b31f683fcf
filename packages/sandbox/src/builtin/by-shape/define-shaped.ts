import type { LabelSelectorObject } from '@isthmus/machinery';
import type { Stored } from '../../store/stored.ts';
import type { GenerationRule, Strategy } from '../../strategy/strategy.ts';
import { decodeTyped } from '../../typed/decode.ts';
import { noOddities } from '../../typed/parsed-json.ts';
import type { StructNode } from '../../typed/type-node.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import { defineBuiltIn, statusSubresource } from '../define.ts';
import type { BuiltInInput } from '../define.ts';
import type { Errors } from '../field-checks.ts';
import { labelSelector } from '../field-checks.ts';
import { immutable } from '../field-rules.ts';
import { specOrStatus } from '../reset-fields.ts';
import { valueAt } from '../selectable-fields.ts';
import { fieldDefaults } from '../shape/field-defaults.ts';
import { shapeErrors } from '../shape/shape-errors.ts';
import { orderedBy } from '../pods/in-type-order.ts';
import { builtInType } from '../types/load.ts';

/**
 * A kind that is stored, and validated by the shape of its OpenAPI definition: required fields and
 * supported texts. Otherwise only the given rules apply. No controller of the sandbox acts on it.
 */
export interface ShapedInput extends Omit<BuiltInInput, 'strategy' | 'version'> {
  readonly version?: string | undefined;
  readonly strategy?: Partial<Strategy> | undefined;
  /** Default `spec`; absent if the server keeps no generation. */
  readonly generation?: GenerationRule | undefined;
  /** Default values by their paths. They come after the `defaults` of the strategy. */
  readonly defaults?: Readonly<Record<string, unknown>> | undefined;
  /** Paths whose values an update cannot change: `spec.selector`. */
  readonly fixed?: readonly string[] | undefined;
  /** The errors beyond those of the shape. */
  readonly errors?: ((object: Stored, before: Stored | undefined) => Errors) | undefined;
  /** Whether it has a status, which is written through its subresource. Default true. */
  readonly hasStatus?: boolean | undefined;
}

export function defineShaped(shaped: ShapedInput): ServedResource {
  const { generation, defaults = {}, fixed = [], errors = () => [], ...input } = shaped;
  const { hasStatus = true, subresources = [], version = 'v1', kind, group } = input;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const type = builtInType(apiVersion, kind);
  const judge = (object: Stored, before: Stored | undefined): Errors => [
    ...errorsOfShape(type, object),
    ...errors(object, before),
  ];
  const inOrder = (change: (object: Stored, before: Stored) => Stored) => orderedBy(() => type, change);
  const status: Partial<Strategy> = {
    resetFields: specOrStatus,
    prepareForCreate: orderedBy(
      () => type,
      (object) => ({ ...object, status: emptyStatus(type) }),
    ),
    prepareForUpdate: inOrder((object, before) => ({ ...object, status: before['status'] })),
    prepareForStatusUpdate: (object, before) => ({ ...object, spec: before['spec'] }),
  };
  const { strategy = {} } = input;
  const fill = fieldDefaults(type, defaults);
  return defineBuiltIn({
    ...input,
    version,
    subresources: hasStatus ? [...subresources, statusSubresource] : subresources,
    strategy: {
      ...(generation !== undefined && { generation }),
      ...(hasStatus ? status : {}),
      validate: (object) => judge(object, undefined),
      validateUpdate: (object, before) => [
        ...judge(object, before),
        ...fixed.flatMap((path) => immutable(path, valueAt(object, path), valueAt(before, path))),
      ],
      ...strategy,
      defaults: (object) => fill(strategy.defaults?.(object) ?? object),
    },
  });
}

/** The status of a new object: the empty Go struct. */
export function emptyStatus(type: StructNode): unknown {
  const empty = decodeTyped(type, {}, noOddities);
  return empty.kind === 'decoded' ? empty.object['status'] : {};
}

/** Its selectors have rules of their own. */
const judged = shapeErrors<{ readonly 'v1.LabelSelector': LabelSelectorObject }>(
  { 'v1.LabelSelector': labelSelector },
  {
    unchecked: new Set([
      'v1.LabelSelectorRequirement.key',
      'v1.LabelSelectorRequirement.operator',
      // Templates of Pods are validated as such.
      'v1.JobSpec.template',
      'v1.ReplicationControllerSpec.template',
      'v1.PodTemplate.template',
      // Policies validate their expressions and rules.
      'v1.ValidatingAdmissionPolicyBindingSpec.policyName',
      'v1.ValidatingAdmissionPolicyBindingSpec.validationActions',
      'v1.ParamRef.parameterNotFoundAction',
      'v1.NamedRuleWithOperations.operations',
      'v1.NamedRuleWithOperations.scope',
      'v1.Validation.expression',
      'v1.Variable.expression',
      'v1.Variable.name',
      'v1.MatchCondition.expression',
      'v1.MatchCondition.name',
      // May be empty although they are listed as required.
      'v1.CSINodeSpec.drivers',
      'v1.LimitRangeSpec.limits',
      'v1.TokenRequest.audience',
    ]),
    order: {},
  },
);

function errorsOfShape(type: StructNode, object: Stored): Errors {
  const { apiVersion: _a, kind: _k, metadata: _m, status: _s, ...fields } = type.fields;
  return judged('', { ...type, fields }, object).map((error) => ({ ...error, path: error.path.slice(1) }));
}
