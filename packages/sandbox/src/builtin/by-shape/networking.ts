import type { LabelSelectorObject } from '@isthmus/machinery';
import type { Stored } from '../../store/stored.ts';
import { none, selectorText } from '../columns/cell-texts.ts';
import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';
import type { Errors } from '../field-checks.ts';
import { when } from '../field-checks.ts';
import { required } from '../field-rules.ts';
import { lengthAt } from '../selectable-fields.ts';
import { defineShaped } from './define-shaped.ts';

interface IngressRule {
  readonly host?: string;
  readonly http?: {
    readonly paths?:
      | readonly { readonly path?: string; readonly pathType?: string; readonly backend?: object }[]
      | null;
  };
}

interface IngressShape extends Stored {
  readonly spec?: {
    readonly rules?: readonly IngressRule[];
    readonly defaultBackend?: object;
  };
  readonly status?: {
    readonly loadBalancer?: {
      readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[];
    };
  };
}

export const ingress = defineShaped({
  group: 'networking.k8s.io',
  kind: 'Ingress',
  plural: 'ingresses',
  shortNames: ['ing'],
  generation: 'spec',
  errors: (object) => ingressErrors(object),
  columns: defineColumns<IngressShape>({
    Name: nameColumn,
    Class: ['string', 'spec.ingressClassName', none],
    Hosts: ['string', ({ spec }) => hostsText(spec?.rules ?? [])],
    Address: ['string', (object) => addressesOf(object).toSorted().join(',')],
    Ports: ['string', (object) => (lengthAt(object, 'spec.tls') > 0 ? '80, 443' : '80')],
    Age: ageColumn,
  }),
});

interface IngressClassShape {
  readonly spec?: {
    readonly parameters?: { readonly apiGroup?: string; readonly kind?: string; readonly name?: string };
  };
}

export const ingressClass = defineShaped({
  group: 'networking.k8s.io',
  kind: 'IngressClass',
  plural: 'ingressclasses',
  namespaced: false,
  generation: 'spec',
  hasStatus: false,
  fixed: ['spec.controller'],
  defaults: { 'spec.parameters.scope': 'Cluster' },
  columns: defineColumns<IngressClassShape>({
    Name: ['name', classText],
    Controller: ['string', 'spec.controller'],
    Parameters: ['string', parametersText],
    Age: ageColumn,
  }),
});

function classText({ metadata }: Stored): string {
  const isDefault = metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true';
  return isDefault ? `${metadata.name} (default)` : metadata.name;
}

function parametersText({ spec }: IngressClassShape): string {
  const { parameters } = spec ?? {};
  const type = [parameters?.kind, parameters?.apiGroup].filter((part) => part !== undefined).join('.');
  return parameters === undefined ? none : `${type}/${parameters.name ?? ''}`;
}

interface NetworkPolicyShape extends Stored {
  readonly spec?: {
    readonly podSelector?: LabelSelectorObject;
    readonly policyTypes?: readonly string[];
    readonly egress?: readonly object[];
  };
}

export const networkPolicy = defineShaped({
  group: 'networking.k8s.io',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  shortNames: ['netpol'],
  generation: 'spec',
  hasStatus: false,
  strategy: {
    defaults(object) {
      const { spec = {} } = object as NetworkPolicyShape;
      const { egress = [], policyTypes = [] } = spec;
      const implied = egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
      return { ...object, spec: { ...spec, policyTypes: policyTypes.length > 0 ? policyTypes : implied } };
    },
  },
  defaults: { 'spec.ingress[].ports[].protocol': 'TCP', 'spec.egress[].ports[].protocol': 'TCP' },
  columns: defineColumns<NetworkPolicyShape>({
    Name: nameColumn,
    'Pod-Selector': ['string', ({ spec }) => selectorText(spec?.podSelector)],
    Age: ageColumn,
  }),
});

function ingressErrors({ spec = {} }: IngressShape): Errors {
  const { rules = [], defaultBackend } = spec;
  const pathless = (index: number) => `spec.rules[${index}].http.paths`;
  return [
    ...when(rules.length === 0 && defaultBackend === undefined, {
      path: 'spec',
      type: 'Invalid',
      value: spec,
      detail: 'either `defaultBackend` or `rules` must be specified',
    }),
    ...rules.flatMap(({ http }, index) =>
      (http?.paths ?? []).flatMap(({ pathType }, at) =>
        when(pathType === undefined, required(`${pathless(index)}[${at}].pathType`, 'pathType must be specified')),
      ),
    ),
  ];
}

/** Up to three hosts, and the number of further ones. */
function hostsText(rules: readonly IngressRule[]): string {
  const hosts = rules.map(({ host = '' }) => host).filter((host) => host !== '');
  if (hosts.length === 0) return '*';
  const shown = hosts.slice(0, 3).join(',');
  return hosts.length > 3 ? `${shown} + ${rules.length - 3} more...` : shown;
}

function addressesOf({ status }: IngressShape): readonly string[] {
  return [...new Set((status?.loadBalancer?.ingress ?? []).map(({ ip = '', hostname = '' }) => ip || hostname))];
}
