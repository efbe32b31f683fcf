/** Where a probe is sent: to the kernel at the other end of a tunnel. */
export interface ProbeTarget {
  /** The tunnel device. */
  readonly device: string;
  /** The address inside of the tunnel, of IPv6 and of the link. */
  readonly address: string;
  readonly port: number;
}

export type ProbeResult =
  | { readonly kind: 'answered'; readonly roundTripMs: number }
  /** Nothing came back in time. */
  | { readonly kind: 'missed' }
  /** It could not be sent, which says nothing about the other end. */
  | { readonly kind: 'impossible'; readonly why: string };

/** Sends one probe. Never rejects. */
export type Probe = (target: ProbeTarget, timeoutMs: number) => Promise<ProbeResult>;
