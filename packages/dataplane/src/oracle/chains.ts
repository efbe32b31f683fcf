import { addressText } from '@isthmus/machinery';
import type { Network } from '../network/network.ts';
import type { Choose, Seen } from './nft-rule.ts';
import { ruleEffect } from './nft-rule.ts';
import type { Packet } from './packet.ts';
import { endText } from './packet.ts';

type Hook = 'prerouting' | 'output' | 'forward' | 'postrouting';

/** What became of a packet in the chains of a hook. */
interface Judged {
  readonly packet: Packet;
  readonly verdict: 'accept' | 'drop' | 'reject';
  readonly isTracked: boolean;
  /** One sentence for each thing that was done. */
  readonly notes: readonly string[];
}

interface BaseChain {
  readonly name: string;
  readonly type: string;
  readonly priority: number;
}

/** Between -300 and -200 the kernel looks at the connection of a packet; untracked ones are not translated. */
const tracking = -200;

/**
 * Passes a packet through the chains of a hook, in their order. Chains of type nat see the first packet of a connection alone; the first translation of each direction is the only one, as in
 * the kernel.
 */
export function passHook(
  { sets, chains }: Pick<Network, 'sets' | 'chains'>,
  hook: Hook,
  seen: Seen & { readonly isTracked: boolean; readonly ownAddress?: Packet['source'] | undefined },
  choose: Choose,
): Judged {
  let { packet, isTracked } = seen;
  let isTranslated = false;
  const notes: string[] = [];
  for (const base of baseChains(chains, hook)) {
    if (base.type === 'nat' && (!seen.isNew || !isTracked || isTranslated)) continue;
    const rules = [...(chains.get(base.name)?.rules ?? [])].map((rule) => ({ rule, chain: base.name }));
    for (let next = rules.shift(); next !== undefined; next = rules.shift()) {
      const { rule, chain } = next;
      const isNew = seen.isNew && (isTracked || base.priority < tracking);
      const effect = ruleEffect(rule, { ...seen, packet, isNew }, { sets, choose });
      if (effect === undefined) continue;
      if (effect.kind === 'accept') break;
      if (effect.kind === 'notrack') isTracked = false;
      else if (effect.kind === 'drop' || effect.kind === 'reject') {
        notes.push(`chain ${chain} ${effect.kind}s it: ${rule}`);
        return { packet, verdict: effect.kind, isTracked, notes };
      } else if (effect.kind === 'goto') {
        rules.splice(0, rules.length);
        const target = effect.chain;
        if ((effect.of ?? 1) > 1)
          notes.push(`chain ${chain} chooses one of ${effect.of} endpoints, which the client keeps`);
        rules.push(...(chains.get(target)?.rules ?? []).map((one) => ({ rule: one, chain: target })));
      } else {
        isTranslated = true;
        if (effect.kind === 'dnat') {
          packet = { ...packet, destination: effect.address, destinationPort: effect.port };
          notes.push(
            `chain ${chain} translates the destination to ${endText(effect.address, effect.port)}${(effect.of ?? 1) > 1 ? `, one of ${effect.of} endpoints` : ''}`,
          );
        } else {
          const address = effect.kind === 'snat' ? effect.address : (seen.ownAddress ?? packet.source);
          if (address.value !== packet.source.value)
            notes.push(`chain ${chain} translates the source to ${addressText(address)}`);
          packet = { ...packet, source: address };
        }
        break;
      }
    }
  }
  return { packet, verdict: 'accept', isTracked, notes };
}

function baseChains(chains: Network['chains'], hook: Hook): readonly BaseChain[] {
  return [...chains]
    .flatMap(([name, chain]): readonly BaseChain[] => {
      const parsed = /^type (\w+) hook (\w+) priority (-?\d+)$/.exec(chain.hook ?? '');
      return parsed?.[2] === hook ? [{ name, type: parsed[1] ?? '', priority: Number(parsed[3]) }] : [];
    })
    .toSorted((a, b) => a.priority - b.priority);
}
