import type { Address } from '@isthmus/machinery';
import { addressText } from '@isthmus/machinery';
import type { BaseChainName, BaseHook, ChainName, Hook } from '../network/chains.ts';
import { baseChains } from '../network/chains.ts';
import type { Network } from '../network/network.ts';
import type { Rule } from '../network/nft-rule.ts';
import { ruleText } from '../network/render-rule.ts';
import type { Choose, Translation } from './nft-rule.ts';
import { ruleEffect } from './nft-rule.ts';
import type { Packet } from './packet.ts';
import { endText } from './packet.ts';
import type { Seen } from './seen.ts';

/** The outcome of a packet in the chains of a hook. */
export interface Judged {
  readonly packet: Packet;
  readonly verdict: 'accept' | 'drop' | 'reject';
  readonly isTracked: boolean;
  /** One sentence for each action on the packet. */
  readonly notes: readonly string[];
  /** The rules that matched, in their order. */
  readonly matched: readonly ChainRule[];
}

interface ChainRule {
  readonly chain: ChainName;
  readonly rule: Rule;
}

interface HookSeen extends Omit<Seen, 'state'> {
  readonly isNew: boolean;
  readonly isTracked: boolean;
  /**
   * Whether the kernel cannot assign it to a connection, for example an answer to an unknown one.
   * The kernel does not translate such a packet. Default: false.
   */
  readonly isInvalid?: boolean | undefined;
  /** The address that the Node gives to packets whose source it replaces. */
  readonly ownAddress?: Address | undefined;
}

/** The kernel looks up connections at this priority; it does not translate untracked packets. */
const tracking = -200;

/**
 * Passes a packet through the chains of a hook, in their order. Chains of type nat see only the
 * first packet of a connection. As in the kernel, only the first translation counts.
 */
export function passHook(
  { sets, chains }: Pick<Network, 'sets' | 'chains'>,
  hook: Hook,
  seen: HookSeen,
  choose: Choose,
): Judged {
  let { packet, isTracked } = seen;
  let isTranslated = false;
  const notes: string[] = [];
  const matched: ChainRule[] = [];
  for (const base of baseChainsOf(hook)) {
    const { type, priority } = baseChains[base];
    if (type === 'nat' && (!seen.isNew || !isTracked || seen.isInvalid === true || isTranslated)) continue;
    const rules = rulesOf(chains, base);
    for (let next = rules.shift(); next !== undefined; next = rules.shift()) {
      const { rule, chain } = next;
      const state = stateAt({ hook, priority }, { ...seen, isTracked });
      const effect = ruleEffect(rule, { ...seen, packet, state }, { sets, choose });
      if (effect === undefined) continue;
      matched.push(next);
      if (effect.kind === 'pass') continue;
      if (effect.kind === 'accept') break;
      if (effect.kind === 'notrack') isTracked = false;
      else if (effect.kind === 'source') {
        packet = { ...packet, source: effect.address };
        notes.push(`chain ${chain} replaces the source by ${addressText(effect.address)}`);
      } else if (effect.kind === 'drop' || effect.kind === 'reject') {
        notes.push(`chain ${chain} ${effect.kind}s it: ${ruleText(rule)}`);
        return { packet, verdict: effect.kind, isTracked, notes, matched };
      } else if (effect.kind === 'goto') {
        if ((effect.of ?? 1) > 1)
          notes.push(`chain ${chain} chooses one of ${effect.of} endpoints, which the client keeps`);
        rules.splice(0, rules.length, ...rulesOf(chains, effect.chain));
      } else {
        isTranslated = true;
        const translated = translate(packet, effect, seen.ownAddress);
        if (translated.note !== undefined) notes.push(`chain ${chain} translates the ${translated.note}`);
        packet = translated.packet;
        break;
      }
    }
  }
  return { packet, verdict: 'accept', isTracked, notes, matched };
}

/** Before the kernel has looked up the connection of a packet, the packet counts as invalid. */
function stateAt(
  { hook, priority }: Pick<BaseHook, 'hook' | 'priority'>,
  { isNew, isTracked, isInvalid }: Pick<HookSeen, 'isNew' | 'isTracked' | 'isInvalid'>,
): Seen['state'] {
  if (!isTracked) return 'untracked';
  if ((hook === 'prerouting' || hook === 'output') && priority < tracking) return 'invalid';
  if (isInvalid === true) return 'invalid';
  return isNew ? 'new' : 'established';
}

function translate(
  packet: Packet,
  effect: Translation,
  ownAddress: Address | undefined,
): { readonly packet: Packet; readonly note?: string | undefined } {
  switch (effect.kind) {
    case 'dnat': {
      const { address, port, of = 1 } = effect;
      return {
        packet: { ...packet, destination: address, destinationPort: port },
        note: `destination to ${endText(address, port)}${of > 1 ? `, one of ${of} endpoints` : ''}`,
      };
    }
    case 'redirect':
      return {
        packet: { ...packet, destination: ownAddress ?? packet.destination },
        note: 'destination to the Node itself',
      };
    case 'snat':
    case 'masquerade': {
      const source = effect.kind === 'snat' ? effect.address : (ownAddress ?? packet.source);
      const note = source.value === packet.source.value ? undefined : `source to ${addressText(source)}`;
      return { packet: { ...packet, source }, note };
    }
  }
}

const rulesOf = (chains: Network['chains'], chain: ChainName): ChainRule[] =>
  (chains.get(chain) ?? []).map((rule) => ({ chain, rule }));

function baseChainsOf(hook: Hook): readonly BaseChainName[] {
  return (Object.keys(baseChains) as BaseChainName[])
    .filter((name) => baseChains[name].hook === hook)
    .toSorted((a, b) => baseChains[a].priority - baseChains[b].priority);
}
