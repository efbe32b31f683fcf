import { adminTransport, startApiServer } from '@isthmus/testkit';

/** An answer of the API server, read completely: JSON, or text if the body is not JSON. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A real API server, asked as its administrator. */
export interface RealServer extends AsyncDisposable {
  send(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<Answer>;
}

export async function startRealServer(name: string): Promise<RealServer> {
  const server = await startApiServer({ name });
  const transport = adminTransport(server, 'isthmus-envtest');
  return {
    async send(method, path, body) {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = { 'content-type': 'application/json', accept: 'application/json' };
      const response = await transport.send({ method, path, headers, body: text }, AbortSignal.timeout(30_000));
      const chunks = await Array.fromAsync(response.body);
      const answer = Buffer.concat(chunks).toString('utf8');
      return { status: response.status, body: answer.startsWith('{') ? JSON.parse(answer) : answer };
    },
    async [Symbol.asyncDispose]() {
      transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
