import { isRecord } from '@isthmus/machinery';

/** An object of a registry's answer. */
export type Json = Readonly<Record<string, unknown>>;

/** The objects in a list; none if the value is not a list. */
export function listIn(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as readonly unknown[]).filter(isRecord) : [];
}

/** The object that the bytes contain as JSON in UTF-8; undefined if they contain something else. */
export function jsonIn(bytes: Uint8Array): Json | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
