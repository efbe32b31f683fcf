/** A TLS proxy in front of an API server that notes what kinds of requests its clients send. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority } from '@isthmus/sandbox';
import type { Reached } from './reached.ts';
import { requestKindOf } from './request-kind.ts';
import type { RequestKind } from './request-kind.ts';

export interface RecordingProxy extends AsyncDisposable {
  /** How clients reach the proxy. */
  readonly reached: Reached;
  /** The kinds that were asked for since the last call. */
  taken(): readonly RequestKind[];
}

/**
 * Starts a proxy that passes everything on as the administrator of `server`, answers and streams
 * included.
 */
export async function startRecordingProxy(server: Reached): Promise<RecordingProxy> {
  const authority = await createAuthority('isthmus-recording-proxy');
  const serving = await authority.issueServing('proxy', ['127.0.0.1']);
  const admin = await authority.issueClient({ user: 'kubernetes-admin', groups: ['system:masters'] });
  const agent = new Agent({ keepAlive: true, ca: server.caData, cert: server.certData, key: server.keyData });
  let kinds: RequestKind[] = [];
  const pass = (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request;
    kinds.push(requestKindOf(method, url, headers));
    const passed = httpsRequest(new URL(url, server.url), { agent, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      // A watch may be silent for long: its headers must not wait for its first line.
      response.flushHeaders();
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  };
  const listening = createServer(
    { cert: serving.certData, key: serving.keyData, ca: authority.caData, requestCert: true },
    pass,
  );
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  return {
    reached: { url: `https://127.0.0.1:${port}`, caData: authority.caData, ...admin },
    taken() {
      const taken = kinds;
      kinds = [];
      return taken;
    },
    async [Symbol.asyncDispose]() {
      listening.closeAllConnections();
      agent.destroy();
      await new Promise((resolve) => listening.close(resolve));
    },
  };
}
