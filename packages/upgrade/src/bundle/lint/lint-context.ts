import type { Finding } from '../../finding.ts';
import type { ComponentBundle } from '../component-bundle.ts';

/** The input of the rules beside the bundle itself. */
export interface LintContext {
  /** The line of a field, by its path in the bundle. */
  readonly lineOf: (path: string) => number;
  /**
   * Bundles that were published before, in any order: content and build are compared with theirs.
   */
  readonly older: readonly ComponentBundle[];
  /** The version of the isthmus that asks. */
  readonly engineVersion: string;
  /** The names of the available policies. */
  readonly policies: readonly string[];
  /** Their digests by name; absent: whether they are those that the bundle pins is not asked. */
  readonly policyDigests?: ReadonlyMap<string, string> | undefined;
  /** RFC 3339; absent: whether the bundle has expired is not asked. */
  readonly now?: string | undefined;
}

/** A finding of a rule, by the wrong field; its line is added later. */
export type Found = Finding & { readonly subject: { readonly path: string } };

/** A rule, or several that look at the same thing. */
export type LintRule = (bundle: ComponentBundle, context: LintContext) => Iterable<Found>;
