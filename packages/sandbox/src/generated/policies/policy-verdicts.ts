import type { Client, Transport } from '@isthmus/kube';
import { canonicalJson } from '@isthmus/machinery';
import { collectText } from '../../contract/streams.ts';
import { buildPolicyWorld } from './policy-world.ts';
import { generatedRequests, requestsOfRules, sentAs } from './policy-requests.ts';
import type { PolicyRequest } from './policy-requests.ts';

export interface PolicyVerdict {
  readonly status: number;
  /** The warnings of all policies that reject the request, sorted. */
  readonly denied: readonly string[];
}

/** The verdict on a request. Rejections by others than policies are compared elsewhere. */
async function verdictOn(transport: Transport, request: PolicyRequest): Promise<PolicyVerdict> {
  const { status, headers, body } = await transport.send(sentAs(request), new AbortController().signal);
  const { message = '' } = JSON.parse(await collectText(body)) as { readonly message?: string };
  const isDenied = message.includes(' denied request: ');
  const { warning = '' } = headers;
  // Over HTTP, each character of a header is a byte.
  const text = /[^\0-\xff]/.test(warning) ? warning : Buffer.from(warning, 'latin1').toString();
  return { status, denied: isDenied ? text.split(/, (?=299 - )/).toSorted() : [] };
}

/**
 * One line for each request: those of rules, then the generated ones. Waits until the policies are
 * in force, which on a real server takes a moment.
 */
export async function policyVerdicts(
  { transport, admin }: { readonly transport: Transport; readonly admin: Client },
  wait: (isSo: () => Promise<boolean>) => Promise<void>,
): Promise<{ readonly policies: readonly string[]; readonly lines: readonly string[] }> {
  const policies = await buildPolicyWorld(admin);
  for (const { refused } of Object.values(requestsOfRules))
    await wait(async () => (await verdictOn(transport, refused)).denied.length > 0);
  const ofRules = Object.values(requestsOfRules).flatMap(({ accepted, refused }) => [accepted, refused]);
  const lines: string[] = [];
  for (const request of [...ofRules, ...generatedRequests]) {
    const { as, method, path, body } = request;
    const sent = canonicalJson({ as, method, path, body }).slice(0, 1000);
    lines.push(canonicalJson({ sent, ...(await verdictOn(transport, request)) }));
  }
  return { policies, lines };
}
