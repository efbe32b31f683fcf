import type { Node, Pod } from '../kinds.ts';
import { parseCidr } from '@isthmus/machinery';
import type { PodRuntime } from './pod-runtime.ts';

/** A Node without a machine. */
export interface SimulatedNode {
  readonly name: string;
  /** IPv4, e.g. `10.244.1.0/24`; Pods get their addresses out of it. */
  readonly podCIDR: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Default: the first address of `podCIDR`. */
  readonly internalIP?: string | undefined;
}

export interface KubeletOptions {
  readonly nodes: readonly SimulatedNode[];
  /**
   * Whether the containers of a running Pod are ready. Default: unless
   * {@link SimulationAnnotation.ready} is `false`.
   */
  readonly isReady?: ((pod: Pod) => boolean) | undefined;
  /**
   * The time that containers take to end, at most the Pod's grace period. Default: the whole grace
   * period.
   */
  readonly terminationMs?: number | undefined;
  /** Runs the containers. Default: none run, and the status of Pods reports this. */
  readonly runtime?: PodRuntime | undefined;
}

/** Annotations by which any client controls the simulated machines. */
export const SimulationAnnotation = {
  /** On a Pod: `"false"` makes it not ready. */
  ready: 'sandbox.isthmus.dev/ready',
  /** On a Node: `"true"` stops its kubelet: no heartbeats, no Pods started or ended. */
  stopped: 'sandbox.isthmus.dev/kubelet-stopped',
} as const;

export function isStopped(node: Node | undefined): boolean {
  return node?.metadata.annotations?.[SimulationAnnotation.stopped] === 'true';
}

export function nodeIP(node: SimulatedNode): string {
  return node.internalIP ?? addressAt(node.podCIDR, 0) ?? '';
}

/**
 * The lowest free address of the Node's range; the first two are reserved for the Node itself.
 * Undefined if all are taken.
 */
export function freeAddress({ podCIDR }: SimulatedNode, taken: ReadonlySet<string>): string | undefined {
  for (let offset = 2; ; offset++) {
    const address = addressAt(podCIDR, offset);
    if (address === undefined || !taken.has(address)) return address;
  }
}

/**
 * The address that far from the start of an IPv4 range; undefined outside of it, and for the last
 * one.
 */
export function addressAt(cidr: string, offset: number): string | undefined {
  const [base = '', bits = ''] = cidr.split('/');
  if (parseCidr(cidr) === undefined || base.includes(':') || offset >= 2 ** (32 - Number(bits)) - 1) return undefined;
  const start = base.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const value = start + offset;
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}
