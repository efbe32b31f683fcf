import { noCredentials } from '@isthmus/kube';
import type { ApiResponse } from '@isthmus/kube';
import type { SandboxOptions } from '@isthmus/sandbox';
import type { Io } from '../world/io.ts';

/**
 * The longest timeout of any webhook. The API server itself waits as long as the configuration of
 * the webhook allows.
 */
const timeoutMs = 30_000;
const maxAnswerBytes = 16 * 1024 * 1024;

/**
 * How the API servers of a fleet call webhooks: by HTTPS, with the certificate authority of the
 * configuration. Only those with a `url` can be reached: nothing runs behind a Service. Errors: why
 * there was no answer.
 */
export function callWebhooks({
  network,
  clock,
}: Pick<Io, 'network' | 'clock'>): NonNullable<SandboxOptions['callWebhook']> {
  return async ({ url, caBundle }, body) => {
    const { origin, hostname, pathname, searchParams } = new URL(url);
    if (hostname.endsWith('.svc')) throw new Error(`dial ${hostname}: Services of a sandbox have no running backends`);
    const transport = network.dial({
      server: origin,
      caPem: caBundle === undefined ? undefined : Buffer.from(caBundle, 'base64').toString('utf8'),
      credentials: noCredentials(),
      userAgent: 'kube-apiserver-admission',
    });
    const late = new AbortController();
    const cancel = clock.after(timeoutMs, () => late.abort(new Error(`no answer within ${timeoutMs} ms`)));
    try {
      const headers = { 'content-type': 'application/json', accept: 'application/json' };
      const query = Object.fromEntries(searchParams);
      const response = await transport.send({ method: 'POST', path: pathname, query, headers, body }, late.signal);
      return { status: response.status, body: await textOf(response) };
    } catch (error) {
      const refused = /connect ECONNREFUSED (\S+)$/.exec(error instanceof Error ? error.message : '');
      if (refused === null) throw error;
      // In the words of Go, which the API server hands on.
      throw new Error(`dial tcp ${refused[1]}: connect: connection refused`, { cause: error });
    } finally {
      cancel();
      transport.close();
    }
  };
}

async function textOf({ body }: ApiResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new Error(`the answer has more than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
