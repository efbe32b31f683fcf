import { adminTransport, startApiServer } from '@isthmus/testkit';

/** An answer of an API server, read whole. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A real API server, asked as its administrator. */
export interface RealServer extends AsyncDisposable {
  send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<Answer>;
  /** Server-side apply by a manager, without force. */
  apply(path: string, manager: string, body: unknown): Promise<Answer>;
}

export async function startRealServer(name: string): Promise<RealServer> {
  const server = await startApiServer({ name });
  const transport = adminTransport(server, 'isthmus-envtest');
  const ask = async (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH',
    path: string,
    type: string,
    body: unknown,
  ): Promise<Answer> => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = { 'content-type': type, accept: 'application/json' };
    const response = await transport.send({ method, path, headers, body: text }, AbortSignal.timeout(30_000));
    const answer = Buffer.concat(await Array.fromAsync(response.body)).toString('utf8');
    return { status: response.status, body: answer.startsWith('{') ? JSON.parse(answer) : { message: answer } };
  };
  return {
    send: (method, path, body) => ask(method, path, 'application/json', body),
    apply: (path, manager, body) =>
      ask('PATCH', `${path}?fieldManager=${manager}`, 'application/apply-patch+yaml', body),
    async [Symbol.asyncDispose]() {
      transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
