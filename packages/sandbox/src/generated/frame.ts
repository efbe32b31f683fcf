/**
 * The comparison of verdicts: generated objects, valid ones and mutated ones, get the same verdict
 * from the sandbox as from a real API server.
 *
 * A kind is a {@link GeneratedKind} in `kinds/`, listed in `kinds.ts`: the path of its objects, and
 * fast-check's description of them (`mutated` of `mutations.ts` makes invalid ones out of valid
 * ones). The objects follow from the seed below, so they are the same in every run. Each is sent
 * with `dryRun=All`. One line of `recorded/<name>.jsonl` has the answer and a digest of the sent
 * object, without values that differ between servers (`contract/ignored.ts`). Managed fields are
 * left out: `contract/` compares them.
 *
 * `generated.test.ts` compares the sandbox with the lines.
 * `RECORD=<name> npm run test:envtest -- packages/sandbox/src/generated` writes them from a real
 * server; without RECORD it compares the real server with them.
 */
import { canonicalJson, fnv1a } from '@isthmus/machinery';
import { TransportError } from '@isthmus/kube';
import type { ApiRequest, ApiResponse, Transport } from '@isthmus/kube';
import fc from 'fast-check';
import { createNormalizer } from '../contract/ignored.ts';
import { collectText } from '../contract/streams.ts';

export type JsonObject = { readonly [field: string]: unknown };

export interface GeneratedKind {
  /** Names the file of recorded answers. */
  readonly name: string;
  /** The collection that objects are posted to. */
  path(namespace: string): string;
  readonly objects: fc.Arbitrary<JsonObject>;
  /** How many objects. */
  readonly count: number;
  /**
   * The real server reports the causes of a rejection in any order: it walks the fields of schemas
   * in random order.
   */
  readonly causesInAnyOrder?: boolean | undefined;
  /** Objects that must exist before, in the order of creation. */
  readonly needs?: readonly Prerequisite[] | undefined;
}

export interface Prerequisite {
  readonly path: string;
  readonly object: JsonObject;
}

const seed = 20_261_121;

/** The objects of a kind, the same in every run. */
export function generatedObjects({ objects, count }: GeneratedKind): readonly JsonObject[] {
  return fc.sample(objects, { seed, numRuns: count });
}

/**
 * The server's answer to each object of a kind, or to the given ones: one line of JSON each. The
 * Namespace and the prerequisites of the kind must exist.
 */
export async function verdictsOf(
  transport: Transport,
  kind: GeneratedKind,
  namespace: string,
  {
    signal,
    objects = generatedObjects(kind),
  }: { readonly signal: AbortSignal; readonly objects?: readonly JsonObject[] },
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const object of objects) {
    const response = await answered(
      transport,
      {
        method: 'POST',
        path: kind.path(namespace),
        query: { dryRun: 'All' },
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(object),
      },
      signal,
    );
    const answer = await verdict(response, namespace, { sent: object, kind });
    // Keys are sorted, so that a new recording shows only true differences.
    lines.push(canonicalJson({ sent: digest(object), ...answer }));
  }
  return lines;
}

/**
 * Whether these are verdicts on the same objects. They are not if the definition from which the
 * objects are generated has changed.
 */
export function haveSentTheSame(lines: readonly string[], others: readonly string[]): boolean {
  const sentIn = (all: readonly string[]) => all.map((line) => (JSON.parse(line) as { readonly sent: string }).sent);
  return canonicalJson(sentIn(lines)) === canonicalJson(sentIn(others));
}

/** The advice for a recording of other objects. */
export function whenSentDiffers(name: string): string {
  return `other objects are generated of ${name} than those whose verdicts are recorded. Where its definition has changed, record them anew: RECORD=${name} npm run test:envtest -- packages/sandbox/src/generated`;
}

/**
 * A server that breaks off has no verdict: status 0. (The real one does so on some definitions that
 * it stumbles over.)
 */
async function answered(transport: Transport, request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> {
  try {
    return await transport.send(request, signal);
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    return { status: 0, headers: {}, body: noBody() };
  }
}

async function* noBody(): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode('{"kind":"Status"}');
}

async function verdict(
  { status, headers, body }: ApiResponse,
  namespace: string,
  { sent, kind }: { readonly sent: JsonObject; readonly kind: GeneratedKind },
): Promise<object> {
  const normalizer = createNormalizer({ namespace });
  const text = await collectText(body);
  const { warning } = headers;
  const whole = withoutGeneratedName(sent, text);
  return {
    status,
    ...(warning !== undefined && { warnings: normalizer.text(warning) }),
    body: shortened(inOrder(normalizer.body(bare(JSON.parse(whole))) as JsonObject, kind.causesInAnyOrder === true)),
  };
}

/** A generated name also occurs in rejections and in labels. */
function withoutGeneratedName(sent: JsonObject, text: string): string {
  const base = (sent['metadata'] as { readonly generateName?: unknown } | null | undefined)?.generateName;
  if (typeof base !== 'string' || base === '') return text;
  const answer = JSON.parse(text) as {
    readonly metadata?: { readonly name?: string };
    readonly details?: { readonly name?: string };
  };
  const name = answer.metadata?.name ?? answer.details?.name ?? '';
  return name.length === base.length + 5 && name.startsWith(base) ? text.replaceAll(name, `${base}SUFFIX`) : text;
}

/**
 * The real server walks maps in any order. Causes that name the same map are sorted here, by field
 * and message.
 */
function inOrder(body: JsonObject, all: boolean): JsonObject {
  const details = body['details'] as { readonly causes?: readonly Cause[] } | undefined;
  const { causes = [] } = details ?? {};
  const mapOf = ({ field = '' }: Cause) =>
    (all ? 'all' : undefined) ??
    /^(data|binaryData)\[/.exec(field)?.[1] ??
    (/(labels|annotations|selector|matchLabels|deprecatedTopology)$/.test(field) ? field : undefined);
  const ordered = causes.toSorted((a, b) => {
    const map = mapOf(a);
    return map === undefined || map !== mapOf(b) ? 0 : key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
  });
  const isAnyOrder = causes.filter((cause) => mapOf(cause) !== undefined).length > 1;
  return isAnyOrder ? { ...body, message: '', details: { ...details, causes: ordered } } : body;
}

interface Cause {
  readonly field?: string;
  readonly message?: string;
}

const key = ({ field = '', message = '' }: Cause) => `${field} ${message}`;

/** A message that repeats its causes at length is replaced by its digest. */
function shortened(body: JsonObject): JsonObject {
  const { message } = body;
  const details = body['details'] as { readonly causes?: unknown } | undefined;
  const repeats = typeof message === 'string' && message.length > 100 && details?.causes !== undefined;
  return repeats ? { ...body, message: digest(message) } : body;
}

/** The answer without managed fields, and without the constant fields of a Status. */
function bare(answer: JsonObject): JsonObject {
  if (answer['kind'] === 'Status') {
    const { reason, message, details } = answer;
    return { reason, message, details };
  }
  const { managedFields: _, ...metadata } = answer['metadata'] as JsonObject;
  return { ...answer, metadata };
}

/** FNV-1a of the object's canonical JSON: identifies the object of a line. */
function digest(object: unknown): string {
  return fnv1a(new TextEncoder().encode(canonicalJson(object)))
    .toString(16)
    .padStart(8, '0');
}
