import type { Transport } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import type { FaultRule } from '../faults/fault.ts';
import type { FaultyTransport, WriteVerdict } from '../faults/with-faults.ts';
import { withFaults } from '../faults/with-faults.ts';

/** A controller and an API server that it connects to. */
export interface Way {
  /** `<cluster>-leader` or `<cluster>-member`. */
  readonly controller: string;
  readonly server: string;
}

/**
 * The faults on the way from a controller to an API server. They continue after restarts of the
 * controller and in new sessions.
 */
export interface Link {
  cut(how: 'refuse' | 'silence'): void;
  heal(): void;
  /**
   * Adds a fault rule to every connection, present and future. Returns the function that removes
   * it.
   */
  add(rule: FaultRule): () => void;
}

/**
 * A write before it is sent. Its number counts the writes of all controllers to all servers, from
 * 1.
 */
export interface FleetWrite extends Way {
  readonly n: number;
  readonly method: string;
  readonly path: string;
}

export interface Links {
  link(controller: string, server: string): Link;
  /** The transport of a new connection on a way. */
  attach(way: Way, transport: Transport): FaultyTransport;
}

export interface LinksOptions {
  readonly clock: Clock;
  readonly onWrite?: ((write: FleetWrite) => WriteVerdict) | undefined;
  /** Called when the controller of a way has died at a write. */
  readonly died: (way: Way) => void;
}

export function createLinks({ clock, onWrite, died }: LinksOptions): Links {
  const states = new Map<string, LinkState>();
  let n = 0;
  const stateOf = (way: Way): LinkState => {
    const key = `${way.controller} ${way.server}`;
    const state = states.get(key) ?? { transports: new Set(), rules: new Map(), cut: undefined };
    states.set(key, state);
    return state;
  };
  return {
    link(controller, server) {
      const state = stateOf({ controller, server });
      return {
        cut(how) {
          state.cut = how;
          for (const transport of state.transports) transport.cut(how);
        },
        heal() {
          state.cut = undefined;
          for (const transport of state.transports) transport.heal();
        },
        add(rule) {
          const removals = new Set([...state.transports].map((transport) => transport.add(rule)));
          state.rules.set(rule, removals);
          return () => {
            state.rules.delete(rule);
            removals.forEach((remove) => remove());
          };
        },
      };
    },
    attach(way, inner) {
      const state = stateOf(way);
      const transport = withFaults(inner, clock);
      state.transports.add(transport);
      if (state.cut !== undefined) transport.cut(state.cut);
      for (const [rule, removals] of state.rules) removals.add(transport.add(rule));
      if (onWrite !== undefined) {
        transport.onWrite((_, request) => {
          n += 1;
          const verdict = onWrite({ ...way, n, method: request.method, path: request.path });
          if (verdict !== 'pass') clock.after(0, () => died(way));
          return verdict;
        });
      }
      const close = () => {
        state.transports.delete(transport);
        inner.close();
      };
      return {
        ...transport,
        get writes() {
          return transport.writes;
        },
        get dead() {
          return transport.dead;
        },
        close,
      };
    },
  };
}

interface LinkState {
  readonly transports: Set<FaultyTransport>;
  /** Rules with the functions that remove each from the transports that it was added to. */
  readonly rules: Map<FaultRule, Set<() => void>>;
  cut: 'refuse' | 'silence' | undefined;
}
