import { orderedFindings } from '../../finding-order.ts';
import type { Finding } from '../../finding.ts';
import type { ComponentBundle } from '../component-bundle.ts';
import { bundleRules } from './bundle-rules.ts';
import { contentRules } from './content-rules.ts';
import { hookRules } from './hook-rules.ts';
import { kubernetesRules } from './kubernetes-rules.ts';
import type { Found, LintContext, LintRule } from './lint-context.ts';
import { requirementRules } from './requirement-rules.ts';
import { sentenceRules } from './sentence-rules.ts';
import { versionRules } from './version-rules.ts';

/** A finding, and the line of the file that it is about. */
export type PlacedFinding = Finding & { readonly line: number };

/**
 * All that is wrong with a bundle (docs/spec/upgrades.md §1.1, end), in the fixed order of
 * findings. A bundle with a finding that blocks must not be planned with. What a file cannot even
 * be read for (an id given twice in one list, an unknown field) was refused before.
 */
export function lintBundle(bundle: ComponentBundle, context: LintContext): readonly PlacedFinding[] {
  const found = rules.flatMap((rule): Found[] => [...rule(bundle, context)]);
  return orderedFindings(found.map((finding) => ({ ...finding, line: context.lineOf(finding.subject.path) })));
}

const rules: readonly LintRule[] = [
  versionRules,
  contentRules,
  requirementRules,
  kubernetesRules,
  hookRules,
  sentenceRules,
  bundleRules,
];
