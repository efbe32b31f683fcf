import type {
  MutatingWebhookEntry,
  RuleWithOperations,
  ValidatingWebhookEntry,
  WebhookClientConfig,
} from '@isthmus/api';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@isthmus/api';
import { apiVersionOf } from '@isthmus/machinery';
import type { AdmissionWebhook, ConversionWebhook, MutatingWebhook, ValidatingWebhook, Webhook } from './webhook.ts';
import { checkWebhooks } from './webhook.ts';

/** How the API server reaches the process that serves the webhooks. */
export interface WebhookServerAddress {
  readonly at:
    | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number | undefined } }
    /** `https://host:port`, for a process outside of the cluster. */
    | { readonly url: string };
  /**
   * PEM of the authorities that sign its certificates, the old one and the new one during a
   * rotation. Absent: filled in later.
   */
  readonly caPem?: string | undefined;
}

export interface WebhookConfigurationOptions {
  /** The name of both objects. */
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly server: WebhookServerAddress;
}

/**
 * The configurations by which an API server calls these webhooks: one object for validating
 * webhooks and one for mutating webhooks, in the order of `webhooks`; an object without webhooks is
 * left out. Conversion webhooks are part of the definition of their kind ({@link conversionOf}).
 * Errors: throws those of {@link checkWebhooks}.
 */
export function webhookConfigurations(
  webhooks: readonly Webhook[],
  { name, labels, server }: WebhookConfigurationOptions,
): readonly (ValidatingWebhookConfiguration | MutatingWebhookConfiguration)[] {
  checkWebhooks(webhooks);
  const metadata = { name, ...(labels !== undefined && { labels }) };
  const validating = webhooks.filter((webhook): webhook is ValidatingWebhook => webhook.kind === 'validating');
  const mutating = webhooks.filter((webhook): webhook is MutatingWebhook => webhook.kind === 'mutating');
  const headOf = ({ kind }: { readonly kind: string }) => ({
    apiVersion: apiVersionOf(ValidatingWebhookConfiguration),
    kind,
    metadata,
  });
  return [
    ...(validating.length === 0
      ? []
      : [{ ...headOf(ValidatingWebhookConfiguration), webhooks: validating.map((each) => entryOf(each, server)) }]),
    ...(mutating.length === 0
      ? []
      : [{ ...headOf(MutatingWebhookConfiguration), webhooks: mutating.map((each) => mutatingEntryOf(each, server)) }]),
  ];
}

/** `spec.conversion` of the CustomResourceDefinition whose versions this webhook converts. */
export function conversionOf(
  { path }: ConversionWebhook,
  server: WebhookServerAddress,
): {
  readonly strategy: 'Webhook';
  readonly webhook: {
    readonly clientConfig: WebhookClientConfig;
    readonly conversionReviewVersions: readonly string[];
  };
} {
  return {
    strategy: 'Webhook',
    webhook: { clientConfig: clientConfigOf(path, server), conversionReviewVersions: ['v1'] },
  };
}

function entryOf(webhook: AdmissionWebhook, server: WebhookServerAddress): ValidatingWebhookEntry {
  const { name, path, rules, namespaceSelector, objectSelector, matchConditions } = webhook;
  return {
    name,
    clientConfig: clientConfigOf(path, server),
    rules: rules.flatMap(rulesOf),
    failurePolicy: webhook.failurePolicy,
    // A request for another version of the same objects is converted and reviewed as well, so that
    // no version is a way around.
    matchPolicy: 'Equivalent',
    ...(namespaceSelector !== undefined && { namespaceSelector }),
    ...(objectSelector !== undefined && { objectSelector }),
    ...(matchConditions !== undefined && { matchConditions }),
    sideEffects: webhook.sideEffects,
    timeoutSeconds: webhook.timeoutSeconds ?? 10,
    admissionReviewVersions: ['v1'],
  };
}

function mutatingEntryOf(webhook: MutatingWebhook, server: WebhookServerAddress): MutatingWebhookEntry {
  return { ...entryOf(webhook, server), reinvocationPolicy: webhook.reinvocationPolicy ?? 'Never' };
}

/**
 * One rule for the types of one group, version and scope: of a rule with several, the API server
 * takes every combination.
 */
function rulesOf({ types, operations, subresource }: AdmissionWebhook['rules'][number]): readonly RuleWithOperations[] {
  const scopeOf = (namespaced: boolean) => (namespaced ? 'Namespaced' : 'Cluster');
  const together = Map.groupBy(types, (type) => `${apiVersionOf(type)} ${scopeOf(type.namespaced)}`);
  return [...together.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const resources = same.map(({ plural }) => (subresource === undefined ? plural : `${plural}/${subresource}`));
    const { group, version, namespaced } = first;
    return [{ operations, apiGroups: [group], apiVersions: [version], resources, scope: scopeOf(namespaced) } as const];
  });
}

function clientConfigOf(path: string, { at, caPem }: WebhookServerAddress): WebhookClientConfig {
  const caBundle = caPem === undefined ? {} : { caBundle: Buffer.from(caPem).toString('base64') };
  if ('url' in at) return { url: `${at.url.replace(/\/+$/, '')}${path}`, ...caBundle };
  const { namespace, name, port } = at.service;
  return { service: { namespace, name, path, ...(port !== undefined && { port }) }, ...caBundle };
}
