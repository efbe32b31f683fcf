import { apiVersionOf, errorMessage } from '@isthmus/machinery';
import type { Random } from '@isthmus/machinery';
import type { ServedResource } from '../registry/served-resource.ts';
import { uid } from '../objects/created-metadata.ts';
import { unexplained } from '../refusal/refusal.ts';
import type { Stored } from '../store/stored.ts';
import type { ConversionRule } from '../definition/definition.ts';
import { endpointOf, failureOfAnswer } from '../webhook/webhook-call.ts';
import type { WebhookAnswer, WebhookTransport } from '../webhook/webhook-call.ts';

export interface WebhookConversion {
  readonly rule: ConversionRule;
  readonly call: WebhookTransport;
  readonly random: Random;
}

/**
 * The objects in the version, converted by the definition's webhook in one call (ConversionReview
 * v1, or v1beta1 if the definition names it first). Objects in the version already are not sent.
 * Metadata stays, except labels and annotations. Errors: throws a Refusal if the webhook fails, or
 * its answer is not valid.
 */
export async function convertByWebhook(
  { rule, call, random }: WebhookConversion,
  objects: readonly Stored[],
  target: { readonly resource: ServedResource; readonly apiVersion: string },
): Promise<readonly Stored[]> {
  const { apiVersion } = target;
  const sent = objects.filter((object) => object.apiVersion !== apiVersion);
  const [first] = sent;
  if (first === undefined) return objects;
  const group = target.resource.group;
  const isList = objects.length > 1;
  const who = isList
    ? `${apiVersionOf(target.resource)}, Kind=${first.kind}List`
    : `${group}/${first.apiVersion.slice(group.length + 1)}, Kind=${first.kind}`;
  const fail = (what: string) => unexplained(`conversion webhook for ${who} ${what}`);
  const requestUid = uid(random);
  const version =
    (rule.webhook?.conversionReviewVersions ?? []).find((one) => one === 'v1' || one === 'v1beta1') ?? 'v1';
  const review = {
    kind: 'ConversionReview',
    apiVersion: `apiextensions.k8s.io/${version}`,
    request: { uid: requestUid, desiredAPIVersion: apiVersion, objects: sent },
  };
  const endpoint = endpointOf(rule.webhook?.clientConfig ?? {});
  let answer: WebhookAnswer;
  try {
    answer = await call(endpoint, JSON.stringify(review));
  } catch (error) {
    const why = errorMessage(error);
    throw fail(`failed: Post "${endpoint.url}?timeout=30s": ${why}`);
  }
  const converted = convertedOf(answer, requestUid, fail);
  if (converted.length !== sent.length) {
    throw fail(`returned ${converted.length} objects, expected ${sent.length}`);
  }
  const results = new Map(
    sent.map((object, index) => [object, checked(object, converted[index], { apiVersion, index, isList, fail })]),
  );
  return objects.map((object) => results.get(object) ?? object);
}

type Fail = (what: string) => Error;

function convertedOf(answer: WebhookAnswer, requestUid: string, fail: Fail): readonly unknown[] {
  const failure = failureOfAnswer(answer);
  if (failure !== undefined) throw fail(`failed: ${failure}`);
  let review: { readonly response?: unknown } | null;
  try {
    review = JSON.parse(answer.body);
  } catch {
    const json =
      'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
    throw fail(
      `failed: couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type ${json}`,
    );
  }
  const response = review?.response as
    | {
        readonly uid?: string;
        readonly result?: { readonly status?: string; readonly message?: string };
        readonly convertedObjects?: readonly unknown[];
      }
    | null
    | undefined;
  if (response === undefined || response === null) throw fail('failed: no response provided');
  if (response.uid !== requestUid)
    throw fail(`failed: expected response.uid="${requestUid}", got "${response.uid ?? ''}"`);
  const { status = '', message = '' } = response.result ?? {};
  if (status !== 'Success') {
    throw fail(`failed: ${message === '' ? `response.result.status was '${status}', not 'Success'` : message}`);
  }
  return response.convertedObjects ?? [];
}

interface Expected {
  readonly apiVersion: string;
  readonly index: number;
  readonly isList: boolean;
  readonly fail: Fail;
}

/** A converted object that is the one that was sent, with the metadata that it was sent with. */
function checked(before: Stored, converted: unknown, { apiVersion, index, isList, fail }: Expected): Stored {
  const after = (typeof converted === 'object' && converted !== null ? converted : {}) as Partial<Stored>;
  const refuse = (where: string, why: string) =>
    fail(
      isList
        ? `returned invalid converted object at index ${index}: ${why}`
        : `returned invalid object${where}: ${why}`,
    );
  if (after.apiVersion !== apiVersion) {
    throw refuse(' at index 0', `invalid groupVersion (expected ${apiVersion}, received ${after.apiVersion ?? ''})`);
  }
  if (after.kind !== before.kind) {
    throw refuse(' at index 0', `invalid kind (expected ${before.kind}, received ${after.kind ?? ''})`);
  }
  for (const [word, name] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['UID', 'uid'],
  ] as const) {
    const [had = '', has = ''] = [before.metadata[name], after.metadata?.[name]];
    if (had !== has) throw refuse('', `must have the same ${word}: ${had} != ${has}`);
  }
  const { labels: _labels, annotations: _annotations, ...kept } = before.metadata;
  const { labels, annotations } = after.metadata ?? {};
  const metadata = {
    ...kept,
    ...(labels !== undefined && labels !== null && { labels }),
    ...(annotations !== undefined && annotations !== null && { annotations }),
  };
  return { ...after, apiVersion, kind: before.kind, metadata };
}
