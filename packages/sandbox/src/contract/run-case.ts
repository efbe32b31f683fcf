import type { Transport } from '@isthmus/kube';
import { errorMessage } from '@isthmus/machinery';
import { createCaseApi } from './case-api.ts';
import type { CaseApiOptions, CaseTime } from './case-api.ts';
import type { ContractCase } from './contract-case.ts';
import type { Transcript } from './exchange.ts';

/** A server under test. */
export interface CaseServer {
  /** The transport of a member of `system:masters`. */
  readonly transport: Transport;
  /** The way in for the holder of a bearer token. */
  withToken(token: string): Transport;
  readonly time: CaseTime;
  readonly openWebhook?: CaseApiOptions['openWebhook'];
}

/**
 * Runs a case in a Namespace of its own, and returns the server's answers. Errors: those of the
 * case, with its title.
 */
export async function runCase(server: CaseServer, contractCase: ContractCase, namespace: string): Promise<Transcript> {
  const end = new AbortController();
  const { api, transcript } = createCaseApi({ ...server, namespace, signal: end.signal });
  try {
    await api.quietly.post('/api/v1/namespaces', { metadata: { name: namespace } });
    await contractCase.run(api);
    await api.quietly.delete(`/api/v1/namespaces/${namespace}`);
  } catch (error) {
    const told = transcript.map(({ request, status }) => `${status} ${request}`).join('\n');
    throw new Error(`${contractCase.title}: ${errorMessage(error)}\n${told}`, {
      cause: error,
    });
  } finally {
    end.abort(new Error('the case is over'));
  }
  return transcript;
}

/** A name that no other case of the run has: `case-<area>-<number>`. */
export function namespaceOf(area: string, index: number): string {
  return `case-${area}-${index}`;
}
