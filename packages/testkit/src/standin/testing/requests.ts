import type { ApiRequest, Transport } from '@isthmus/kube';

export function get(path: string, query?: Readonly<Record<string, string>>): ApiRequest {
  return { method: 'GET', path, ...(query !== undefined && { query }) };
}

export function post(path: string, body: unknown): ApiRequest {
  return { method: 'POST', path, headers: { 'content-type': 'application/json' }, body: text(body) };
}

export function put(path: string, body: unknown): ApiRequest {
  return { method: 'PUT', path, headers: { 'content-type': 'application/json' }, body: text(body) };
}

export function patch(path: string, body: unknown, type = 'application/merge-patch+json'): ApiRequest {
  return { method: 'PATCH', path, headers: { 'content-type': type }, body: text(body) };
}

export function del(path: string, body?: unknown): ApiRequest {
  return {
    method: 'DELETE',
    path,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: text(body) }),
  };
}

function text(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** The code and the decoded body of an answer; text that is no JSON as it is. */
export async function ask(
  transport: Transport,
  request: ApiRequest,
): Promise<{ readonly code: number; readonly body: unknown }> {
  const response = await transport.send(request, new AbortController().signal);
  const body = await textOf(response.body);
  try {
    return { code: response.status, body: JSON.parse(body) };
  } catch {
    return { code: response.status, body };
  }
}

export async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let all = '';
  for await (const chunk of body) all += decoder.decode(chunk, { stream: true });
  return all + decoder.decode();
}
