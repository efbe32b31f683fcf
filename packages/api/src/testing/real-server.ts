import { adminTransport, startApiServer } from '@isthmus/testkit';

/** An answer of the API server, read whole. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** The texts of its Warning headers. */
  readonly warnings: readonly string[];
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
      const warnings = [...(response.headers['warning'] ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)];
      return {
        status: response.status,
        body: answer.startsWith('{') ? JSON.parse(answer) : answer,
        warnings: warnings.map((match) => match[1] ?? ''),
      };
    },
    async [Symbol.asyncDispose]() {
      transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
