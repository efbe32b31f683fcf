import type { Transport } from '@isthmus/kube';
import { collectText } from '../contract/streams.ts';
import type { GeneratedKind, JsonObject } from './frame.ts';

/**
 * Creates the Namespace of a kind's objects and the prerequisites of the kind. Existing objects are
 * kept. Errors: any other answer of 400 and above.
 */
export async function prepare(
  transport: Transport,
  { needs = [] }: GeneratedKind,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  const post = async (path: string, object: JsonObject) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await transport.send({ method: 'POST', path, headers, body: JSON.stringify(object) }, signal);
    const text = await collectText(answer.body);
    // Two versions of a resource need the same definition.
    if (answer.status >= 400 && answer.status !== 409) throw new Error(`POST ${path}: ${answer.status} ${text}`);
  };
  await post('/api/v1/namespaces', { metadata: { name: namespace } });
  for (const { path, object } of needs) {
    await post(path, object);
    const established = `${path}/${(object['metadata'] as { readonly name: string }).name}`;
    for (let tries = 0; tries < 200; tries++) {
      const answer = await transport.send({ method: 'GET', path: established }, signal);
      const text = await collectText(answer.body);
      if (!path.endsWith('/customresourcedefinitions') || text.includes('"Established","status":"True"')) break;
    }
  }
}
