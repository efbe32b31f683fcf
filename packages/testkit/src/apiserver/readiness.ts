/** One of the modules that may touch the world: it polls servers (timers). */
import { setTimeout as delay } from 'node:timers/promises';
import { sendHttps } from './https.ts';
import type { HttpsTarget } from './https.ts';

/** Resolves when kube-apiserver answers `/readyz` with 200. Errors: those of `poll`. */
export function untilServerReady(target: HttpsTarget, signal: AbortSignal): Promise<void> {
  return poll(`${target.url}/readyz`, signal, async (attempt) => {
    const answer = await sendHttps(target, { path: '/readyz' }, attempt);
    if (answer.status === 200) return undefined;
    const failing = answer.text.split('\n').filter((line) => line.startsWith('[-]'));
    return `${answer.status}, failing: ${failing.join('; ')}`;
  });
}

/**
 * Resolves when a registry answers, even if it requires authentication. Errors: those of `poll`.
 */
export function untilRegistryReady(target: HttpsTarget, signal: AbortSignal): Promise<void> {
  return poll(`${target.url}/v2/`, signal, async (attempt) => {
    const { status } = await sendHttps(target, { path: '/v2/' }, attempt);
    return status === 200 || status === 401 ? undefined : String(status);
  });
}

/**
 * Resolves when the ServiceAccount controller has worked once: Namespace `default` has its
 * ServiceAccount.
 */
export function untilControllersWork(target: HttpsTarget, signal: AbortSignal): Promise<void> {
  const path = '/api/v1/namespaces/default/serviceaccounts/default';
  return poll(`${target.url}${path}`, signal, async (attempt) => {
    const answer = await sendHttps(target, { path }, attempt);
    return answer.status === 200 ? undefined : String(answer.status);
  });
}

/**
 * Calls `ask` every 50 ms until it returns undefined; an attempt that throws, or takes over 5 s,
 * counts as failed. Errors: when `signal` aborts, an error with the last answer, whose cause is the
 * signal's reason.
 */
async function poll(
  what: string,
  signal: AbortSignal,
  ask: (attempt: AbortSignal) => Promise<string | undefined>,
): Promise<void> {
  let last = 'nothing';
  while (!signal.aborted) {
    try {
      const answer = await ask(AbortSignal.any([signal, AbortSignal.timeout(5000)]));
      if (answer === undefined) return;
      last = answer;
    } catch (error) {
      if (!signal.aborted) last = String(error);
    }
    await delay(50, undefined, { signal }).catch(() => {});
  }
  throw new Error(`waiting for ${what}: ${String(signal.reason)}. The last answer was: ${last}`, {
    cause: signal.reason,
  });
}
