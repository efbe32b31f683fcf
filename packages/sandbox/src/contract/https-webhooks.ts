/**
 * One of the modules that may use the network: it listens on loopback (node:https).
 */
import { once } from 'node:events';
import { createServer } from 'node:https';
import { issueClusterCredentials } from '@isthmus/testkit';
import type { CaseApiOptions } from './case-api.ts';
import { collectText } from './streams.ts';

/** Webhooks that a real API server can reach on loopback. One certificate serves them all. */
export async function httpsWebhooks(): Promise<NonNullable<CaseApiOptions['openWebhook']>> {
  const { caData, serving } = await issueClusterCredentials('webhooks');
  return async (respond, signal) => {
    const server = createServer({ cert: serving.certData, key: serving.keyData }, (request, response) => {
      collectText(request).then(
        (text) => {
          const answer = respond(JSON.parse(text));
          if (answer === 'never') return;
          const { status, body, contentType = 'application/json' } = answer;
          response.writeHead(status, { 'content-type': contentType });
          response.end(typeof body === 'string' ? body : JSON.stringify(body));
        },
        // The server hung up: its own request ended, or the case did.
        () => response.destroy(),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    signal.addEventListener('abort', () => {
      server.close();
      server.closeAllConnections();
    });
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return { url: `https://127.0.0.1:${port}/convert`, caPem: caData };
  };
}
