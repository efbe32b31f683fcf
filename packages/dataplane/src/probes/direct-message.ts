/**
 * A message that agents of different clusters send to each other outside of the tunnels: a question
 * to a cluster, or its answer.
 */
export interface DirectMessage {
  readonly kind: 'question' | 'answer';
  /**
   * Chosen by the asking agent, so that only an agent that has received the question can answer it.
   */
  readonly nonce: string;
  /** In a question, the cluster that is to answer; in an answer, the cluster that answers. */
  readonly clusterID: string;
}

const protocol = 'isthmus-direct-1';
const longest = 400;
const message = new RegExp(`^${protocol} ([?!]) ([0-9a-f]{16,64}) ([a-z0-9.-]{1,253})$`);

/**
 * An answer is as long as the question, so a question with a forged source does not amplify
 * traffic.
 */
export function directMessageText({ kind, nonce, clusterID }: DirectMessage): string {
  return `${protocol} ${kind === 'question' ? '?' : '!'} ${nonce} ${clusterID}`;
}

/** Parses a datagram, which may come from any sender. Undefined: it is not a message of agents. */
export function readDirectMessage(text: string): DirectMessage | undefined {
  if (text.length > longest) return undefined;
  const [, sign, nonce, clusterID] = message.exec(text) ?? [];
  if (nonce === undefined || clusterID === undefined) return undefined;
  return { kind: sign === '?' ? 'question' : 'answer', nonce, clusterID };
}
