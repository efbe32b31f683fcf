/** What agents of different clusters send to each other past the tunnels: a question to a cluster, and its answer. */
export interface DirectMessage {
  readonly kind: 'question' | 'answer';
  /** Chosen by who asks, so that nobody can answer what they have not received. */
  readonly nonce: string;
  /** Of a question, the cluster that is to answer; of an answer, the one that does. */
  readonly clusterID: string;
}

const protocol = 'isthmus-direct-1';
const longest = 400;
const message = new RegExp(`^${protocol} ([?!]) ([0-9a-f]{16,64}) ([a-z0-9.-]{1,253})$`);

/** An answer is as long as the question, so nobody gains anything by asking in the name of others. */
export function directMessageText({ kind, nonce, clusterID }: DirectMessage): string {
  return `${protocol} ${kind === 'question' ? '?' : '!'} ${nonce} ${clusterID}`;
}

/** Reads a datagram, which anybody may have sent. Undefined: it is something else. */
export function readDirectMessage(text: string): DirectMessage | undefined {
  if (text.length > longest) return undefined;
  const [, sign, nonce, clusterID] = message.exec(text) ?? [];
  if (nonce === undefined || clusterID === undefined) return undefined;
  return { kind: sign === '?' ? 'question' : 'answer', nonce, clusterID };
}
