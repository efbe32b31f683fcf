import type { Clock } from '@isthmus/machinery';
import { directMessageText, readDirectMessage } from './direct-message.ts';
import type { ProbeResult } from './probe.ts';
import type { ProbedGateway } from './targets.ts';

/** Sends and receives UDP datagrams on one port of the Node, in each family that it has. */
export interface DirectSocket {
  /** Rejects if the datagram cannot be sent. */
  send(text: string, to: DirectPeer): Promise<void>;
  /** Calls `listener` with each datagram. Returns the unsubscriber. */
  onMessage(listener: (text: string, from: DirectPeer) => void): () => void;
}

export interface DirectPeer {
  readonly address: string;
  readonly port: number;
}

export interface DirectProbes {
  /**
   * Asks the agent behind an address of another cluster. Only that cluster can answer. Never
   * rejects.
   */
  readonly probe: (target: ProbedGateway, timeoutMs: number) => Promise<ProbeResult>;
  /** From now on no question is answered. */
  end(): void;
}

export interface DirectProbesOptions {
  readonly socket: DirectSocket;
  readonly clock: Clock;
  /** 16 hexadecimal digits or more, which must be hard to guess. */
  readonly nonce: () => string;
  /**
   * The ID of the own cluster. Undefined while it is not in a ClusterSet; no question is answered
   * then.
   */
  readonly clusterID: () => string | undefined;
}

/**
 * Asks agents of other clusters, and answers theirs, over any network that joins the Nodes, outside
 * of all tunnels. Questions and answers use addresses of the Pod CIDRs of the Nodes. An answer
 * therefore shows that packets reach the Pod CIDR of a Node there, and come back to the Pod CIDR of
 * this Node.
 */
export function createDirectProbes({ socket, clock, nonce, clusterID }: DirectProbesOptions): DirectProbes {
  const waiting = new Map<string, { readonly clusterID: string | undefined; answered(): void }>();
  const unsubscribe = socket.onMessage((text, from) => {
    const message = readDirectMessage(text);
    if (message === undefined) return;
    if (message.kind === 'question') {
      const own = clusterID();
      // A cluster with the same addresses as the asked cluster does not answer.
      if (own !== undefined && message.clusterID === own)
        socket.send(directMessageText({ ...message, kind: 'answer' }), from).catch(() => {});
      return;
    }
    const asked = waiting.get(message.nonce);
    if (asked !== undefined && asked.clusterID === message.clusterID) asked.answered();
  });
  return {
    probe: (target, timeoutMs) =>
      new Promise((resolve) => {
        const id = nonce();
        const startedMs = clock.monotonic();
        const end = (result: ProbeResult) => {
          cancel();
          waiting.delete(id);
          resolve(result);
        };
        const cancel = clock.after(timeoutMs, () => end({ kind: 'missed' }));
        waiting.set(id, {
          clusterID: target.clusterID,
          answered: () => end({ kind: 'answered', roundTripMs: clock.monotonic() - startedMs }),
        });
        const question = directMessageText({ kind: 'question', nonce: id, clusterID: target.clusterID ?? '' });
        // An address without a route counts as an address that does not answer.
        socket.send(question, target).catch(() => {});
      }),
    end: unsubscribe,
  };
}
