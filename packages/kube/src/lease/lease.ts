import { Lease, Pod } from '@isthmus/api';
import type { Clock, Random } from '@isthmus/machinery';
import { jittered, sleep } from '@isthmus/machinery';
import type { Client } from '../client/client.ts';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { noMetrics } from '../metrics/metrics.ts';
import { limitedAbort, linkedAbort } from '../waiting/abort.ts';
import type { LinkedAbort } from '../waiting/abort.ts';
import { errorText } from '../log/error-text.ts';
import type { LeaseAttempt, LeaseCandidate } from './lease-candidate.ts';
import { createLeaseCandidate } from './lease-candidate.ts';
import type { LeaseTimes } from './lease-decision.ts';
import { defaultLeaseTimes } from './lease-decision.ts';
import type { Access } from '../controller/access.ts';

export interface LeaseOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly name: string;
  /**
   * Names this process and no other one, past ones of this host included: two processes of one
   * identity would both lead. One of {@link podIdentity} lets the next container of its Pod take
   * over at once.
   */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  /** Default {@link defaultLeaseTimes}; the same in all candidates. */
  readonly times?: LeaseTimes | undefined;
  /** Ends the candidacy. */
  readonly signal: AbortSignal;
  /**
   * The work that only one process may do. Its signal aborts when the process is to stop or the
   * Lease is lost; it must then end within the lease duration less the renew deadline.
   */
  readonly lead: (signal: AbortSignal) => Promise<void>;
}

/** How a candidacy ended: stopped from outside, `lead` ended by itself, or another may lead now. */
export type LeaseEnd =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'finished' }
  | { readonly kind: 'lost'; readonly why: string };

/** The access that a candidate needs to its Lease. */
export function leaseAccess(name: string): readonly Access<'local'>[] {
  const scope = { at: 'local', type: Lease, scope: 'own' } as const;
  return [
    { ...scope, verbs: ['create'] },
    { ...scope, verbs: ['get', 'update'], resourceNames: [name] },
    // Whether the holder's Pod has ended; without it the Lease is waited out.
    { at: 'local', type: Pod, scope: 'own', verbs: ['get'], optional: true },
  ];
}

/**
 * Waits for a Lease, leads while holding it, and returns when it is over. Compatible with
 * client-go's leader election: its candidates and these may contend for one Lease.
 *
 * Expected flow: takes the Lease when it is free, when its holder has ended for certain
 * ({@link hasHolderEnded}), or has shown no sign of life for the lease duration since it was last
 * seen to change, by the local monotonic clock; runs `lead`; renews every retry period; when `lead`
 * has ended gives the Lease back. Goes on renewing while `lead` winds down.
 *
 * Guarantees: the signal of `lead` aborts, at the latest, the renew deadline after the last
 * successful renewal was *sent*, whether requests fail, hang or lose their answers. Another
 * process, as long as this one lives, can start no earlier than the lease duration after that. So
 * no two lead at once where `lead` obeys its signal within the difference (5 s by default) and no
 * clock runs faster than another by more than that. A machine that was suspended learns of its loss
 * only when it goes on: requests that were under way then may still be sent.
 *
 * Errors: rejects with what `lead` throws while it leads; rejects when the Lease was lost and
 * `lead` did not end in time: the process must exit then.
 */
export async function runWithLease(options: LeaseOptions): Promise<LeaseEnd> {
  const { name, signal, metrics = noMetrics } = options;
  const log = options.log.with({ lease: `${options.namespace}/${name}`, identity: options.identity });
  const times = options.times ?? defaultLeaseTimes;
  const candidate = createLeaseCandidate({ ...options, times });
  const context: Context = { ...options, log, times, candidate };
  const sentAtMs = await acquire(context);
  if (sentAtMs === undefined) return { kind: 'stopped' };
  log.info('leading');
  metrics.leading.set({ lease: name }, 1);
  try {
    using work = linkedAbort(signal);
    return await leadWhileHeld(context, work, sentAtMs);
  } finally {
    metrics.leading.set({ lease: name }, 0);
    log.info('no longer leading');
  }
}

interface Context extends LeaseOptions {
  readonly times: LeaseTimes;
  readonly candidate: LeaseCandidate;
}

/**
 * Candidates look this much more often than a holder renews. So a Lease that is given back, or
 * whose holder has ended, is taken within 2.2 s by default.
 */
const CANDIDATE_RATE = 2;
/**
 * client-go waits up to this much longer between the attempts of those who do not lead, so that
 * they spread.
 */
const CANDIDATE_JITTER = 1.2;

/** When the write that took the Lease was sent; undefined when the signal aborted first. */
async function acquire(context: Context): Promise<number | undefined> {
  const { clock, random, times, log, signal } = context;
  let shown = '';
  const show = (text: string, write: () => void) => {
    if (shown !== text) write();
    shown = text;
  };
  while (!signal.aborted) {
    try {
      const attempt = await attemptWithin(context, context.times.renewDeadlineMs / 2, signal);
      if (attempt.kind === 'held') return attempt.sentAtMs;
      if (attempt.kind === 'other')
        show(attempt.holder, () => log.info('another process holds the Lease; waiting', { holder: attempt.holder }));
    } catch (error) {
      if (signal.aborted) {
        // The write may have been applied all the same.
        await release(context);
        break;
      }
      const why = errorText(error);
      show(why, () => log.warn('the Lease cannot be read or written; trying again', { why }));
    }
    const waitMs = jittered(random, times.retryPeriodMs / CANDIDATE_RATE, CANDIDATE_JITTER);
    await sleep(clock, waitMs, signal).catch(() => {});
  }
  return undefined;
}

function attemptWithin({ clock, candidate }: Context, ms: number, signal: AbortSignal): Promise<LeaseAttempt> {
  return within(clock, ms, signal, (limited) => candidate.tryHold(limited));
}

async function within<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  call: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  using limit = limitedAbort(signal, clock, ms, `no answer within ${ms} ms`);
  return await call(limit.signal);
}

async function leadWhileHeld(context: Context, work: LinkedAbort, sentAtMs: number): Promise<LeaseEnd> {
  const { log, signal, lead } = context;
  using renewal = linkedAbort(new AbortController().signal);
  const lost = keepRenewing(context, renewal, sentAtMs).then((why) => {
    if (why !== undefined) work.abort(new Error(`the Lease is lost: ${why}`));
    return why;
  });
  const led = ledToItsEnd(lead, work.signal);
  const first = await Promise.race([led, lost]);
  if (typeof first === 'string') return await afterLoss(context, led, first);

  renewal.abort(new Error('the work has ended'));
  await lost;
  await release(context);
  const ended = await led;
  if (ended.kind === 'threw' && !signal.aborted) throw ended.error;
  if (ended.kind === 'threw') log.debug('the work was stopped', { why: errorText(ended.error) });
  return { kind: signal.aborted ? 'stopped' : 'finished' };
}

type Led = { readonly kind: 'ended' } | { readonly kind: 'threw'; readonly error: unknown };

async function ledToItsEnd(lead: LeaseOptions['lead'], signal: AbortSignal): Promise<Led> {
  try {
    await lead(signal);
    return { kind: 'ended' };
  } catch (error) {
    return { kind: 'threw', error };
  }
}

/**
 * Renews until `renewal` aborts, then resolves with undefined; or with the reason why the Lease
 * can't be relied on any more.
 */
async function keepRenewing(context: Context, renewal: LinkedAbort, sentAtMs: number): Promise<string | undefined> {
  const { clock, times, log } = context;
  let why: string | undefined;
  let heldAtMs = sentAtMs;
  let lastFailure = 'no answer came';
  const overdue = (): void => {
    why = `not renewed for ${times.renewDeadlineMs} ms: ${lastFailure}`;
    renewal.abort(new Error(why));
  };
  const remainingMs = () => heldAtMs + times.renewDeadlineMs - clock.monotonic();
  let cancel = clock.after(remainingMs(), overdue);
  let isSlow = false;
  let waitMs = times.renewPeriodMs;
  while (!renewal.signal.aborted) {
    await sleep(clock, waitMs, renewal.signal).catch(() => {});
    if (renewal.signal.aborted) break;
    // After one answer that does not come, there is time for a second attempt.
    waitMs = times.retryPeriodMs / 4;
    try {
      const attempt = await attemptWithin(context, times.renewDeadlineMs * (isSlow ? 0.5 : 0.35), renewal.signal);
      // The deadline passed while the answer was on its way: what was promised to the others
      // counts.
      if (renewal.signal.aborted) break;
      if (attempt.kind === 'held') {
        heldAtMs = attempt.sentAtMs;
        isSlow = clock.monotonic() - heldAtMs > times.retryPeriodMs / CANDIDATE_RATE;
        // A slow API server is asked earlier, and waited for longer.
        waitMs = isSlow ? times.retryPeriodMs : times.renewPeriodMs;
        cancel();
        cancel = clock.after(remainingMs(), overdue);
      } else if (attempt.kind === 'other') {
        why = `${attempt.holder} has taken it`;
        break;
      } else {
        lastFailure = 'other processes write it at the same time';
      }
    } catch (error) {
      if (renewal.signal.aborted) break;
      lastFailure = errorText(error);
      log.warn('the Lease could not be renewed; trying again', { why: lastFailure, forMs: Math.round(remainingMs()) });
    }
  }
  cancel();
  return why;
}

async function afterLoss(context: Context, led: Promise<Led>, why: string): Promise<LeaseEnd> {
  const { clock, times, log } = context;
  const slackMs = times.durationMs - times.renewDeadlineMs;
  log.warn('lost leadership; stopping', { why });
  const late = Promise.withResolvers<'late'>();
  const cancel = clock.after(slackMs, () => late.resolve('late'));
  const first = await Promise.race([led, late.promise]);
  cancel();
  if (first !== 'late') return { kind: 'lost', why };
  throw new Error(
    `the Lease ${context.namespace}/${context.name} is lost (${why}) and the work did not end within ${slackMs} ms: exit`,
  );
}

async function release(context: Context): Promise<void> {
  const { clock, times, candidate, log } = context;
  try {
    const unstoppable = new AbortController().signal;
    await within(clock, times.retryPeriodMs, unstoppable, (limited) => candidate.release(limited));
    log.debug('the Lease is released');
  } catch (error) {
    const why = errorText(error);
    log.warn('the Lease could not be released; other processes wait until it expires', {
      why,
      forMs: times.durationMs,
    });
  }
}
