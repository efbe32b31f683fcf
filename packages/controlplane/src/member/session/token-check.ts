import { ServiceAccount } from '@isthmus/api';
import type { Client, World } from '@isthmus/kube';
import { isForbidden, isNotFound } from '@isthmus/kube';
import type { ObjectRef } from '@isthmus/machinery';
import { equal, sleep } from '@isthmus/machinery';
import type { ControllerAccess } from '../../controller-access.ts';
import type { SessionSpec } from '../../own-cluster/session-spec.ts';
import type { TokenVerdict } from '../../own-cluster/session-state.ts';
import { readToken } from '../token/read-token.ts';
import { decideTokenBinding } from './token-binding.ts';

/**
 * The access of a member to its own ServiceAccount. An older Role, or a Role of Antrea, does not
 * grant it. Then nothing is reported.
 */
export const tokenCheckAccess: readonly ControllerAccess[] = [
  { at: 'leader', type: ServiceAccount, scope: 'own', verbs: ['get'], optional: true },
];

/** A user who reads the report annotates the ServiceAccount and looks again. */
const whileReportedMs = 30_000;
/** A denial withdraws a report when it repeats: an API server that has just started denies all. */
const believedAfterMs = 5_000;
/** Annotations and Roles rarely change. */
const usualMs = 600_000;

/** Whether an Antrea leader would accept the token of a session. */
export interface TokenCheck {
  /** Undefined until it is known. */
  readonly verdict: TokenVerdict | undefined;
  onChange(listener: () => void): () => void;
  /**
   * Looks at the ServiceAccount until `signal` aborts. Ends at once if the token does not belong to
   * a readable ServiceAccount.
   */
  run(signal: AbortSignal): Promise<void>;
}

export interface TokenCheckOptions {
  readonly client: Client;
  readonly spec: SessionSpec;
  readonly world: Pick<World, 'clock'>;
}

export function createTokenCheck({ client, spec, world: { clock } }: TokenCheckOptions): TokenCheck {
  const account = readToken(spec.token)?.account;
  const listeners = new Set<() => void>();
  let verdict: TokenVerdict | undefined = account?.namespace === spec.leaderNamespace ? undefined : 'absent';

  return {
    get verdict() {
      return verdict;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async run(signal) {
      if (account?.namespace !== spec.leaderNamespace) return;
      while (!signal.aborted) {
        let next = await look(account, signal);
        if (next === 'absent' && verdict !== undefined && verdict !== 'absent') {
          await sleep(clock, believedAfterMs, signal).catch(() => undefined);
          next = await look(account, signal);
        }
        if (signal.aborted) return;
        const changed = !equal(next, verdict);
        verdict = next;
        if (changed) listeners.forEach((listener) => listener());
        await sleep(clock, next === 'absent' ? usualMs : whileReportedMs, signal).catch(() => undefined);
      }
    },
  };

  async function look(ref: Required<ObjectRef>, signal: AbortSignal): Promise<TokenVerdict | undefined> {
    try {
      return decideTokenBinding(await client.get(ServiceAccount, ref, { signal }), spec);
    } catch (error) {
      // The heartbeat reports a leader that does not answer.
      return isForbidden(error) || isNotFound(error) ? 'absent' : verdict;
    }
  }
}
