import { seededRandom } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import type { ConversionRule } from '../definition/definition.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Stored } from '../store/stored.ts';
import { outcome } from '../testing/server-core.ts';
import { convertByWebhook } from './webhook-conversion.ts';

const group = 'shop.example.com';
const widget = (name: string, version = 'v1', metadata: object = {}) =>
  ({
    apiVersion: `${group}/${version}`,
    kind: 'Widget',
    metadata: { name, namespace: 'shop', uid: `u-${name}`, ...metadata },
    spec: { a: 1 },
  }) as unknown as Stored;
const target = {
  resource: { group, version: 'v2', kind: 'Widget', plural: 'widgets' } as ServedResource,
  apiVersion: `${group}/v2`,
};

interface Review {
  readonly apiVersion: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly Stored[] };
}
interface Case {
  readonly objects?: readonly Stored[];
  readonly versions?: readonly string[];
  /** The answer to a review. Default: all converted. */
  readonly answer?: (review: Review, converted: readonly object[]) => unknown;
  readonly status?: number;
}
const converted = ({ request: { objects, desiredAPIVersion } }: Review) =>
  objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion, spec: { b: 1 } }));
const success = (uid: string, convertedObjects: unknown) => ({
  response: { uid, result: { status: 'Success' }, convertedObjects },
});

function convert({ objects = [widget('a')], versions = ['v1'], answer, status = 200 }: Case) {
  const sent: Review[] = [];
  const call = async (_: unknown, body: string) => {
    const review = JSON.parse(body) as Review;
    sent.push(review);
    const all = converted(review);
    const reply = answer === undefined ? success(review.request.uid, all) : answer(review, all);
    if (reply instanceof Error) throw reply;
    return { status, body: typeof reply === 'string' ? reply : JSON.stringify(reply) };
  };
  const webhook = { clientConfig: { url: 'https://hook.example/' }, conversionReviewVersions: versions };
  const rule = { strategy: 'Webhook', webhook } as unknown as ConversionRule;
  const result = outcome(() => convertByWebhook({ rule, call, random: seededRandom(1) }, objects, target));
  return { result, sent };
}
const failed = (what: string) => [500, `conversion webhook for ${group}/v1, Kind=Widget ${what}`];
/** The answer for one object, of which these fields differ. */
const changed = (fields: object): Case => ({
  answer: ({ request }, [first]) => success(request.uid, [{ ...first, ...fields }]),
});

describe('objects that a webhook converts', () => {
  it('come in one call, in their order; those of the version are not sent', async () => {
    const objects = [widget('a'), widget('b', 'v2'), widget('c')];
    const { result, sent } = convert({ objects });
    expect(await result).toMatchObject([
      { apiVersion: `${group}/v2`, metadata: { name: 'a' }, spec: { b: 1 } },
      { apiVersion: `${group}/v2`, metadata: { name: 'b' }, spec: { a: 1 } },
      { apiVersion: `${group}/v2`, metadata: { name: 'c' }, spec: { b: 1 } },
    ]);
    expect(
      sent.map(({ request }) => [request.desiredAPIVersion, request.objects.map(({ metadata }) => metadata.name)]),
    ).toEqual([[`${group}/v2`, ['a', 'c']]]);
  });

  it('need no call where all have the version', async () => {
    const objects = [widget('b', 'v2')];
    const { result, sent } = convert({ objects });
    expect(await result).toBe(objects);
    expect(sent).toEqual([]);
  });

  it.each<readonly [readonly string[], string]>([
    [['v1'], 'v1'],
    [['v1beta1', 'v1'], 'v1beta1'],
    [['v2', 'v1beta1'], 'v1beta1'],
    [['v2'], 'v1'],
    [[], 'v1'],
  ])('are sent in the first version of reviews that is known: of %j in %s', async (versions, expected) => {
    const { result, sent } = convert({ versions });
    await result;
    expect(sent.map(({ apiVersion }) => apiVersion)).toEqual([`apiextensions.k8s.io/${expected}`]);
  });

  it('keep their metadata, except labels and annotations', async () => {
    const before = widget('a', 'v1', { labels: { a: '1' }, annotations: { a: '1' }, generation: 3 });
    const after = (metadata: object): Case => ({
      objects: [before],
      answer: ({ request }, [first]) =>
        success(request.uid, [{ ...first, metadata: { name: 'a', namespace: 'shop', uid: 'u-a', ...metadata } }]),
    });
    const kept = { name: 'a', namespace: 'shop', uid: 'u-a', generation: 3 };
    const metadataOf = async (one: Case) => ((await convert(one).result) as readonly Stored[])[0]?.metadata;
    expect(
      await metadataOf(after({ labels: { b: '2' }, annotations: { c: '3' }, generation: 9, finalizers: ['f'] })),
    ).toEqual({
      ...kept,
      labels: { b: '2' },
      annotations: { c: '3' },
    });
    expect(await metadataOf(after({ labels: null, annotations: null }))).toEqual(kept);
    expect(await metadataOf(after({}))).toEqual(kept);
  });
});

describe('an answer that cannot be used', () => {
  const noResponse = failed('failed: no response provided');

  it.each<readonly [string, Case, unknown]>([
    ['no answer', { answer: () => new Error('EOF') }, failed('failed: Post "https://hook.example/?timeout=30s": EOF')],
    ['an error', { status: 404 }, failed('failed: the server could not find the requested resource')],
    [
      'no JSON',
      { answer: () => 'x' },
      [500, expect.stringContaining("failed: couldn't get version/kind; json parse error")],
    ],
    ['no response', { answer: () => ({}) }, noResponse],
    ['null', { answer: () => 'null' }, noResponse],
    ['a response that is null', { answer: () => ({ response: null }) }, noResponse],
    [
      'the answer to another request',
      { answer: (_, all) => success('other', all) },
      [500, expect.stringMatching(/failed: expected response\.uid="[-0-9a-f]{36}", got "other"$/)],
    ],
    [
      'an answer to no request',
      { answer: () => ({ response: {} }) },
      [500, expect.stringMatching(/failed: expected response\.uid="[-0-9a-f]{36}", got ""$/)],
    ],
    [
      'a failure with its reason',
      {
        answer: ({ request }) => ({
          response: { uid: request.uid, result: { status: 'Failure', message: 'not now' } },
        }),
      },
      failed('failed: not now'),
    ],
    [
      'a failure without one',
      { answer: ({ request }) => ({ response: { uid: request.uid, result: { status: 'Failure' } } }) },
      failed("failed: response.result.status was 'Failure', not 'Success'"),
    ],
    [
      'no result',
      { answer: ({ request }) => ({ response: { uid: request.uid } }) },
      failed("failed: response.result.status was '', not 'Success'"),
    ],
    [
      'too few objects',
      { answer: ({ request }) => success(request.uid, []) },
      failed('returned 0 objects, expected 1'),
    ],
    [
      'no list of objects',
      { answer: ({ request }) => success(request.uid, undefined) },
      failed('returned 0 objects, expected 1'),
    ],
    [
      'too many objects',
      { answer: ({ request }, all) => success(request.uid, [...all, ...all]) },
      failed('returned 2 objects, expected 1'),
    ],
    [
      'an object of another version',
      changed({ apiVersion: `${group}/v3` }),
      failed(`returned invalid object at index 0: invalid groupVersion (expected ${group}/v2, received ${group}/v3)`),
    ],
    [
      'null in place of an object',
      { answer: ({ request }) => success(request.uid, [null]) },
      failed(`returned invalid object at index 0: invalid groupVersion (expected ${group}/v2, received )`),
    ],
    [
      'an object of another kind',
      changed({ kind: 'Gadget' }),
      failed('returned invalid object at index 0: invalid kind (expected Widget, received Gadget)'),
    ],
    [
      'an object of another name',
      changed({ metadata: { name: 'b', namespace: 'shop', uid: 'u-a' } }),
      failed('returned invalid object: must have the same name: a != b'),
    ],
    [
      'an object of another Namespace',
      changed({ metadata: { name: 'a', uid: 'u-a' } }),
      failed('returned invalid object: must have the same namespace: shop != '),
    ],
    [
      'another object',
      changed({ metadata: { name: 'a', namespace: 'shop', uid: 'w' } }),
      failed('returned invalid object: must have the same UID: u-a != w'),
    ],
    [
      'an object without metadata',
      changed({ metadata: undefined }),
      failed('returned invalid object: must have the same name: a != '),
    ],
  ])('%s', async (_, one, expected) => {
    expect(await convert(one).result).toEqual(expected);
  });

  it('of a list names the kind of the list, and the place of the object', async () => {
    const one: Case = {
      objects: [widget('a'), widget('b')],
      answer: ({ request }, [first, second]) => success(request.uid, [first, { ...second, kind: 'Gadget' }]),
    };
    expect(await convert(one).result).toEqual([
      500,
      `conversion webhook for ${group}/v2, Kind=WidgetList returned invalid converted object at index 1: invalid kind (expected Widget, received Gadget)`,
    ]);
  });
});
