import type { KubernetesObject, LabelSelectorObject, ResourceType } from '@isthmus/machinery';
import type { Access } from '../controller/access.ts';
import type { Log } from '../log/log.ts';
import type { AdmissionOperation, AdmissionRequest, Mutation, Verdict } from './admission-review.ts';
import type { ConvertibleObject } from './conversion-review.ts';

export interface WebhookContext {
  /** Aborts when the time of the webhook is over, the caller has gone, or the server ends. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** The fields that every webhook has. */
interface WebhookBase {
  /**
   * A domain name of three labels or more, as `exports.clusterset.isthmus.dev`; also the label of
   * its metrics.
   */
  readonly name: string;
  /** The path of the webhook, beginning with a slash; one webhook per path. */
  readonly path: string;
  /**
   * The objects that the webhook reads and writes itself; empty if it decides from the request
   * alone.
   */
  readonly access: readonly Access[];
}

/** Requests that an admission webhook is asked about. */
export interface WebhookRule<T extends KubernetesObject = KubernetesObject> {
  readonly types: readonly ResourceType<T>[];
  readonly operations: readonly AdmissionOperation[];
  /** Only this subresource; default: the objects themselves. */
  readonly subresource?: string | undefined;
}

interface AdmissionWebhookBase<T extends KubernetesObject> extends WebhookBase {
  readonly rules: readonly WebhookRule<T>[];
  /**
   * How the API server handles a request if the webhook cannot be reached, fails or is late: it
   * rejects the request, or continues without the webhook.
   */
  readonly failurePolicy: 'Fail' | 'Ignore';
  /** `NoneOnDryRun`: it has side effects, and leaves them out where the request has `dryRun`. */
  readonly sideEffects: 'None' | 'NoneOnDryRun';
  /** 1 to 30; default 10, as the API server's. */
  readonly timeoutSeconds?: number | undefined;
  /** Only in Namespaces with these labels; cluster-scoped objects pass. */
  readonly namespaceSelector?: LabelSelectorObject | undefined;
  /** Only for objects with these labels, before or after the change. */
  readonly objectSelector?: LabelSelectorObject | undefined;
  /**
   * CEL expressions, all of which must hold. The server evaluates them: a request that they leave
   * out costs no call.
   */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[] | undefined;
}

/**
 * A webhook that accepts or rejects. It sees objects after all mutation, in the version of its
 * types.
 */
export interface ValidatingWebhook<T extends KubernetesObject = KubernetesObject> extends AdmissionWebhookBase<T> {
  readonly kind: 'validating';
  review(request: AdmissionRequest<T>, context: WebhookContext): Promise<Verdict> | Verdict;
}

/**
 * A webhook that may change the object on its way. The same request may be reviewed twice: a change
 * must not change again.
 */
export interface MutatingWebhook<T extends KubernetesObject = KubernetesObject> extends AdmissionWebhookBase<T> {
  readonly kind: 'mutating';
  /** Whether it is asked again where a later webhook changed the object. Default `Never`. */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded' | undefined;
  review(request: AdmissionRequest<T>, context: WebhookContext): Promise<Mutation<T>> | Mutation<T>;
}

/** A webhook that converts the objects of one custom resource between its versions. */
export interface ConversionWebhook extends WebhookBase {
  readonly kind: 'conversion';
  readonly type: Pick<ResourceType, 'group' | 'kind' | 'plural'>;
  /**
   * `object` in the version `apiVersion`: nothing of it may be lost on the way there and back, and
   * of its metadata only labels and annotations may change. Not called where the object has that
   * version. A throw fails the whole request, with its message.
   */
  review(
    object: ConvertibleObject,
    apiVersion: string,
    context: WebhookContext,
  ): Promise<KubernetesObject> | KubernetesObject;
}

export type AdmissionWebhook = ValidatingWebhook | MutatingWebhook;

export type Webhook = AdmissionWebhook | ConversionWebhook;

/**
 * A webhook as data, and one function from a request to a verdict: the requests it is called for,
 * how failures count, and its access. The configuration in the API server ({@link
 * webhookConfigurations}), its RBAC and its metrics are derived from it.
 */
export function defineWebhook<W extends ConversionWebhook>(webhook: W): ConversionWebhook;
export function defineWebhook<T extends KubernetesObject>(webhook: ValidatingWebhook<T>): ValidatingWebhook;
export function defineWebhook<T extends KubernetesObject>(webhook: MutatingWebhook<T>): MutatingWebhook;
export function defineWebhook(webhook: Webhook): Webhook {
  return webhook;
}

/**
 * Throws if the API server would reject one of these webhooks, or if two have the same identity:
 * names that are not domain names of three labels or are used twice, paths that are not absolute or
 * are used twice, no rules, times outside of 1 to 30 seconds.
 */
export function checkWebhooks(webhooks: readonly Webhook[]): void {
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const webhook of webhooks) {
    const { name, path } = webhook;
    const wrong = (why: string): Error => new Error(`webhook ${name}: ${why}`);
    if (!/^[a-z0-9-]+(\.[a-z0-9-]+){2,}$/.test(name))
      throw wrong('the name must be a domain name with at least three labels');
    if (names.has(name)) throw wrong('another webhook has this name');
    if (!/^\/[^?#\s]+$/.test(path)) throw wrong(`the path ${JSON.stringify(path)} must begin with a slash`);
    if (paths.has(path)) throw wrong(`another webhook is served at ${path}`);
    names.add(name);
    paths.add(path);
    if (webhook.kind === 'conversion') continue;
    const { rules, timeoutSeconds = 10 } = webhook;
    if (rules.length === 0 || rules.some(({ types, operations }) => types.length === 0 || operations.length === 0))
      throw wrong('types and operations must not be empty');
    if (!Number.isInteger(timeoutSeconds) || timeoutSeconds < 1 || timeoutSeconds > 30)
      throw wrong('timeoutSeconds must be 1 to 30');
  }
}
