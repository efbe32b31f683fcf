import { errorMessage, failureStatus, keyOf } from '@isthmus/machinery';
import type { Status } from '@isthmus/machinery';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { endpointOf, failureOfAnswer } from '../webhook/webhook-call.ts';
import type { WebhookAnswer, WebhookTransport } from '../webhook/webhook-call.ts';
import { uid as newUid } from '../objects/created-metadata.ts';
import { asJson } from '../objects/as-json.ts';
import { typed } from '../objects/decode.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Core, Admission, AdmissionRequest } from '../core/core.ts';
import { forbiddenObject, internalError, Refusal, refusalOf } from '../refusal/refusal.ts';
import type { Stored } from '../store/stored.ts';
import { askedOf } from './asked.ts';
import { inVersion, matchedVersion, selectorsMatch } from './matching.ts';
import { patchProblem, readReview, reviewBody } from './review.ts';
import type { ReviewResponse } from './review.ts';
import { webhooksOf } from '../builtin/admissionregistration/webhook-configuration.ts';
import type { MatchCondition, Webhook } from '../builtin/admissionregistration/webhook-configuration.ts';
import type { Asked } from '../builtin/admissionregistration/expressions.ts';

/** The dependencies of webhook calls, besides the request. */
export interface WebhookParts {
  readonly call: WebhookTransport;
  /** Whether all conditions hold. Errors: throws if one cannot be evaluated. */
  readonly matchesConditions: (conditions: readonly MatchCondition[], asked: Asked) => boolean;
}

const group = 'admissionregistration.k8s.io';

/**
 * Calls admission webhooks: the mutating ones one after the other, the validating ones in parallel.
 * A mutating one with `reinvocationPolicy: IfNeeded` is called once more if it did not see a later
 * change. The configurations are those in the store at this moment.
 */
export function webhookAdmission(parts: WebhookParts): Admission {
  return {
    async mutate(core, request) {
      const hooks = selected(core, request, 'mutatingwebhookconfigurations');
      if (hooks.length === 0) return request.object;
      let object = request.object;
      /** The object as each webhook left it, to decide whether it is called again. */
      const left = new Map<Matched, Stored | undefined>();
      for (const hook of hooks) {
        object = await invokeMutating(core, parts, { ...request, object }, hook);
        left.set(hook, object);
      }
      for (const hook of hooks) {
        if (hook.webhook.reinvocationPolicy !== 'IfNeeded' || left.get(hook) === object) continue;
        object = await invokeMutating(core, parts, { ...request, object }, hook);
      }
      return object;
    },
    async validate(core, request) {
      const hooks = selected(core, request, 'validatingwebhookconfigurations');
      const verdicts = await Promise.all(
        hooks.map((hook) =>
          invokeValidating(core, parts, request, hook).then(
            () => undefined,
            (error: unknown) => error,
          ),
        ),
      );
      const refusal = verdicts.find((verdict) => verdict !== undefined);
      if (refusal !== undefined) throw refusal;
    },
  };
}

/** A webhook, and the version of the resource that its rule is about. */
interface Matched {
  readonly webhook: Webhook;
  readonly as: ServedResource;
}

function selected(core: Core, request: AdmissionRequest, plural: string): readonly Matched[] {
  const { resource } = request.target;
  // Webhooks are not called for webhook configurations, so that users can always remove them.
  if (resource.group === group) return [];
  const configurations = core.store.list(`${group}/${plural}`);
  if (configurations.length === 0) return [];
  return webhooksOf(configurations).flatMap((webhook) => {
    const as = matchedVersion(core, webhook.rules ?? [], webhook, request);
    return as !== undefined && selectorsMatch(core, webhook, request) ? [{ webhook, as }] : [];
  });
}

async function invokeMutating(
  core: Core,
  parts: WebhookParts,
  request: AdmissionRequest,
  hook: Matched,
): Promise<Stored | undefined> {
  const response = await invoke(core, parts, request, { ...hook, mutates: true });
  const { object } = request;
  if (response?.patch === undefined || response.patch === '') return object;
  const { name, failurePolicy } = hook.webhook;
  const unusable = (why: string) => {
    if (failurePolicy === 'Ignore') return object;
    throw failed(name, why);
  };
  const patch = decodedPatch(response.patch);
  if (patch === undefined) return unusable('received undecodable patch in webhook response: ');
  if (patch.length === 0) return object;
  if (object === undefined) {
    throw internalError(
      `admission webhook "${name}" attempted to modify the object, which is not supported for this operation`,
    );
  }
  if (response.patchType !== 'JSONPatch') return unusable(`unsupported patch type "${response.patchType ?? ''}"`);
  try {
    const { body, target } = request;
    if (body !== undefined) return typed(body, applyJsonPatch(asJson(object), patch));
    const patched = applyJsonPatch(asJson(await inVersion(core, hook.as, object)), patch);
    return typed(target.resource, await inVersion(core, target.resource, patched as unknown as Stored));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw internalError(patchFailure(error, patch));
  }
}

function decodedPatch(text: string): readonly unknown[] | undefined {
  try {
    const patch: unknown = JSON.parse(Buffer.from(text, 'base64').toString());
    return Array.isArray(patch) ? patch : undefined;
  } catch {
    return undefined;
  }
}

async function invokeValidating(
  core: Core,
  parts: WebhookParts,
  request: AdmissionRequest,
  hook: Matched,
): Promise<void> {
  await invoke(core, parts, request, { ...hook, mutates: false });
}

/**
 * Calls one webhook. Undefined if it was not called, or if its failure is ignored. Errors: throws
 * the rejection.
 */
async function invoke(
  core: Core,
  parts: WebhookParts,
  request: AdmissionRequest,
  { webhook, as, mutates }: Matched & { readonly mutates: boolean },
): Promise<ReviewResponse | undefined> {
  const { target } = request;
  const { name } = webhook;
  const uid = newUid(core.random);
  const seen = await askedOf(core, request, { as, uid });
  if (!conditionsHold(parts, webhook, request, seen)) return undefined;
  if (target.dryRun && webhook.sideEffects !== 'None' && webhook.sideEffects !== 'NoneOnDryRun') {
    throw refusalOf('BadRequest', `admission webhook "${name}" does not support dry run`);
  }
  const reply = await asked(core, parts.call, webhook, reviewBody(seen.review));
  const response = typeof reply === 'string' ? reply : readReview(reply.body, uid);
  const problem = typeof response === 'string' ? response : patchProblem(response, mutates);
  if (typeof response === 'string' || problem !== undefined) {
    if (webhook.failurePolicy === 'Ignore') return undefined;
    throw failed(name, problem ?? '');
  }
  target.warnings.push(...(response.warnings ?? []));
  if (!response.allowed) throw denied(name, response);
  return response;
}

/** The response of a webhook. A string is the error: no readable response came. */
async function asked(
  core: Core,
  call: WebhookTransport,
  { clientConfig, timeoutSeconds = 10 }: Webhook,
  body: string,
): Promise<WebhookAnswer | string> {
  const endpoint = endpointOf(clientConfig);
  const path = new URL(endpoint.url).pathname === '/' && !endpoint.url.endsWith('/') ? '/' : '';
  const url = `${endpoint.url}${path}?timeout=${timeoutSeconds}s`;
  const failure = (why: string) => `failed to call webhook: ${why}`;
  const nowhere = withoutService(core, clientConfig);
  if (nowhere !== undefined) return failure(`Post "${url}": ${nowhere}`);
  const late = Promise.withResolvers<'late'>();
  const cancel = core.clock.after(timeoutSeconds * 1000, () => late.resolve('late'));
  try {
    const reply = await Promise.race([call(endpoint, body), late.promise]);
    if (reply === 'late') return failure(`Post "${url}": context deadline exceeded`);
    const wrong = failureOfAnswer(reply);
    return wrong === undefined ? reply : failure(wrong);
  } catch (error) {
    return failure(`Post "${url}": ${errorMessage(error)}`);
  } finally {
    cancel();
  }
}

/**
 * The real server's error for a missing Service or a missing Service port; undefined if both exist.
 */
function withoutService(core: Core, { service }: Webhook['clientConfig']): string | undefined {
  if (service === undefined || service === null) return undefined;
  const { name = '', namespace, port = 443 } = service;
  const found = core.store.get('/services', keyOf({ namespace, name }));
  if (found === undefined) return `service "${name}" not found`;
  const { ports = [] } = found['spec'] as { readonly ports?: readonly { readonly port: number }[] };
  if (ports.some((one) => one.port === port)) return undefined;
  return `no service port ${port} found for service "${name}"`;
}

/** The error for a patch that does not apply, in the words of the real server's library. */
function patchFailure(error: unknown, patch: readonly unknown[]): string {
  const text = errorMessage(error);
  const index = /^applying operation (\d+) of/.exec(text)?.[1];
  const { op, path = '' } = (patch[Number(index)] ?? {}) as { readonly op?: string; readonly path?: string };
  const key = path.split('/').at(-1) ?? '';
  if (op === 'remove') {
    return `error in remove for path: '${path}': Unable to remove nonexistent key: ${key}: missing value`;
  }
  if (op === 'replace') return `replace operation does not apply: doc is missing key: ${path}: missing value`;
  if (op === 'add') return `add operation does not apply: doc is missing path: "${path}": missing value`;
  return text;
}

function conditionsHold(
  { matchesConditions }: WebhookParts,
  webhook: Webhook,
  { target }: AdmissionRequest,
  asked: Asked,
) {
  const conditions = webhook.matchConditions ?? [];
  if (conditions.length === 0) return true;
  try {
    return matchesConditions(conditions, asked);
  } catch (error) {
    if (webhook.failurePolicy === 'Ignore') return false;
    const { name = target.name } = asked.review as { readonly name?: string };
    throw forbiddenObject(target.resource, name, { reason: 'Forbidden', message: errorMessage(error) });
  }
}

function failed(name: string, why: string): Refusal {
  const message = `failed calling webhook "${name}": ${why}`;
  return new Refusal(
    failureStatus({
      reason: 'InternalError',
      message: `Internal error occurred: ${message}`,
      details: { causes: [{ message }] },
    }),
  );
}

/** The webhook's own Status, with a message that names the webhook. */
function denied(name: string, { status = {} }: ReviewResponse): Refusal {
  const why = (status.message ?? '') === '' ? (status.reason ?? '') : (status.message ?? '');
  const deniedBy = `admission webhook "${name}" denied the request`;
  const refused: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    ...status,
    status: 'Failure',
    message: why === '' ? `${deniedBy} without explanation` : `${deniedBy}: ${why}`,
    code: Math.max(status.code ?? 0, 400),
  };
  return new Refusal(refused);
}
