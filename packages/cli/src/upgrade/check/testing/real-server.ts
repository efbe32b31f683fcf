import { adminTransport, startApiServer } from '@isthmus/testkit';

/** An answer of an API server, read whole. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A real API server, asked as its administrator. */
export interface RealServer extends AsyncDisposable {
  send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<Answer>;
}

export async function startRealServer(name: string): Promise<RealServer> {
  const server = await startApiServer({ name });
  const transport = adminTransport(server, 'isthmus-envtest');
  return {
    async send(method, path, body) {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = { 'content-type': 'application/json', accept: 'application/json' };
      const response = await transport.send({ method, path, headers, body: text }, AbortSignal.timeout(30_000));
      const answer = Buffer.concat(await Array.fromAsync(response.body)).toString('utf8');
      return { status: response.status, body: answer.startsWith('{') ? JSON.parse(answer) : { message: answer } };
    },
    async [Symbol.asyncDispose]() {
      transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
