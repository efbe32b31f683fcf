import { noCredentials } from '@isthmus/kube';
import type { ApiResponse } from '@isthmus/kube';
import { errorMessage } from '@isthmus/machinery';
import type { Io } from '../../world/io.ts';
import { stepsOnTerminal } from '../../render/steps.ts';
import { isthmusVersion } from '../../version/version.ts';

/** The limits of a fetch: size, and time with redirects included. */
export interface FetchLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

const defaultLimits: FetchLimits = { maxBytes: 16 * 1024 * 1024, timeoutMs: 30_000 };
const mostRedirects = 5;

/**
 * The text (UTF-8) behind an http or https URL. Follows five redirects, none from https to http.
 * Sends no credentials. Errors name the URL and the obstacle: a status other than 200, too much
 * text, a timeout, no connection, or no UTF-8.
 */
export async function fetchText(
  io: Pick<Io, 'network' | 'clock' | 'stderr'>,
  url: string,
  limits = defaultLimits,
): Promise<string> {
  const timeout = new AbortController();
  const cancel = io.clock.after(limits.timeoutMs, () =>
    timeout.abort(new Error(`no answer within ${limits.timeoutMs / 1000} s`)),
  );
  try {
    return await stepsOnTerminal(io)(`fetch ${shown(url)}`, () => follow(io, url, limits, timeout.signal));
  } catch (error) {
    throw new Error(`cannot fetch ${shown(url)}: ${errorMessage(error)}`, {
      cause: error,
    });
  } finally {
    cancel();
  }
}

async function follow(
  io: Pick<Io, 'network'>,
  start: string,
  limits: FetchLimits,
  signal: AbortSignal,
): Promise<string> {
  let url = webUrl(start);
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const transport = io.network.dial({
      server: url.origin,
      credentials: noCredentials(),
      userAgent: `isthmus/${isthmusVersion}`,
    });
    try {
      const response = await transport.send({ method: 'GET', path: `${url.pathname}${url.search}` }, signal);
      const location = response.headers['location'];
      if (response.status < 300 || response.status > 399 || location === undefined)
        return await textOf(response, limits);
      const next = webUrl(location, url);
      if (url.protocol === 'https:' && next.protocol === 'http:')
        throw new Error(`it redirects to ${next.origin}, which does not use TLS`);
      url = next;
    } finally {
      transport.close();
    }
  }
  throw new Error(`more than ${mostRedirects} redirects`);
}

/** The name of a URL in messages: without a user and password. */
function shown(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/?#]*@/i, '$1…@').slice(0, 200);
}

function webUrl(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : undefined;
  if (url !== undefined && url.username + url.password !== '')
    throw new Error('URLs with a user name or password are not supported');
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw new Error(`${JSON.stringify(shown(text))} is not an http or https URL`);
}

async function textOf({ status, body }: ApiResponse, { maxBytes }: FetchLimits): Promise<string> {
  if (status !== 200) throw new Error(`the server answers with ${status}${adviceOn(status)}`);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Error(`larger than ${maxBytes} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function adviceOn(status: number): string {
  if (status === 401 || status === 403)
    return '; isthmus sends no credentials: download the file with another program, and pass its path';
  if (status === 404 || status === 410) return '; check the URL';
  return status === 429 || status >= 500 ? '; try again later' : '';
}
