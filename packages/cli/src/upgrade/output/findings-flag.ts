import { formatFlag } from '../../command/flag.ts';

const findingsFormats = ['text', 'wide', 'json', 'yaml'] as const;

/**
 * How a check prints its findings: as text with many findings of one rule together, as text with
 * each of them, or as a document.
 */
export type FindingsFormat = (typeof findingsFormats)[number];

/** The flag `-o` of all checks. */
export const findingsFlag = formatFlag(
  findingsFormats,
  'text, wide (text with every finding of a group), or json or yaml (stable fields)',
);

/** Whether it is a document for programs. */
export function isDocument(format: FindingsFormat | undefined): format is 'json' | 'yaml' {
  return format === 'json' || format === 'yaml';
}
