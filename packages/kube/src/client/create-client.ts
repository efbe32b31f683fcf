import { parseStatus, refOfObject, resourceNameOf } from '@isthmus/machinery';
import type { Clock, KubernetesObject, ObjectRef, ResourceType } from '@isthmus/machinery';
import type { ApiRequest, Transport } from '../transport/transport.ts';
import { BodyTooLarge } from './body.ts';
import type { Call } from './call.ts';
import type { Client, ListOptions, ListSink, ObjectList, WriteOptions } from './client.ts';
import { decodeJson, decodeObject, decodePage } from './decode.ts';
import type { Page } from './decode.ts';
import { ConnectionError, isExpired } from './errors.ts';
import { createExchange } from './exchange.ts';
import type { Exchange, Exchanged } from './exchange.ts';
import * as requests from './requests.ts';
import { watchStream } from './watch-stream.ts';

/** Bounds on what a server may make the client hold, in bytes of one answer. */
export interface ClientLimits {
  readonly objectBytes: number;
  /**
   * The most bytes of one page of a list with more than one object. For a larger page, fewer
   * objects are requested.
   */
  readonly pageBytes: number;
  /**
   * The most bytes of all pages of a list together, unless they are taken page by page. A single
   * answer may have at most 256 MiB, including the answer to a raw request.
   */
  readonly listBytes: number;
  /** The most bytes of one line of a watch. */
  readonly lineBytes: number;
  /** The most bytes of the body of an error answer. */
  readonly errorBytes: number;
}

export interface ClientOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /**
   * How long one request may take, its repetitions included; each page of a list has as much.
   * Default 10 s.
   */
  readonly timeoutMs?: number | undefined;
  /** How messages name the API server. Default `the API server`. */
  readonly server?: string | undefined;
  /**
   * Default 8 MiB per object, 16 MiB per page, 1 GiB per list, 16 MiB per line of a watch, 1 MiB
   * per refusal.
   */
  readonly limits?: Partial<ClientLimits> | undefined;
  /** Called after each HTTP exchange, for metrics. Must not throw. */
  readonly onExchange?: ((exchanged: Exchanged) => void) | undefined;
}

/**
 * Typed access to one API server over a transport.
 *
 * Guarantees: nothing waits longer than `timeoutMs` (a watch: than its `idleMs` for the next byte),
 * measured by `clock`; no answer is held beyond the limits; what comes back has well-formed
 * metadata. Only what {@link decideRetry} names is sent twice.
 */
export function createClient(options: ClientOptions): Client {
  const { transport, clock, timeoutMs = 10_000, server = 'the API server', onExchange } = options;
  const limits: ClientLimits = { ...defaultLimits, ...options.limits };
  const exchange = createExchange({ transport, clock, timeoutMs, server, errorBytes: limits.errorBytes, onExchange });

  const readObject = <T extends KubernetesObject>(call: Call, type: ResourceType<T>, sent: Sent): Promise<T> =>
    exchange.read(call, sent.request, {
      limitBytes: limits.objectBytes,
      signal: sent.signal,
      decode: (text) => decodeObject(type, decodeJson(text), sent.anyKind),
    });

  return {
    async get(type, ref, { signal } = {}) {
      return readObject(callOf('get', type, ref), type, { request: requests.getRequest(type, ref), signal });
    },
    async list(type, listOptions = {}) {
      return listAll(exchange, type, { options: listOptions, limits });
    },
    watch(type, watchOptions) {
      const call = callOf('watch', type, { namespace: watchOptions.namespace });
      return watchStream(exchange, call, {
        type,
        options: watchOptions,
        limits: { clock, timeoutMs, lineBytes: limits.lineBytes },
      });
    },
    async create(type, object, writeOptions = {}) {
      const request = requests.createRequest(type, object, writeOptions);
      return readObject(callOf('create', type, refOfObject(object)), type, { request, signal: writeOptions.signal });
    },
    async update(type, object, writeOptions = {}) {
      const request = requests.updateRequest(type, object, writeOptions);
      const call = callOf('update', type, refOfObject(object), writeOptions.subresource);
      return readObject(call, type, { request, ...answerOf(writeOptions) });
    },
    async patch(type, ref, patch, writeOptions = {}) {
      const request = requests.patchRequest(type, ref, patch, writeOptions);
      const call = callOf('patch', type, ref, writeOptions.subresource);
      return readObject(call, type, { request, ...answerOf(writeOptions) });
    },
    async delete(type, ref, deleteOptions = {}) {
      return exchange.read(callOf('delete', type, ref), requests.deleteRequest(type, ref, deleteOptions), {
        limitBytes: limits.objectBytes,
        signal: deleteOptions.signal,
        decode: (text) => remainderOf(type, decodeJson(text)),
      });
    },
    async request(request, { signal } = {}) {
      return exchange.read({ verb: request.method.toLowerCase(), resource: request.path }, request, {
        limitBytes: Math.min(limits.listBytes, largestAnswer),
        signal,
        decode: (text, status) => ({ status, text }),
      });
    },
    close: () => transport.close(),
  };
}

interface Sent {
  readonly request: ApiRequest;
  readonly signal: AbortSignal | undefined;
  readonly anyKind?: boolean | undefined;
}

/** The answer to a write of `scale` is of the kind Scale. */
function answerOf(options: WriteOptions): Pick<Sent, 'signal' | 'anyKind'> {
  return { signal: options.signal, anyKind: options.subresource === 'scale' };
}

function callOf(verb: string, type: ResourceType, ref: Partial<ObjectRef>, subresource?: string): Call {
  const resource = resourceNameOf(type);
  return { verb, ref, resource: subresource === undefined ? resource : `${resource}/${subresource}` };
}

/**
 * The object that a delete left behind. Servers answer with a Status, or with the object, deleted
 * or still being deleted. Only a deletionTimestamp shows that it still exists.
 */
function remainderOf<T extends KubernetesObject>(type: ResourceType<T>, answer: unknown): T | undefined {
  if (parseStatus(answer) !== undefined) return undefined;
  const object = decodeObject(type, answer);
  return object.metadata.deletionTimestamp === undefined ? undefined : object;
}

interface Listing<T> {
  readonly options: ListOptions & { readonly into?: ListSink<T> | undefined };
  readonly limits: Pick<ClientLimits, 'pageBytes' | 'listBytes'>;
}

/**
 * Follows `continue` to the end. A page that is too large, or that does not arrive in time although
 * its answer has begun, is asked for again with fewer objects, down to one: large objects make a
 * list slower, they do not make it fail. Where the server has compacted the snapshot in between, it
 * starts over once and asks for everything at once, which cannot expire on the way (KEP-365).
 */
async function listAll<T extends KubernetesObject>(
  exchange: Exchange,
  type: ResourceType<T>,
  { options, limits }: Listing<T>,
): Promise<ObjectList<T>> {
  const call = callOf('list', type, { namespace: options.namespace });
  const { pageBytes } = limits;
  const items: T[] = [];
  const { into = sinkOf(items) } = options;
  const listBytes = into.isLimited ? Number.POSITIVE_INFINITY : limits.listBytes;
  const most = options.limit ?? defaultPageSize;
  let limit: number | undefined = most;
  let page: Page<T> | undefined;
  let remainingBytes = listBytes;
  for (let pages = 1; page === undefined || page.continueToken !== undefined; pages++) {
    if (pages > maxPages) throw new ConnectionError(call, 'protocol', `the list has not ended after ${maxPages} pages`);
    const request = requests.listRequest(type, { ...options, limit, continueToken: page?.continueToken });
    const answerBytes = limit !== undefined && limit > 1 ? pageBytes : largestAnswer;
    let isOpen = false;
    let pageLength = 0;
    try {
      page = await exchange.read(call, request, {
        limitBytes: Math.min(answerBytes, remainingBytes),
        signal: options.signal,
        onOpen: () => void (isOpen = true),
        decode(text) {
          pageLength = text.length;
          remainingBytes -= pageLength;
          return decodePage(type, decodeJson(text));
        },
      });
    } catch (error) {
      if (limit !== undefined && limit > 1 && isOpen && isTooMuch(error)) {
        limit = Math.ceil(limit / smallerBy);
        continue;
      }
      if (!isExpired(error) || page === undefined || limit === undefined) throw error;
      limit = undefined;
      page = undefined;
      into.clear();
      remainingBytes = listBytes;
      continue;
    }
    for (const item of page.items) into.add(item);
    if (limit !== undefined && pageLength * 2 <= pageBytes) limit = Math.min(most, limit * 2);
  }
  return { resourceVersion: page.resourceVersion, items };
}

function sinkOf<T>(items: T[]): ListSink<T> {
  return { isLimited: false, add: (item) => void items.push(item), clear: () => void (items.length = 0) };
}

/** Below the longest text that there can be. */
const largestAnswer = 256 * 2 ** 20;

/** The body was larger than its limit, or did not arrive in time. */
function isTooMuch(error: unknown): boolean {
  return error instanceof ConnectionError && (error.kind === 'timeout' || error.cause instanceof BodyTooLarge);
}

const defaultPageSize = 500;
const smallerBy = 8;
const maxPages = 10_000;

const defaultLimits: ClientLimits = {
  objectBytes: 8 * 2 ** 20,
  pageBytes: 16 * 2 ** 20,
  listBytes: 2 ** 30,
  lineBytes: 16 * 2 ** 20,
  errorBytes: 2 ** 20,
};
