import { Annotation, FixedName, RoleBinding, Secret, SecretKey } from '@isthmus/api';
import type { Client, World } from '@isthmus/kube';
import { isConflict, isForbidden, orNotFound, requestToken, limitedAbort } from '@isthmus/kube';
import { errorMessage, rfc3339, sleep } from '@isthmus/machinery';
import type { ControllerAccess } from '../../controller-access.ts';
import type { SessionSpec } from '../../own-cluster/session-spec.ts';
import type { TokenProblem } from '../../own-cluster/session-state.ts';
import type { RenewalStep } from './decide.ts';
import { decideRenewal, renewableToken, tokenSeconds } from './decide.ts';

/** The access to renew the token. The leader grants its part to one account each, by name. */
export const renewalAccess: readonly ControllerAccess[] = [
  {
    at: 'local',
    type: Secret,
    scope: 'own',
    verbs: ['patch'],
    resourceNames: [FixedName.leaderTokenSecret],
    optional: true,
  },
];

/** Failures in a row until the problem is reported: a restart of the leader passes sooner. */
const failuresUntilReported = 3;
const firstRetryMs = 10_000;
const slowestRetryMs = 300_000;
/** The timers of a machine that was suspended are late, so the clock is read again. */
const lookAgainMs = 3_600_000;
/** How long a step may take, which has up to three calls. */
const stepTimeoutMs = 30_000;

/** Keeps the token of a session valid. */
export interface TokenRenewal {
  /** Why the token will expire; undefined while it is renewed in time, or does not expire. */
  readonly problem: TokenProblem | undefined;
  onChange(listener: () => void): () => void;
  /** Looks at the Secret now, because it has changed. */
  wake(): void;
  /** Renews the token until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export interface TokenRenewalOptions {
  /** A client for the own API server. */
  readonly local: Client;
  readonly leader: Client;
  readonly spec: SessionSpec;
  /** The token that the session uses now. */
  readonly token: () => string;
  readonly decodeBase64: (text: string) => string;
  /** Called with the error of each step that fails, and with undefined after one that does not. */
  readonly onStep?: ((error: unknown) => void) | undefined;
  readonly world: World;
}

/** The memory of a renewal. If the process dies, it asks for one more token. */
interface RenewalMemory {
  /** The share of the spread, until the next renewal. */
  share: number | undefined;
  failures: number;
  /** A token that could not be stored yet, and the one that it replaces. */
  unstored: { readonly replaces: string; readonly token: string } | undefined;
  problem: TokenProblem | undefined;
}

/**
 * Keeps the token of a session valid: asks for the next one when two thirds of its life are over,
 * stores it, and then ends the token of the join file. Until the next token is stored, the present
 * one is used; both are valid.
 */
export function createTokenRenewal(options: TokenRenewalOptions): TokenRenewal {
  const { world } = options;
  const listeners = new Set<() => void>();
  const memory: RenewalMemory = { share: undefined, failures: 0, unstored: undefined, problem: undefined };
  let woken = new AbortController();
  const report = (problem: TokenProblem | undefined) => {
    const isNew = JSON.stringify(problem) !== JSON.stringify(memory.problem);
    memory.problem = problem;
    if (isNew) for (const listener of listeners) listener();
  };

  return {
    get problem() {
      return memory.problem;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    wake: () => woken.abort(),
    async run(signal) {
      while (!signal.aborted) {
        woken = new AbortController();
        const pause = await look(signal);
        if (signal.aborted) return;
        const ends = AbortSignal.any([signal, woken.signal]);
        await sleep(world.clock, pause, ends).catch(() => undefined);
      }
    },
  };

  /** Takes the next step. Returns how long to wait, unless the Secret changes first. */
  async function look(signal: AbortSignal): Promise<number> {
    const facts = renewableToken(options.token());
    if (facts === undefined) {
      report(undefined);
      return lookAgainMs;
    }
    try {
      const pause = await within(signal, (limited) => act(options, memory, limited));
      memory.failures = 0;
      report(undefined);
      options.onStep?.(undefined);
      return pause;
    } catch (error) {
      // The stored token of a join file begins another run, before the answer arrives.
      if (signal.aborted) return 0;
      const why = errorMessage(error);
      options.onStep?.(error);
      world.log.warn('the token for the leader could not be renewed', { leader: options.spec.leaderClusterID, why });
      memory.failures++;
      if (memory.failures >= failuresUntilReported) report({ expires: rfc3339(facts.life.untilS * 1_000), why });
      return Math.min(firstRetryMs * 2 ** (memory.failures - 1), slowestRetryMs);
    }
  }

  async function within<T>(signal: AbortSignal, call: (limited: AbortSignal) => Promise<T>): Promise<T> {
    using limit = limitedAbort(signal, world.clock, stepTimeoutMs, 'no answer in time');
    return await call(limit.signal);
  }
}

async function act(options: TokenRenewalOptions, memory: RenewalMemory, signal: AbortSignal): Promise<number> {
  const { local, spec, world, decodeBase64 } = options;
  const secret = await local.get(Secret, secretRef(spec), { signal });
  memory.share ??= world.random.next();
  const step = decideRenewal({ secret, nowMs: world.clock.now(), share: memory.share, decodeBase64 });
  switch (step.kind) {
    case 'none':
      return lookAgainMs;
    case 'wait':
      return Math.min(step.ms, lookAgainMs);
    case 'renew':
      await store(options, secret, { step, token: await nextToken(options, memory, { step, signal }) }, signal);
      memory.unstored = undefined;
      memory.share = undefined;
      world.log.info('renewed the token for the leader', { leader: spec.leaderClusterID });
      // The cache reports the stored token.
      return firstRetryMs;
    case 'release':
      // The session may still use the token that this ends.
      if (options.token() !== step.token) return firstRetryMs;
      await release(options, secret, { step, signal });
      return 0;
  }
}

type Renew = RenewalStep & { readonly kind: 'renew' };
type Release = RenewalStep & { readonly kind: 'release' };

/** The next token: the one that could not be stored last time, if it still replaces the present. */
async function nextToken(
  { leader, token }: TokenRenewalOptions,
  memory: RenewalMemory,
  { step, signal }: { readonly step: Renew; readonly signal: AbortSignal },
): Promise<string> {
  const replaces = `${step.given} ${token()}`;
  if (memory.unstored?.replaces === replaces) return memory.unstored.token;
  const wish = { expirationSeconds: tokenSeconds, boundTo: { name: step.account.name } };
  const next = await requestToken(leader, step.account, wish, { signal });
  if (renewableToken(next) === undefined)
    throw new Error(`the leader issued a token of ServiceAccount ${step.account.name} that does not expire as asked`);
  memory.unstored = { replaces, token: next };
  return next;
}

async function store(
  { local, spec, world }: TokenRenewalOptions,
  { metadata }: Secret,
  { step, token }: { readonly step: Renew; readonly token: string },
  signal: AbortSignal,
): Promise<void> {
  const { joinedWith } = step;
  const body = {
    metadata: {
      resourceVersion: metadata.resourceVersion,
      annotations: {
        [Annotation.tokenReceived]: rfc3339(world.clock.now()),
        ...(joinedWith !== undefined && { [Annotation.joinedWith]: joinedWith }),
      },
    },
    data: { [SecretKey.renewedToken]: btoa(token), [SecretKey.renewedFrom]: btoa(step.given) },
  };
  try {
    await local.patch(Secret, secretRef(spec), { type: 'merge', body }, { signal });
  } catch (error) {
    const { namespace, secret } = spec;
    const cure = `Add the name ${secret} to the rule for patch secrets in Role antrea-mc-controller-role of Namespace ${namespace} (docs/reference/rbac.md), or apply deploy/member.yaml again if it is older than this release`;
    const why = `cannot store the token in this cluster: ${errorMessage(error)}${isForbidden(error) ? `. ${cure}` : ''}`;
    throw new Error(why, { cause: error });
  }
}

/**
 * The token of the join file ends with its Secret, and until the API server notices that, it is of
 * no use without its binding. A newer file may have another Secret of that name.
 */
async function release(
  { leader, local, spec }: TokenRenewalOptions,
  { metadata }: Secret,
  { step, signal }: { readonly step: Release; readonly signal: AbortSignal },
): Promise<void> {
  try {
    await orNotFound(leader.delete(Secret, step.join, { preconditions: { uid: step.uid }, signal }));
    await orNotFound(leader.delete(RoleBinding, step.join, { signal }));
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
  const annotations = { [Annotation.joinedWith]: null };
  const body = { metadata: { resourceVersion: metadata.resourceVersion, annotations } };
  await local.patch(Secret, secretRef(spec), { type: 'merge', body }, { signal });
}

function secretRef({ namespace, secret }: SessionSpec) {
  return { namespace, name: secret };
}
