import type { ChainName } from '../network/chains.ts';
import type { Rule } from '../network/nft-rule.ts';

/**
 * A rule without the values that differ from one network to another: addresses, numbers, shares and
 * the names of Services. Two rules of one form match the same properties of a packet, and have the
 * same effect on it.
 */
export function ruleForm(chain: ChainName, rule: Rule): string {
  return `${kindOf(chain)}: ${JSON.stringify(rule, (key, value: unknown) => {
    if (key === 'shares') return 'shares';
    if (typeof value === 'bigint' || typeof value === 'number') return 0;
    return typeof value === 'string' ? kindOf(value) : value;
  })}`;
}

/** `import/shop/cart/tcp/80/4` is a chain of the kind `import`. */
const kindOf = (name: string) => name.split('/')[0] ?? '';
