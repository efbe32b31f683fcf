import type { ApiRequest, ApiResponse, Transport } from '@isthmus/kube';
import { collectText, splitLines } from './streams.ts';
import type { Exchange, Transcript } from './exchange.ts';
import type { Normalizer } from './ignored.ts';
import { createNormalizer } from './ignored.ts';

/** The requests of a case to a server. Every answer is noted, except those of `quietly`. */
export interface CaseApi {
  /** A Namespace of the case alone. */
  readonly namespace: string;
  get(path: string, options?: RequestOptions): Promise<Answer>;
  post(path: string, body: unknown, options?: RequestOptions): Promise<Answer>;
  put(path: string, body: unknown, options?: RequestOptions): Promise<Answer>;
  delete(path: string, options?: RequestOptions & { readonly body?: unknown }): Promise<Answer>;
  /** `type`: the word before `-patch+json` or `-patch+yaml`. */
  patch(path: string, type: PatchType, body: unknown, options?: RequestOptions): Promise<Answer>;
  /** Any request. */
  request(request: ApiRequest): Promise<Answer>;
  /** The same, with this bearer token. */
  withToken(token: string): Pick<CaseApi, 'get' | 'post' | 'put' | 'delete' | 'patch' | 'request'>;
  /** Opens a watch; its events are noted when it is closed. */
  watch(path: string, options?: RequestOptions): Promise<Watch>;
  /**
   * Prepares the state before the case begins, without noting it. Errors: an answer of 400 and
   * above.
   */
  readonly quietly: Pick<CaseApi, 'get' | 'post' | 'put' | 'delete' | 'patch' | 'eventually'>;
  /**
   * Sends a request without noting it, for a case that notes a part of the answer. A rejection is
   * an answer too.
   */
  readonly unnoted: Pick<CaseApi, 'get' | 'post' | 'put' | 'delete' | 'patch'>;
  /**
   * Waits until a condition holds, without noting anything: for state that the real server sees a
   * moment later. Errors: after 20 s.
   */
  settled(isSo: () => Promise<boolean>): Promise<void>;
  /** Reads until `isThere`, then notes that answer. Errors: after 20 s. */
  eventually(path: string, isThere: (body: Json) => boolean, options?: RequestOptions): Promise<Answer>;
  /**
   * Notes a value that the case derives from answers, under a line that describes it. For answers
   * that contain more than the case is about.
   */
  note(line: string, value: unknown): void;
  /** Lets time pass, for delayed effects on the real server that no answer shows. */
  pass(ms: number): Promise<void>;
  /**
   * A webhook that the server can reach until the case ends. Errors: if the run has no webhooks.
   */
  webhook(respond: WebhookRespond): Promise<WebhookPlace>;
}

/**
 * The webhook's answer to the JSON that is posted to it; a text body is sent unchanged. `never`: it
 * keeps the connection open and never answers.
 */
export type WebhookRespond = (review: Json) => WebhookAnswer | 'never';

export interface WebhookAnswer {
  readonly status: number;
  readonly body: Json;
  /** Default: JSON. */
  readonly contentType?: string | undefined;
}

export interface WebhookPlace {
  readonly url: string;
  /** The authority of its certificate. */
  readonly caPem: string;
}

export type PatchType = 'json' | 'merge' | 'strategic-merge' | 'apply';

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** JSON of which a case reads any part; absent parts are undefined. */
// oxlint-disable-next-line typescript/no-explicit-any -- answers of any server, in tests
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

export interface Watch {
  /** Waits for so many events in all. Errors: after 20 s, or when the watch ends before. */
  until(count: number): Promise<void>;
  /** Waits for the server to end the watch. Errors: after 20 s. */
  ended(): Promise<void>;
  /** The events so far. */
  events(): Promise<readonly Json[]>;
  /** Closes the watch and notes its events. */
  close(): Promise<readonly Json[]>;
}

/** Time for cases: real, or virtual, which then moves by being waited for. */
export interface CaseTime {
  /** Resolves after that time. */
  pass(ms: number): Promise<void>;
  /** Lets time go by until the work is done. */
  during<T>(work: Promise<T>): Promise<T>;
}

export interface CaseApiOptions {
  readonly transport: Transport;
  /** The way in for the holder of a bearer token. */
  withToken(token: string): Transport;
  readonly namespace: string;
  /** Opens a webhook until the signal. Absent: cases that need one fail. */
  openWebhook?: ((respond: WebhookRespond, signal: AbortSignal) => Promise<WebhookPlace>) | undefined;
  readonly time: CaseTime;
  readonly signal: AbortSignal;
}

const patienceMs = 20_000;
const stepMs = 50;

export function createCaseApi(options: CaseApiOptions): { readonly api: CaseApi; readonly transcript: Transcript } {
  const normalizer = createNormalizer(options);
  const transcript: Exchange[] = [];
  const send = (request: ApiRequest, signal = options.signal) => options.transport.send(request, signal);
  const ask = async (request: ApiRequest, transport = options.transport): Promise<Answer> => {
    const answer = transport.send(request, options.signal).then(async ({ status, headers, body }) => ({
      status,
      headers,
      body: parsed(await collectText(body)),
    }));
    return options.time.during(answer);
  };
  const asking = (note: (request: ApiRequest, answer: Answer) => void, transport = options.transport) => {
    const request = async (one: ApiRequest): Promise<Answer> => {
      const answer = await ask(one, transport);
      note(one, answer);
      return answer;
    };
    return {
      request,
      get: (path: string, more?: RequestOptions) => request({ method: 'GET', path, ...more }),
      post: (path: string, body: unknown, more?: RequestOptions) => request(withBody('POST', path, body, more)),
      put: (path: string, body: unknown, more?: RequestOptions) => request(withBody('PUT', path, body, more)),
      delete: (path: string, { body, ...more }: RequestOptions & { readonly body?: unknown } = {}) =>
        request(body === undefined ? { method: 'DELETE', path, ...more } : withBody('DELETE', path, body, more)),
      patch: (path: string, type: PatchType, body: unknown, more: RequestOptions = {}) =>
        request(
          withBody('PATCH', path, body, { ...more, headers: { 'content-type': patchTypes[type], ...more.headers } }),
        ),
    };
  };
  const note = (request: ApiRequest, answer: Answer) => void transcript.push(exchangeOf(normalizer, request, answer));
  const until = async (path: string, isThere: (body: Json) => boolean, more: RequestOptions = {}): Promise<Answer> => {
    const request: ApiRequest = { method: 'GET', path, ...more };
    let last: Answer | undefined;
    for (let waited = 0; waited <= patienceMs; waited += stepMs) {
      last = await ask(request);
      if (last.status < 400 && isThere(last.body)) {
        return last;
      }
      await options.time.pass(stepMs);
    }
    throw new Error(`GET ${path}: not so within ${patienceMs} ms; the last answer: ${JSON.stringify(last)}`);
  };
  const api: CaseApi = {
    ...asking(note),
    namespace: options.namespace,
    note(line, value) {
      const plain = JSON.parse(JSON.stringify(value ?? null)) as unknown;
      transcript.push({ request: normalizer.text(line), status: 0, contentType: '', body: normalizer.body(plain) });
    },
    pass: (ms) => options.time.pass(ms),
    async webhook(respond) {
      if (options.openWebhook === undefined) throw new Error('this run has no webhooks');
      return options.openWebhook(respond, options.signal);
    },
    withToken: (token) => asking(note, options.withToken(token)),
    quietly: {
      ...asking((request, { status, body }) => {
        if (status >= 400) throw new Error(`${request.method} ${request.path}: ${status} ${JSON.stringify(body)}`);
      }),
      eventually: until,
    },
    unnoted: asking(() => {}),
    async settled(isSo) {
      for (let waited = 0; !(await isSo()); waited += stepMs) {
        if (waited > patienceMs) throw new Error(`not so within ${patienceMs} ms: ${isSo.toString()}`);
        await options.time.pass(stepMs);
      }
    },
    async eventually(path, isThere, more = {}) {
      const last = await until(path, isThere, more);
      note({ method: 'GET', path, ...more }, last);
      return last;
    },
    async watch(path, more = {}) {
      const request: ApiRequest = { method: 'GET', path, ...more, query: { ...more.query, watch: 'true' } };
      const end = new AbortController();
      const response = await options.time.during(send(request, AbortSignal.any([options.signal, end.signal])));
      return openWatch({ request, response, time: options.time, stop: () => end.abort(new Error('closed')) }, note);
    },
  };
  return { api, transcript };
}

interface OpenWatch {
  readonly request: ApiRequest;
  readonly response: ApiResponse;
  readonly time: CaseTime;
  readonly stop: () => void;
}

function openWatch(
  { request, response, time, stop }: OpenWatch,
  note: (request: ApiRequest, answer: Answer) => void,
): Watch {
  const events: Json[] = [];
  let over = false;
  const read = (async () => {
    try {
      for await (const line of splitLines(response.body)) {
        const event = parsed(line);
        if (!isTimed(request, event)) events.push(event);
      }
    } catch {
      // Closed by the case.
    }
    over = true;
  })();
  const wait = async (what: string, isSo: () => boolean) => {
    for (let waited = 0; !isSo(); waited += stepMs) {
      if (waited > patienceMs) throw new Error(`watch ${request.path}: not ${what}; events: ${JSON.stringify(events)}`);
      await time.pass(stepMs);
    }
  };
  return {
    until: (count) => wait(`${count} events`, () => events.length >= count),
    ended: () => wait('ended by the server', () => over),
    events: async () => events,
    async close() {
      stop();
      await read;
      const { status, headers } = response;
      note(request, { status, headers, body: events });
      return events;
    },
  };
}

/**
 * A bookmark that a server sends by time: in a watch that begins with the objects that exist, any
 * but the one at their end.
 */
function isTimed({ query }: ApiRequest, { type, object }: Json): boolean {
  if (type !== 'BOOKMARK' || query?.['sendInitialEvents'] !== 'true') return false;
  return object?.metadata?.annotations?.['k8s.io/initial-events-end'] === undefined;
}

function exchangeOf(normalizer: Normalizer, { method, path, query }: ApiRequest, answer: Answer): Exchange {
  const search = new URLSearchParams({ ...query });
  if (search.has('continue')) search.set('continue', 'CONTINUE');
  if (/^[1-9]/.test(search.get('resourceVersion') ?? '')) search.set('resourceVersion', 'VERSION');
  const asked = search.size === 0 ? '' : `?${decodeURIComponent(search.toString())}`;
  const { warning, 'content-type': contentType = '' } = answer.headers;
  return {
    request: normalizer.text(`${method} ${path}${asked}`),
    status: answer.status,
    contentType,
    ...(warning !== undefined && { warnings: warning.split(/, (?=\d{3} )/).map((one) => normalizer.text(one)) }),
    body: typeof answer.body === 'string' ? normalizer.text(answer.body) : normalizer.body(answer.body),
  };
}

function withBody(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body: unknown,
  more: RequestOptions = {},
): ApiRequest {
  return {
    method,
    path,
    query: more.query,
    headers: { 'content-type': 'application/json', ...more.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

const patchTypes: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  'strategic-merge': 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
