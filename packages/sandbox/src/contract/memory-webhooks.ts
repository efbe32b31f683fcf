import type { WebhookTransport } from '../webhook/webhook-call.ts';
import type { CaseApiOptions, WebhookRespond } from './case-api.ts';

/**
 * Webhooks without a network: the function that opens them, and the one by which a sandbox calls
 * them.
 */
export interface MemoryWebhooks {
  readonly openWebhook: NonNullable<CaseApiOptions['openWebhook']>;
  readonly call: WebhookTransport;
}

export function memoryWebhooks(): MemoryWebhooks {
  const open = new Map<string, WebhookRespond>();
  return {
    async openWebhook(respond, signal) {
      const url = `https://127.0.0.1:${40_000 + open.size}/convert`;
      open.set(url, respond);
      signal.addEventListener('abort', () => open.delete(url));
      return { url, caPem: '' };
    },
    async call({ url }, body) {
      const respond = open.get(url);
      if (respond === undefined) {
        const { host } = new URL(url);
        throw new Error(`dial tcp ${host}: connect: connection refused`);
      }
      const answer = respond(JSON.parse(body));
      if (answer === 'never') return new Promise(() => {});
      return {
        status: answer.status,
        contentType: answer.contentType ?? 'application/json',
        body: typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body),
      };
    },
  };
}
