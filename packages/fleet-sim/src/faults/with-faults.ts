import type { ApiRequest, Transport } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import { abortable } from './abortable.ts';
import type { FaultRule } from './fault.ts';
import { FaultRules } from './fault-rules.ts';
import { FreezableServer, dropBody } from './freezable-server.ts';
import { NetworkLink } from './network-link.ts';
import { forward, sufferFault } from './suffer-fault.ts';

/**
 * The fate of the n-th write: `pass` sends it; `die-before` ends the process before it is sent;
 * `die-after` ends the process after it was applied and before the answer arrives.
 */
export type WriteVerdict = 'pass' | 'die-before' | 'die-after';

/** A transport with faults that a caller adds and removes. */
export interface FaultyTransport extends Transport {
  /**
   * Adds a rule. If several match, the one added first applies. Returns the function that removes
   * it.
   */
  add(rule: FaultRule): () => void;
  /**
   * Cuts the link. `refuse`: requests fail at once, open streams break. `silence`: packets vanish.
   * Then requests wait and open streams are silent, and all continue when the link heals.
   */
  cut(how: 'refuse' | 'silence'): void;
  heal(): void;
  /**
   * Stops the server as SIGSTOP does: it receives requests but answers none, and open streams are
   * silent. When it thaws, it carries out all requests that it received, including writes whose
   * senders have given up.
   */
  freeze(): void;
  thaw(): void;
  /**
   * Called before each write (POST, PUT, PATCH, DELETE) with its number, from 1. After a verdict to
   * die, nothing leaves or arrives here any more: pending requests wait for their signal. The test
   * must abort the process.
   */
  onWrite(decide: (n: number, request: ApiRequest) => WriteVerdict): void;
  /** The number of writes so far. */
  readonly writes: number;
  /** Whether the process has died by a verdict. */
  readonly dead: boolean;
}

/** `inner` with faults. Without rules it is `inner`. */
export function withFaults(inner: Transport, clock: Clock): FaultyTransport {
  const rules = new FaultRules();
  const link = new NetworkLink();
  const server = new FreezableServer(inner);
  const way = { link, server, clock };
  let decideWrite: (n: number, request: ApiRequest) => WriteVerdict = () => 'pass';
  let writes = 0;
  return {
    async send(request, signal) {
      signal.throwIfAborted();
      await link.up(signal);
      const verdict = request.method === 'GET' ? 'pass' : decideWrite(++writes, request);
      if (verdict !== 'pass') link.die();
      if (verdict === 'die-after') await dropBody(await inner.send(request, signal));
      if (verdict !== 'pass') return abortable<never>(signal, () => () => {});
      const fault = rules.take(request);
      return fault === undefined ? forward(request, way, signal) : sufferFault(fault, request, way, signal);
    },
    close: () => inner.close(),
    add: (rule) => rules.add(rule),
    cut: (how) => link.cut(how),
    heal: () => link.heal(),
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    onWrite(decide) {
      decideWrite = decide;
    },
    get writes() {
      return writes;
    },
    get dead() {
      return link.dead;
    },
  };
}
