import type { RuntimePod } from '@isthmus/sandbox';
import { podScript, removePodScript } from '../layout.ts';
import { resolvConfOf } from '../names/resolv-conf.ts';
import { quoted } from './container-command.ts';
import type { ContainerPod } from './container-command.ts';

/** The network of a Pod, with its file of name servers. */
export interface PodNetwork {
  /** The name of its network; the name of its Node if it has no network of its own. */
  readonly name: string;
  /** The file that its containers see as `/etc/resolv.conf`. */
  readonly resolvConf: string;
  /** Lines of `sh` that make it; empty if there is nothing to make. */
  readonly make: readonly string[];
  /** Lines of `sh` that remove it. */
  readonly remove: readonly string[];
}

/**
 * The network that a Pod gets on its Node. `own` is the name of its network, if it has one of its
 * own.
 */
export function podNetworkOf(
  { metadata: { namespace = '' }, spec }: RuntimePod,
  { node, podIP }: Pick<ContainerPod, 'node' | 'podIP'>,
  own: string,
): PodNetwork {
  const ownsNetwork = spec?.hostNetwork !== true;
  const text = resolvConfOf(spec ?? {}, namespace);
  const resolvConf = text === undefined ? '/etc/resolv.conf' : `/run/resolv/${own}`;
  return {
    name: ownsNetwork ? own : node,
    resolvConf,
    make: [
      ...(ownsNetwork ? [podScript({ network: own, node, address: podIP })] : []),
      ...(text === undefined ? [] : [`printf %s ${quoted(text)} > ${resolvConf}`]),
    ],
    remove: [
      ...(ownsNetwork ? [removePodScript({ network: own, node })] : []),
      ...(text === undefined ? [] : [`rm -f ${resolvConf}`]),
    ],
  };
}
