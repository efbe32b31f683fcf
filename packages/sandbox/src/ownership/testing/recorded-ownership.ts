import { readFileSync } from 'node:fs';
import type { Json } from '@isthmus/schema';
import type { JsonObject } from '../shape.ts';
import { asList, asObject, memberOf } from '../shape.ts';

/** The API server's answer to a step: the compared part of the object, or the rejection. */
export interface RecordedAnswer {
  readonly code: number;
  readonly object?: JsonObject;
  readonly status?: JsonObject;
}

/** The answers to the steps of each case, by its title. */
export type RecordedOwnership = Readonly<Record<string, readonly RecordedAnswer[]>>;

export const recordedOwnershipFile = new URL('./recorded-ownership.jsonl', import.meta.url);

/** One answer a line, with the title of its case before it. */
export function recordedOwnership(): RecordedOwnership {
  const answers = new Map<string, RecordedAnswer[]>();
  for (const line of readFileSync(recordedOwnershipFile, 'utf8').trimEnd().split('\n')) {
    const [title, answer] = JSON.parse(line) as [string, RecordedAnswer];
    answers.set(title, [...(answers.get(title) ?? []), answer]);
  }
  return Object.fromEntries(answers);
}

export function printOwnership(recorded: RecordedOwnership): string {
  return Object.entries(recorded)
    .flatMap(([title, answers]) => answers.map((answer) => `${JSON.stringify([title, answer])}\n`))
    .join('');
}

/**
 * An object without the fields that the API server sets; times of managed fields are named by
 * `nameOfTime`.
 */
export function comparableObject(object: JsonObject, nameOfTime: (time: string) => string): JsonObject {
  const { uid, resourceVersion, generation, creationTimestamp, name, namespace, ...metadata } =
    asObject(memberOf(object, 'metadata')) ?? {};
  void [uid, resourceVersion, generation, creationTimestamp, name, namespace];
  const entries = asList(memberOf(metadata, 'managedFields'))?.map((entry): Json => {
    const { time, ...rest } = asObject(entry) ?? {};
    return { ...rest, time: typeof time === 'string' ? nameOfTime(time) : 'none' };
  });
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: entries === undefined ? rest : { ...rest, managedFields: entries } };
}

/**
 * The compared parts of a rejection. The API server lists the causes of a conflict in the random
 * order of a Go map.
 */
export function comparableStatus(status: JsonObject): JsonObject {
  const { message = null, reason } = status;
  const causes = asList(memberOf(asObject(memberOf(status, 'details')), 'causes'))?.toSorted((a, b) => {
    return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
  });
  return { message, reason: reason ?? null, ...(causes === undefined ? {} : { causes }) };
}
