import { forbidden } from '../field-error.ts';
import type { FieldError } from '../field-error.ts';
import { product, sum } from './saturating.ts';
import type { ValueBounds } from './value-bounds.ts';
import { largestRequest } from './value-bounds.ts';

/**
 * The greatest estimated cost of a rule for one object, and of all rules of a schema
 * (StaticEstimatedCostLimit, StaticEstimatedCRDCostLimit).
 */
const mostOfRule = 10_000_000;
const mostOfSchema = 100_000_000;

/** Compares the estimated costs of rules with their limits. One for each schema of a CRD. */
export class RuleBudget {
  #total = 0;
  #dearest: { readonly path: string; readonly cost: number }[] = [];

  /**
   * Counts an expression at `path` and returns its own errors. `what`: `rule`, `messageExpression`.
   */
  spend(path: string, what: string, cost: number): readonly FieldError[] {
    this.#total = sum(this.#total, cost);
    if (cost >= mostOfSchema / 100) {
      this.#dearest = [...this.#dearest, { path, cost }].toSorted((a, b) => b.cost - a.cost).slice(0, 4);
    }
    return cost > mostOfRule ? [forbidden(path, exceeded(`estimated ${what} cost`, cost, mostOfRule))] : [];
  }

  /** The errors of all rules together. `path`: of the schema. */
  totalErrors(path: string): readonly FieldError[] {
    if (this.#total <= mostOfSchema) return [];
    const part = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const whole = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...this.#dearest.map(({ path: at }) => forbidden(at, part)),
      forbidden(path, exceeded(whole, this.#total, mostOfSchema)),
    ];
  }
}

/**
 * How often a part of a schema can be in an object: `bound` is the product of the bounds of the
 * lists and maps around it, undefined where one has none. Then it is as often there as fits into a
 * request.
 */
export function costOfAll(cost: number, bound: number | undefined, { fewestBytes }: ValueBounds): number {
  return product(cost, bound ?? Math.floor(largestRequest / (fewestBytes + 1)));
}

function exceeded(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? 'more than 100x' : `${decimals(factor, factor < 1.5 ? 6 : 1)}x`;
  return `${what} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** As Go prints it: what lies just between two goes to the even one. */
function decimals(value: number, digits: number): string {
  const text = value.toFixed(digits);
  const isBetween = (value * 2 ** (digits + 1)) % 2 === 1;
  return isBetween && Number(text.at(-1)) % 2 === 1 ? (value - 10 ** -digits / 4).toFixed(digits) : text;
}
