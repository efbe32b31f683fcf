import type { FieldError } from '@isthmus/schema';
import { badRequest, invalid, unexplained } from '../refusal/refusal.ts';

/** The query of a list or a watch, read. */
export interface ListOptions {
  readonly limit: number;
  readonly continueToken: string | undefined;
  /** Absent: the most recent state. 0: any. */
  readonly resourceVersion: number | undefined;
  readonly resourceVersionMatch: 'Exact' | 'NotOlderThan' | undefined;
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

/**
 * Rejects numbers that are not valid. This check comes before selectors are read, and these before
 * all other options.
 */
export function checkNumbers(query: Readonly<Record<string, string>>): void {
  integerOf(query['timeoutSeconds']);
  integerOf(query['limit']);
}

/**
 * Reads the options. `watch` decides which of them may be combined. The errors are those of the
 * real server.
 */
export function listOptionsOf(query: Readonly<Record<string, string>>, watch: boolean): ListOptions {
  const resourceVersion = query['resourceVersion'] ?? '';
  const match = query['resourceVersionMatch'] ?? '';
  const token = query['continue'] ?? '';
  const sendInitialEvents = booleanOf(query['sendInitialEvents']);
  const versionWithToken = resourceVersion !== '' && resourceVersion !== '0' && match === '';
  if (!watch && token !== '' && versionWithToken) {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const errors = watch
    ? watchErrors({ resourceVersion, match, token, sendInitialEvents })
    : listErrors({ resourceVersion, match, token, sendInitialEvents });
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  return {
    limit: integerOf(query['limit']) ?? 0,
    continueToken: token === '' ? undefined : token,
    resourceVersion: versionOf(resourceVersion, watch),
    resourceVersionMatch: match === '' ? undefined : (match as 'Exact' | 'NotOlderThan'),
    timeoutSeconds: integerOf(query['timeoutSeconds']),
    allowWatchBookmarks: booleanOf(query['allowWatchBookmarks']) ?? false,
    sendInitialEvents,
  };
}

interface Given {
  readonly resourceVersion: string;
  readonly match: string;
  readonly token: string;
  readonly sendInitialEvents: boolean | undefined;
}

function listErrors({ resourceVersion, match, token, sendInitialEvents }: Given): readonly FieldError[] {
  const errors: FieldError[] = [];
  const forbid = (path: string, detail: string) => errors.push({ path, type: 'Forbidden', value: '', detail });
  if (match !== '') {
    if (resourceVersion === '') {
      forbid('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided');
    }
    if (token !== '') {
      forbid('resourceVersionMatch', noMatchWithToken);
    }
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push({
        path: 'resourceVersionMatch',
        type: 'NotSupported',
        value: match,
        detail: 'supported values: "Exact", "NotOlderThan", ""',
      });
    }
    if (match === 'Exact' && resourceVersion === '0') {
      forbid('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
    }
  }
  if (sendInitialEvents !== undefined) forbid('sendInitialEvents', 'sendInitialEvents is forbidden for list');
  return errors;
}

function watchErrors({ resourceVersion, match, token, sendInitialEvents }: Given): readonly FieldError[] {
  const errors: FieldError[] = [];
  const forbid = (path: string, detail: string) => errors.push({ path, type: 'Forbidden', value: '', detail });
  if (match !== '') {
    if (sendInitialEvents === undefined) {
      forbid(
        'resourceVersionMatch',
        'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      );
    }
    if (match !== 'NotOlderThan') {
      if (sendInitialEvents !== undefined) forbid('resourceVersionMatch', requiresMatch);
      errors.push({
        path: 'resourceVersionMatch',
        type: 'NotSupported',
        value: match,
        detail: 'supported values: "NotOlderThan"',
      });
    }
  } else if (sendInitialEvents !== undefined) {
    forbid('resourceVersionMatch', requiresMatch);
  }
  // A watch that begins with the current state has a resourceVersionMatch even if none is named.
  const beginsAnew = sendInitialEvents === undefined && (resourceVersion === '' || resourceVersion === '0');
  if (token !== '' && (match !== '' || beginsAnew)) forbid('resourceVersionMatch', noMatchWithToken);
  return errors;
}

const noMatchWithToken = 'resourceVersionMatch is forbidden when continue is provided';
const requiresMatch = 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';

/** A resourceVersion is a number without a sign. */
function versionOf(text: string, watch: boolean): number | undefined {
  if (text === '') return undefined;
  if (isVersion(text)) return Number(text);
  throw watch ? unexplained(noOption(text)) : badRequest(`invalid resource version: ${noOption(text)}`);
}

/**
 * Rejects an invalid resourceVersion of a GET. Its value is not used: a GET always returns the most
 * recent state.
 */
export function checkVersionOfGet(query: Readonly<Record<string, string>>): void {
  const text = query['resourceVersion'] ?? '';
  if (text !== '' && !isVersion(text)) throw unexplained(noOption(text));
}

/** The error of a text that is not a resourceVersion. */
export function noVersion(text: string): string {
  const why = /^\d+$/.test(text) ? 'value out of range' : 'invalid syntax';
  return `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`;
}

function noOption(text: string): string {
  return `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${noVersion(text)}`;
}

/** Whether a text is an unsigned 64-bit number. */
export function isVersion(text: string): boolean {
  return /^\d+$/.test(text) && BigInt(text) < 2n ** 64n;
}

function integerOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const isInteger = /^[+-]?\d+$/.test(text);
  if (isInteger && BigInt.asIntN(64, BigInt(text.replace('+', ''))) === BigInt(text.replace('+', '')))
    return Number(text);
  throw badRequest(
    `strconv.ParseInt: parsing ${JSON.stringify(text)}: ${isInteger ? 'value out of range' : 'invalid syntax'}`,
  );
}

/** A boolean by the rule of the real server: present and neither `false` nor `0`. */
function booleanOf(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  return text !== 'false' && text !== '0';
}
