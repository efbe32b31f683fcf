import type { LabelSelectorObject } from '@isthmus/machinery';
import type { Stored } from '../../store/stored.ts';
import { defineColumns } from '../columns/define-columns.ts';
import { none, selectorText } from '../columns/cell-texts.ts';
import type { Errors } from '../field-checks.ts';
import { when } from '../field-checks.ts';
import { required } from '../field-rules.ts';
import { ageOf } from '../name-and-age.ts';
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
    readonly ingressClassName?: string;
    readonly rules?: readonly IngressRule[];
    readonly tls?: readonly object[];
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
  columns: defineColumns<IngressShape>(
    { Name: 'name', Class: 'string', Hosts: 'string', Address: 'string', Ports: 'string', Age: 'string' },
    (object, now) => [
      object.metadata.name,
      object.spec?.ingressClassName ?? none,
      hostsText(object.spec?.rules ?? []),
      addressesOf(object).toSorted().join(','),
      (object.spec?.tls ?? []).length > 0 ? '80, 443' : '80',
      ageOf(object, now),
    ],
  ),
});

interface IngressClassShape extends Stored {
  readonly spec?: {
    readonly controller?: string;
    readonly parameters?: {
      readonly apiGroup?: string;
      readonly kind?: string;
      readonly name?: string;
      readonly scope?: string;
    };
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
  strategy: {
    defaults(object) {
      const { spec } = object as IngressClassShape;
      const { parameters } = spec ?? {};
      if (parameters === undefined || (parameters.scope ?? '') !== '') return object;
      return { ...object, spec: { ...spec, parameters: { ...parameters, scope: 'Cluster' } } };
    },
  },
  columns: defineColumns<IngressClassShape>(
    { Name: 'name', Controller: 'string', Parameters: 'string', Age: 'string' },
    (object, now) => {
      const { controller = '', parameters } = object.spec ?? {};
      const isDefault = object.metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true';
      const type = [parameters?.kind, parameters?.apiGroup].filter((part) => part !== undefined).join('.');
      return [
        isDefault ? `${object.metadata.name} (default)` : object.metadata.name,
        controller,
        parameters === undefined ? none : `${type}/${parameters.name ?? ''}`,
        ageOf(object, now),
      ];
    },
  ),
});

interface PolicyPort {
  readonly protocol?: string;
}

interface PolicyRule {
  readonly ports?: readonly PolicyPort[];
}

interface NetworkPolicyShape extends Stored {
  readonly spec?: {
    readonly podSelector?: LabelSelectorObject;
    readonly policyTypes?: readonly string[];
    readonly ingress?: readonly PolicyRule[];
    readonly egress?: readonly PolicyRule[];
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
      const { ingress: inbound, egress: outbound, policyTypes = [] } = spec;
      const implied = (outbound ?? []).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
      return {
        ...object,
        spec: {
          ...spec,
          ...(inbound && { ingress: inbound.map(withProtocols) }),
          ...(outbound && { egress: outbound.map(withProtocols) }),
          policyTypes: policyTypes.length > 0 ? policyTypes : implied,
        },
      };
    },
  },
  columns: defineColumns<NetworkPolicyShape>(
    { Name: 'name', 'Pod-Selector': 'string', Age: 'string' },
    (object, now) => [object.metadata.name, selectorText(object.spec?.podSelector), ageOf(object, now)],
  ),
});

function withProtocols(rule: PolicyRule): PolicyRule {
  return rule.ports === undefined
    ? rule
    : { ...rule, ports: rule.ports.map((port) => ({ ...port, protocol: port.protocol ?? 'TCP' })) };
}

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
