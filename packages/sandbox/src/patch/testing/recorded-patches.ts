import { readFileSync } from 'node:fs';
import type { Json } from '@isthmus/schema';

/** The API server's answer to a patch: the patched part, or the rejection. */
export interface RecordedPatch {
  readonly code: number;
  readonly value?: Json;
  readonly reason?: string;
  readonly message?: string;
}

/** Answers by the name of the case. */
export type RecordedPatches = Readonly<Record<string, RecordedPatch>>;

export const recordedJsonPatches = new URL('./recorded-json-patches.jsonl', import.meta.url);
export const recordedStrategicPatches = new URL('./recorded-strategic-patches.jsonl', import.meta.url);

/** One answer a line, with the name of its case before it. */
export function readRecorded(file: URL): RecordedPatches {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return Object.fromEntries(lines.map((line) => JSON.parse(line) as [string, RecordedPatch]));
}

export function printRecorded(patches: RecordedPatches): string {
  return Object.entries(patches)
    .map((named) => `${JSON.stringify(named)}\n`)
    .join('');
}
