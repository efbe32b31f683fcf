import type { ApiRequest } from '@isthmus/kube';
import type { Fault, FaultRule } from './fault.ts';

/** Rules in the order in which they were added, and how many requests each still affects. */
export class FaultRules {
  readonly #rules: { readonly rule: FaultRule; left: number }[] = [];

  /** Adds a rule. Returns the function that removes it. */
  add(rule: FaultRule): () => void {
    const entry = { rule, left: rule.times ?? Number.POSITIVE_INFINITY };
    this.#rules.push(entry);
    return () => void (entry.left = 0);
  }

  /** The fault of the first rule that matches, which then affects one request less. */
  take(request: ApiRequest): Fault | undefined {
    const found = this.#rules.find(({ rule, left }) => left > 0 && rule.match(request));
    if (found === undefined) return undefined;
    found.left--;
    return found.rule.fault;
  }
}
