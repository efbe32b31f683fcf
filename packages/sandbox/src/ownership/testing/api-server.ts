import { adminTransport, startApiServer } from '@isthmus/testkit';

/** An answer of the API server: its code, and its body as JSON, or as text if it is not JSON. */
export interface Answer {
  readonly code: number;
  readonly body: unknown;
}

/** A real API server, with requests of its administrator. */
export interface PatchedServer extends AsyncDisposable {
  send(method: string, path: string, body?: unknown, contentType?: string): Promise<Answer>;
}

export async function startPatchedServer(name: string): Promise<PatchedServer> {
  const server = await startApiServer({ name });
  const transport = adminTransport(server, 'isthmus-envtest');
  return {
    async send(method, path, body, contentType = 'application/json') {
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      const headers = { 'content-type': contentType, accept: 'application/json' };
      const request = { method: method as 'GET', path, headers, body: text };
      const response = await transport.send(request, AbortSignal.timeout(60_000));
      const answer = Buffer.concat(await Array.fromAsync(response.body)).toString('utf8');
      return { code: response.status, body: answer.startsWith('{') ? JSON.parse(answer) : answer };
    },
    async [Symbol.asyncDispose]() {
      transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
