import type { RealApiServer } from './api-server.ts';
import { sendHttps } from './https.ts';
import type { HttpsAnswer, HttpsRequest } from './https.ts';

/**
 * Sends a request as the cluster's administrator and returns the answer, whatever its status; fails
 * after a minute.
 */
export function asAdmin(server: RealApiServer, request: HttpsRequest): Promise<HttpsAnswer> {
  return sendHttps(
    { url: server.url, caData: server.caData, client: server.admin },
    request,
    AbortSignal.timeout(60_000),
  );
}

/**
 * Creates an object in the collection `path` and returns it. Errors: any status except 201, with
 * the server's answer.
 */
export async function create<T>(server: RealApiServer, path: string, body: T): Promise<T> {
  const answer = await asAdmin(server, { method: 'POST', path, body });
  if (answer.status !== 201) throw new Error(`POST ${path} on ${server.name}: ${answer.status} ${answer.text}`);
  return JSON.parse(answer.text) as T;
}

/** Reads `path`. Errors: any status except 200, with the server's answer. */
export async function read<T>(server: RealApiServer, path: string): Promise<T> {
  const answer = await asAdmin(server, { path });
  if (answer.status !== 200) throw new Error(`GET ${path} on ${server.name}: ${answer.status} ${answer.text}`);
  return JSON.parse(answer.text) as T;
}
