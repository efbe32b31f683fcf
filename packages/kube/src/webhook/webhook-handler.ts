import type { Clock, KubernetesObject } from '@isthmus/machinery';
import { statusReasons } from '@isthmus/machinery';
import type { Log } from '../log/log.ts';
import type { WebhookMetrics } from '../metrics/metrics.ts';
import { noWebhookMetrics } from '../metrics/metrics.ts';
import { errorText } from '../log/error-text.ts';
import type { HttpHandler, HttpRequestHead, HttpResponse } from '../serving/http-handler.ts';
import { pathOfUrl, textResponse } from '../serving/http-handler.ts';
import { limitedAbort } from '../waiting/abort.ts';
import { orAborted } from '../waiting/or-aborted.ts';
import type { AdmissionRequest } from './admission-review.ts';
import { admissionAnswer, readAdmissionReview } from './admission-review.ts';
import type { ConversionRequest, ConversionResult } from './conversion-review.ts';
import { conversionAnswer, readConversionReview } from './conversion-review.ts';
import { MalformedReview } from './review-fields.ts';
import type { AdmissionWebhook, ConversionWebhook, Webhook, WebhookContext } from './webhook.ts';
import { checkWebhooks } from './webhook.ts';

export interface WebhookHandlerOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: WebhookMetrics | undefined;
}

/**
 * An object is at most 3 MiB of a request to the API server; a review holds it as it was and as it
 * is to be.
 */
const ADMISSION_BYTES = 7 * 1024 * 1024;
/** The API server converts a whole page of a list at once. */
const CONVERSION_BYTES = 64 * 1024 * 1024;
const ADMISSION_SECONDS = 10;
/** The API server's own limit. */
const CONVERSION_SECONDS = 30;

/**
 * Serves webhooks: reads bodies of an API server and returns answers, without a socket.
 *
 * Guarantees: never rejects. A verdict is HTTP 200, including a denial. A body that is not a review
 * for that webhook is answered with 400. A `review` that throws, or is not ready within the
 * webhook's time, is logged, counted and answered with HTTP 500, so that the API server applies the
 * webhook's `failurePolicy`. A conversion has no such policy, so the API server gets the message in
 * the result.
 *
 * Errors: throws those of {@link checkWebhooks}.
 */
export function createWebhookHandler(webhooks: readonly Webhook[], options: WebhookHandlerOptions): HttpHandler {
  checkWebhooks(webhooks);
  const { clock, metrics = noWebhookMetrics } = options;
  const byPath = new Map(webhooks.map((webhook) => [webhook.path, webhook]));
  const routed = (head: HttpRequestHead): { readonly webhook: Webhook } | { readonly refusal: HttpResponse } => {
    const webhook = byPath.get(pathOfUrl(head.url));
    if (webhook === undefined) return { refusal: textResponse(404, 'no webhook is served at this path\n') };
    const refused = refusal(head);
    return refused === undefined ? { webhook } : { refusal: refused };
  };
  return {
    accept(head) {
      const found = routed(head);
      if ('refusal' in found) return found;
      return { bodyLimit: found.webhook.kind === 'conversion' ? CONVERSION_BYTES : ADMISSION_BYTES };
    },
    async handle(request, signal) {
      const found = routed(request);
      if ('refusal' in found) return found.refusal;
      const { webhook } = found;
      const startedAt = clock.monotonic();
      const log = options.log.with({ webhook: webhook.name });
      const { operation, allowed, code, response } = await answer(webhook, request.body, { clock, log, signal });
      metrics.webhookRequests.inc({ webhook: webhook.name, operation, allowed, code: String(code) });
      const seconds = (clock.monotonic() - startedAt) / 1_000;
      metrics.webhookSeconds.observe({ webhook: webhook.name, operation }, seconds);
      return response;
    },
  };
}

/** The result of one request to a webhook, for its metrics. */
interface Answer {
  readonly operation: string;
  readonly allowed: 'true' | 'false' | 'error';
  /**
   * That of the verdict: 200, that of the denial, 400 for a malformed review, 500 for a failure.
   */
  readonly code: number;
  readonly response: HttpResponse;
}

interface AnswerOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

function refusal({ method, headers }: HttpRequestHead): HttpResponse | undefined {
  if (method !== 'POST') return textResponse(405, 'only POST\n', { allow: 'POST' });
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  return type === 'application/json' ? undefined : textResponse(415, 'only application/json\n');
}

async function answer(webhook: Webhook, body: string, options: AnswerOptions): Promise<Answer> {
  const { log } = options;
  let review: AdmissionRequest | ConversionRequest;
  try {
    review = webhook.kind === 'conversion' ? readConversionReview(body) : readReviewOf(webhook, body);
  } catch (error) {
    if (!(error instanceof MalformedReview)) throw error;
    log.warn('rejected a malformed review', { why: error.message });
    const response = textResponse(400, `${error.message}\n`);
    return { operation: 'unknown', allowed: 'error', code: 400, response };
  }
  if (webhook.kind === 'conversion') return converted(webhook, review as ConversionRequest, options);
  return admitted(webhook, review as AdmissionRequest, options);
}

/** A review of one of the webhook's resources: its function is written for these types. */
function readReviewOf(webhook: AdmissionWebhook, body: string): AdmissionRequest {
  const request = readAdmissionReview(body);
  const { resource, subResource = '', operation } = request;
  const isMeant = webhook.rules.some(
    ({ types, operations, subresource = '' }) =>
      subresource === subResource &&
      operations.includes(operation) &&
      types.some(
        ({ group, version, plural }) =>
          group === resource.group && version === resource.version && plural === resource.resource,
      ),
  );
  if (!isMeant) throw new MalformedReview('request.resource and request.operation do not match this webhook');
  return request;
}

async function admitted(webhook: AdmissionWebhook, request: AdmissionRequest, options: AnswerOptions): Promise<Answer> {
  const { log } = options;
  const { operation, name, namespace, resource, uid } = request;
  const about = { uid, operation, resource: resource.resource, namespace, name };
  const seconds = webhook.timeoutSeconds ?? ADMISSION_SECONDS;
  try {
    const verdict = await withinSeconds(seconds, options, (context) => webhook.review(request, context));
    const response = json(admissionAnswer(request, verdict));
    if (verdict.allowed) return { operation, allowed: 'true', code: 200, response };
    log.debug('denied a request', { ...about, reason: verdict.reason, why: verdict.message });
    return { operation, allowed: 'false', code: statusReasons[verdict.reason], response };
  } catch (error) {
    log.error('webhook failed', error, about);
    const response = textResponse(500, `${webhook.name}: ${errorText(error)}\n`);
    return { operation, allowed: 'error', code: 500, response };
  }
}

async function converted(
  webhook: ConversionWebhook,
  request: ConversionRequest,
  options: AnswerOptions,
): Promise<Answer> {
  const { uid, desiredAPIVersion, objects } = request;
  const operation = 'CONVERT';
  const answered = (result: ConversionResult) => json(conversionAnswer(uid, result));
  try {
    const made = await withinSeconds(CONVERSION_SECONDS, options, (context) => convertAll(webhook, request, context));
    return { operation, allowed: 'true', code: 200, response: answered({ kind: 'converted', objects: made }) };
  } catch (error) {
    options.log.error('webhook failed', error, { uid, desiredAPIVersion, objects: objects.length });
    const response = answered({ kind: 'failed', message: errorText(error) });
    return { operation, allowed: 'error', code: 500, response };
  }
}

async function convertAll(
  webhook: ConversionWebhook,
  { objects, desiredAPIVersion }: ConversionRequest,
  context: WebhookContext,
): Promise<readonly KubernetesObject[]> {
  const { type } = webhook;
  const made: KubernetesObject[] = [];
  for (const object of objects) {
    context.signal.throwIfAborted();
    const { apiVersion, kind, metadata } = object;
    const what = `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
    if (kind !== type.kind || !apiVersion.startsWith(`${type.group}/`))
      throw new Error(`${apiVersion} ${what} does not belong to ${type.plural}.${type.group}`);
    const next = apiVersion === desiredAPIVersion ? object : await webhook.review(object, desiredAPIVersion, context);
    if (next.apiVersion !== desiredAPIVersion || next.kind !== kind)
      throw new Error(`the conversion of ${what} made ${next.apiVersion} ${next.kind} instead of ${desiredAPIVersion}`);
    made.push(next);
  }
  return made;
}

/** The outcome of `review`, or a rejection when its time is over. */
async function withinSeconds<T>(
  seconds: number,
  { clock, log, signal }: AnswerOptions,
  review: (context: WebhookContext) => Promise<T> | T,
): Promise<T> {
  using limit = limitedAbort(signal, clock, seconds * 1_000, `the webhook was not ready within ${seconds} s`);
  const running = (async () => review({ signal: limit.signal, log }))();
  return await orAborted(running, limit.signal);
}

function json(body: string): HttpResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}
