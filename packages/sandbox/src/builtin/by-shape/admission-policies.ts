import type { Stored } from '../../store/stored.ts';
import { bindingErrors, policyErrors } from '../admissionregistration/policy-validation.ts';
import { unset } from '../columns/cell-texts.ts';
import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';
import { lengthAt } from '../selectable-fields.ts';
import { defineShaped } from './define-shaped.ts';

interface PolicyShape extends Stored {
  readonly spec?: { readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string } };
}

interface BindingShape extends Stored {
  readonly spec?: { readonly paramRef?: { readonly name?: string; readonly namespace?: string } };
}

const common = {
  group: 'admissionregistration.k8s.io',
  namespaced: false,
  categories: ['api-extensions'],
  generation: 'spec',
  strategy: { unconditionalUpdate: false },
} as const;

const policyDefaults = { ...matchDefaults('spec.matchConstraints'), 'spec.failurePolicy': 'Fail' };

export const validatingAdmissionPolicy = defineShaped({
  ...common,
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  defaults: policyDefaults,
  errors: policyErrors(),
  columns: defineColumns({
    Name: nameColumn,
    Validations: ['integer', (object) => lengthAt(object, 'spec.validations')],
    ParamKind: ['string', paramKindText],
    Age: ageColumn,
  }),
});

/** The policy is stored only: it changes nothing in a sandbox. */
export const mutatingAdmissionPolicy = defineShaped({
  ...common,
  kind: 'MutatingAdmissionPolicy',
  plural: 'mutatingadmissionpolicies',
  hasStatus: false,
  defaults: policyDefaults,
  columns: defineColumns({
    Name: nameColumn,
    Mutations: ['integer', (object) => lengthAt(object, 'spec.mutations')],
    ParamKind: ['string', paramKindText],
    Age: ageColumn,
  }),
});

const binding = {
  ...common,
  hasStatus: false,
  defaults: matchDefaults('spec.matchResources'),
  columns: defineColumns({
    Name: nameColumn,
    PolicyName: ['string', 'spec.policyName'],
    ParamRef: ['string', paramRefText],
    Age: ageColumn,
  }),
} as const;

export const validatingAdmissionPolicyBinding = defineShaped({
  ...binding,
  kind: 'ValidatingAdmissionPolicyBinding',
  errors: bindingErrors,
  plural: 'validatingadmissionpolicybindings',
});

export const mutatingAdmissionPolicyBinding = defineShaped({
  ...binding,
  kind: 'MutatingAdmissionPolicyBinding',
  plural: 'mutatingadmissionpolicybindings',
});

function matchDefaults(path: string): Readonly<Record<string, unknown>> {
  return {
    [`${path}.namespaceSelector`]: {},
    [`${path}.objectSelector`]: {},
    [`${path}.resourceRules[].scope`]: '*',
    [`${path}.excludeResourceRules[].scope`]: '*',
    [`${path}.matchPolicy`]: 'Equivalent',
  };
}

function paramKindText({ spec }: PolicyShape): string {
  const { paramKind } = spec ?? {};
  return paramKind === undefined ? unset : `${paramKind.apiVersion ?? ''}/${paramKind.kind ?? ''}`;
}

function paramRefText({ spec }: BindingShape): string {
  const { name: param = '', namespace = '*' } = spec?.paramRef ?? {};
  return param === '' ? unset : `${namespace}/${param}`;
}
