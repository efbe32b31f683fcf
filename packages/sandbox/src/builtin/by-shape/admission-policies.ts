import type { Stored } from '../../store/stored.ts';
import { defineColumns } from '../columns/define-columns.ts';
import { ageOf } from '../name-and-age.ts';
import { defineShaped } from './define-shaped.ts';

const group = 'admissionregistration.k8s.io';
const categories = ['api-extensions'];
const unset = '<unset>';

interface Rule {
  readonly scope?: string;
}

interface MatchResources {
  readonly matchPolicy?: string;
  readonly namespaceSelector?: object;
  readonly objectSelector?: object;
  readonly resourceRules?: readonly Rule[];
  readonly excludeResourceRules?: readonly Rule[];
}

interface PolicyShape extends Stored {
  readonly spec?: {
    readonly failurePolicy?: string;
    readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string };
    readonly matchConstraints?: MatchResources;
    readonly validations?: readonly object[];
    readonly mutations?: readonly object[];
  };
}

interface BindingShape extends Stored {
  readonly spec?: {
    readonly policyName?: string;
    readonly paramRef?: { readonly name?: string; readonly namespace?: string };
    readonly matchResources?: MatchResources;
  };
}

/** The policy is stored only: it rejects and changes nothing in a sandbox. */
export const validatingAdmissionPolicy = defineShaped({
  group,
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  namespaced: false,
  categories,
  generation: 'spec',
  strategy: { unconditionalUpdate: false, defaults: policyDefaults },
  columns: defineColumns<PolicyShape>(
    { Name: 'name', Validations: 'integer', ParamKind: 'string', Age: 'string' },
    (object, now) => [
      object.metadata.name,
      (object.spec?.validations ?? []).length,
      paramKindText(object),
      ageOf(object, now),
    ],
  ),
});

export const mutatingAdmissionPolicy = defineShaped({
  group,
  kind: 'MutatingAdmissionPolicy',
  plural: 'mutatingadmissionpolicies',
  namespaced: false,
  categories,
  generation: 'spec',
  hasStatus: false,
  strategy: { unconditionalUpdate: false, defaults: policyDefaults },
  columns: defineColumns<PolicyShape>(
    { Name: 'name', Mutations: 'integer', ParamKind: 'string', Age: 'string' },
    (object, now) => [
      object.metadata.name,
      (object.spec?.mutations ?? []).length,
      paramKindText(object),
      ageOf(object, now),
    ],
  ),
});

const bindingColumns = defineColumns<BindingShape>(
  { Name: 'name', PolicyName: 'string', ParamRef: 'string', Age: 'string' },
  (object, now) => {
    const { name = '', namespace = '*' } = object.spec?.paramRef ?? {};
    return [
      object.metadata.name,
      object.spec?.policyName ?? '',
      name === '' ? unset : `${namespace}/${name}`,
      ageOf(object, now),
    ];
  },
);

export const validatingAdmissionPolicyBinding = defineShaped({
  group,
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  namespaced: false,
  categories,
  generation: 'spec',
  hasStatus: false,
  strategy: { unconditionalUpdate: false, defaults: bindingDefaults },
  columns: bindingColumns,
});

export const mutatingAdmissionPolicyBinding = defineShaped({
  group,
  kind: 'MutatingAdmissionPolicyBinding',
  plural: 'mutatingadmissionpolicybindings',
  namespaced: false,
  categories,
  generation: 'spec',
  hasStatus: false,
  strategy: { unconditionalUpdate: false, defaults: bindingDefaults },
  columns: bindingColumns,
});

function policyDefaults(object: Stored): Stored {
  const { spec = {} } = object as PolicyShape;
  const { matchConstraints } = spec;
  return {
    ...object,
    spec: {
      ...spec,
      ...(matchConstraints !== undefined && { matchConstraints: matchDefaults(matchConstraints) }),
      failurePolicy: spec.failurePolicy ?? 'Fail',
    },
  };
}

function bindingDefaults(object: Stored): Stored {
  const { spec = {} } = object as BindingShape;
  const { matchResources } = spec;
  if (matchResources === undefined) return object;
  return { ...object, spec: { ...spec, matchResources: matchDefaults(matchResources) } };
}

function matchDefaults(match: MatchResources): MatchResources {
  const scoped = (rules: readonly Rule[]) => rules.map((rule) => ({ ...rule, scope: rule.scope ?? '*' }));
  return {
    ...match,
    namespaceSelector: match.namespaceSelector ?? {},
    objectSelector: match.objectSelector ?? {},
    ...(match.resourceRules && { resourceRules: scoped(match.resourceRules) }),
    ...(match.excludeResourceRules && { excludeResourceRules: scoped(match.excludeResourceRules) }),
    matchPolicy: match.matchPolicy ?? 'Equivalent',
  };
}

function paramKindText({ spec }: PolicyShape): string {
  const { paramKind } = spec ?? {};
  return paramKind === undefined ? unset : `${paramKind.apiVersion ?? ''}/${paramKind.kind ?? ''}`;
}
