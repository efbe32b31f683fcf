import type { KubernetesObject, LabelSelectorObject } from '@isthmus/machinery';
import { builtIn } from '../built-in.ts';

/**
 * How the API server reaches a webhook: behind a Service, or by URL. `caBundle` is base64 of PEM.
 */
export type WebhookClientConfig = { readonly caBundle?: string | undefined } & (
  | {
      readonly service: {
        readonly namespace: string;
        readonly name: string;
        readonly path?: string | undefined;
        readonly port?: number | undefined;
      };
    }
  | { readonly url: string }
);

/** Which requests a webhook is asked about. */
export interface RuleWithOperations {
  readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT' | '*')[];
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly scope?: 'Namespaced' | 'Cluster' | '*' | undefined;
}

/** One webhook of a {@link ValidatingWebhookConfiguration}. */
export interface ValidatingWebhookEntry {
  /** A domain name of three labels or more. */
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules?: readonly RuleWithOperations[] | undefined;
  readonly failurePolicy?: 'Fail' | 'Ignore' | undefined;
  readonly matchPolicy?: 'Equivalent' | 'Exact' | undefined;
  readonly namespaceSelector?: LabelSelectorObject | undefined;
  readonly objectSelector?: LabelSelectorObject | undefined;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[] | undefined;
  readonly sideEffects: 'None' | 'NoneOnDryRun';
  /** 1 to 30. */
  readonly timeoutSeconds?: number | undefined;
  readonly admissionReviewVersions: readonly string[];
}

/** One webhook of a {@link MutatingWebhookConfiguration}. */
export interface MutatingWebhookEntry extends ValidatingWebhookEntry {
  /** Whether it is asked again where a later webhook changed the object. */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded' | undefined;
}

export interface ValidatingWebhookConfiguration extends KubernetesObject {
  readonly webhooks?: readonly ValidatingWebhookEntry[] | undefined;
}

export interface MutatingWebhookConfiguration extends KubernetesObject {
  readonly webhooks?: readonly MutatingWebhookEntry[] | undefined;
}

const registration = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  namespaced: false,
  statusSubresource: false,
} as const;

export const ValidatingWebhookConfiguration = builtIn<ValidatingWebhookConfiguration>({
  ...registration,
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
});

export const MutatingWebhookConfiguration = builtIn<MutatingWebhookConfiguration>({
  ...registration,
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
});
