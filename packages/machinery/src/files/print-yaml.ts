// Apart from the reading of YAML, which has a library of its own: controllers read, and never
// print.
import { DEFAULT_SCALAR_STYLE_RULES, dump, SCALAR_STYLE } from 'js-yaml';
import type { ScalarStyleRule } from 'js-yaml';
import { kubectlNumber } from './kubectl-number.ts';

/**
 * A value as one YAML document that kubectl and {@link parseYaml} read back as the same value:
 * strings that look like something else are quoted, lines are not folded, keys keep their order,
 * nothing is shared by reference. Members that are `undefined` are absent.
 */
export function printYaml(value: unknown): string {
  return dump(JSON.parse(JSON.stringify(value)), { lineWidth: -1, noRefs: true, scalarStyleRules });
}

/** Several values as a stream of documents. */
export function printYamlDocuments(values: readonly unknown[]): string {
  return values.map((value) => `---\n${printYaml(value)}`).join('');
}

/**
 * Texts that kubectl would read as numbers and the YAML specifications would not, such as `0X1f`
 * and `1_e3`, are quoted too.
 */
const quoteNumbersOfKubectl: ScalarStyleRule = (layout) => {
  const { node } = layout;
  if (layout.style !== SCALAR_STYLE.PLAIN || node.tag !== 'tag:yaml.org,2002:str') return;
  if (typeof kubectlNumber(node.value) === 'number') layout.style = SCALAR_STYLE.SINGLE_QUOTED;
};
const scalarStyleRules: readonly ScalarStyleRule[] = [
  quoteNumbersOfKubectl,
  ...Object.values(DEFAULT_SCALAR_STYLE_RULES),
];
