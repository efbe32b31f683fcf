import { parseRfc3339 } from '@isthmus/machinery';
import type { LogLine } from '../core/container-streams.ts';
import { badRequest } from '../refusal/refusal.ts';

/** The selection of lines of a log, and their form. */
export interface LogOptions {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly sinceMs: number | undefined;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
}

/** Reads the query of a request for a log. Errors: a Refusal that names the invalid parameter. */
export function logOptionsOf(query: Readonly<Record<string, string>>, nowMs: number): LogOptions {
  const sinceSeconds = numberOf(query, 'sinceSeconds', 1);
  const sinceTime = query['sinceTime'];
  if (sinceSeconds !== undefined && sinceTime !== undefined)
    throw notValid('at most one of `sinceTime` or `sinceSeconds` may be specified');
  const since = sinceTime === undefined ? undefined : parseRfc3339(sinceTime);
  if (sinceTime !== undefined && since === undefined)
    throw notValid(`sinceTime is not a time: ${JSON.stringify(sinceTime)}`);
  return {
    follow: isSet(query, 'follow'),
    previous: isSet(query, 'previous'),
    timestamps: isSet(query, 'timestamps'),
    sinceMs: sinceSeconds === undefined ? since : nowMs - sinceSeconds * 1_000,
    tailLines: numberOf(query, 'tailLines', 0),
    limitBytes: numberOf(query, 'limitBytes', 1),
  };
}

/** The selected lines among the existing ones. */
export function chosenLines(lines: readonly LogLine[], { sinceMs, tailLines }: LogOptions): readonly LogLine[] {
  const since = sinceMs === undefined ? lines : lines.filter(({ atMs }) => atMs >= sinceMs);
  return tailLines === undefined ? since : since.slice(Math.max(0, since.length - tailLines));
}

/** A line as it is sent. */
export function lineText({ atMs, text }: LogLine, { timestamps }: LogOptions): string {
  return timestamps ? `${nanoseconds(atMs)} ${text}` : text;
}

/** The time with nanoseconds as Go prints it, without trailing zeros. */
function nanoseconds(atMs: number): string {
  return new Date(atMs)
    .toISOString()
    .replace(/0{1,2}Z$/, 'Z')
    .replace('.0Z', 'Z');
}

function isSet(query: Readonly<Record<string, string>>, name: string): boolean {
  const value = query[name];
  return value !== undefined && value !== 'false' && value !== '0';
}

function numberOf(query: Readonly<Record<string, string>>, name: string, least: number): number | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value) || value < least)
    throw notValid(`${name} must be a number of at least ${least}, not ${JSON.stringify(text)}`);
  return value;
}

function notValid(why: string): Error {
  return badRequest(`the log options are not valid: ${why}`);
}
