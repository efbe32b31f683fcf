import { formatFlag } from './flag.ts';

/** How a result is printed: as text for users, or as a document of stable fields for programs. */
export const outputFormats = ['text', 'json', 'yaml'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** The flag `-o` of all commands that print a result. */
export const outputFlag = formatFlag(outputFormats, 'text, or json or yaml (stable fields)');
