/** The destination of a probe: the kernel at the other end of a tunnel. */
export interface ProbeTarget {
  /** The tunnel device. */
  readonly device: string;
  /** The address inside of the tunnel: an IPv6 link-local address. */
  readonly address: string;
  readonly port: number;
  /**
   * The size of the packet inside of the tunnel. It is then not a connection to `port`, but a
   * datagram. Default: a connection, whose packets are small.
   */
  readonly bytes?: number | undefined;
}

export type ProbeResult =
  | { readonly kind: 'answered'; readonly roundTripMs: number }
  /** No answer arrived in time. */
  | { readonly kind: 'missed' }
  /** It could not be sent, so nothing is known about the other end. */
  | { readonly kind: 'impossible'; readonly why: string };

/** Sends one probe. Never rejects. */
export type Probe = (target: ProbeTarget, timeoutMs: number) => Promise<ProbeResult>;
