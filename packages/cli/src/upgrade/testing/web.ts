import type { ApiResponse } from '@isthmus/kube';
import type { Network } from '../../world/io.ts';

/**
 * Servers that have these pages, by URL: a text is answered with 200, in chunks of three bytes. A
 * silent one never answers.
 */
export function web(
  pages: Readonly<Record<string, string | ApiResponse>>,
  { silent = false }: { readonly silent?: boolean } = {},
): Pick<Network, 'dial'> {
  return {
    dial: ({ server }) => ({
      async send({ path }, signal) {
        if (silent) {
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
        }
        const page = pages[`${server}${path}`];
        if (page === undefined) return { status: 404, headers: {}, body: chunks('') };
        return typeof page === 'string' ? { status: 200, headers: {}, body: chunks(page) } : page;
      },
      close() {},
    }),
  };
}

async function* chunks(text: string): AsyncIterable<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += 3) yield bytes.subarray(at, at + 3);
}
