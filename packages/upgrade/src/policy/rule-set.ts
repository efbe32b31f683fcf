import type { ReleaseSequence } from '../version/release-sequence.ts';
import { parseVersionRange } from '../version/parse-version-range.ts';
import type { VersionRange } from '../version/version-range.ts';
import type { Interruption } from './change-rules.ts';
import type { Policy } from './policy.ts';
import type { FloorRule, HopRule, KubernetesWindow, OrderRule, SkewRule } from './version-rules.ts';

/** A rule about skew, ready to be asked. */
export interface ReadySkewRule extends SkewRule {
  readonly minors: ReleaseSequence | undefined;
  readonly whenSubject: VersionRange | undefined;
  readonly whenReference: VersionRange | undefined;
}

export interface ReadyFloorRule extends FloorRule {
  readonly versions: VersionRange;
}

export interface ReadyHopRule extends HopRule {
  readonly minors: ReleaseSequence | undefined;
  readonly whenFrom: VersionRange | undefined;
}

/** The rules about versions of several policies, their ranges and sequences read. */
export interface RuleSet {
  readonly skew: readonly ReadySkewRule[];
  readonly floors: readonly ReadyFloorRule[];
  readonly order: readonly OrderRule[];
  readonly hops: readonly ReadyHopRule[];
  readonly kubernetes: readonly KubernetesWindow[];
  readonly interruptions: readonly Interruption[];
}

/**
 * Reads the rules of policies once, for callers that use them often. Errors: throws for a range or
 * sequence that `policyProblems` rejects; loaders of policies call it first.
 */
export function readRules(policies: readonly Policy[]): RuleSet {
  const specs = policies.map(({ spec }) => spec);
  const sequences = new Map(specs.flatMap((spec) => spec.sequences).map((one) => [one.name, one]));
  const sequenceOf = (rule: { readonly id: string; readonly sequence?: string | undefined }) => {
    if (rule.sequence === undefined) return undefined;
    const found = sequences.get(rule.sequence);
    if (found === undefined) throw new Error(`rule ${rule.id} uses the unknown sequence ${rule.sequence}`);
    return found;
  };
  return {
    skew: specs
      .flatMap((spec) => spec.skew)
      .map((rule) => ({
        ...rule,
        minors: sequenceOf(rule),
        whenSubject: rangeOf(rule.id, rule.when.subject),
        whenReference: rangeOf(rule.id, rule.when.reference),
      })),
    floors: specs.flatMap((spec) => spec.floors).map((rule) => ({ ...rule, versions: readRange(rule.id, rule.range) })),
    order: specs.flatMap((spec) => spec.order),
    hops: specs
      .flatMap((spec) => spec.hops)
      .map((rule) => ({ ...rule, minors: sequenceOf(rule), whenFrom: rangeOf(rule.id, rule.when) })),
    kubernetes: specs.flatMap((spec) => spec.kubernetes),
    interruptions: specs.flatMap((spec) => spec.interruptions),
  };
}

/** Rules as functions take them: policies, or rules that were read before. */
export type Rules = readonly Policy[] | RuleSet;

export function rulesOf(rules: Rules): RuleSet {
  return 'skew' in rules ? rules : readRules(rules);
}

function rangeOf(id: string, text: string | undefined): VersionRange | undefined {
  return text === undefined ? undefined : readRange(id, text);
}

function readRange(id: string, text: string): VersionRange {
  const range = parseVersionRange(text);
  if ('problem' in range) throw new Error(`rule ${id}: ${range.problem}`);
  return range;
}
