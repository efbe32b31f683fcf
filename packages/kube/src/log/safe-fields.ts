import { errorText } from './error-text.ts';
import { OutsideError } from './outside-error.ts';

const HIDDEN = '[hidden]';
const LONGEST_TEXT = 2_048;
const MOST_ITEMS = 100;
const DEEPEST = 6;
const RESERVED: readonly string[] = ['time', 'level', 'message'];
/**
 * A field whose name, without case and punctuation, ends in one of these holds a secret.
 * `secretName` and `tokenFile` do not.
 */
const SECRET_NAMES: readonly string[] = [
  'token',
  'password',
  'passwd',
  'passphrase',
  'authorization',
  'cookie',
  'credential',
  'credentials',
  'clientsecret',
  'secretkey',
  'privatekey',
  'clientkey',
  'cakey',
  'tlskey',
  'keydata',
  'stringdata',
];
/** Secrets that are recognised by their form, inside of any text. */
const SECRET_FORMS: readonly RegExp[] = [
  /\bbearer\s+[\w.~+/-]+=*/gi,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(?<=:\/\/)[^/\s:@]+:[^/\s@]+(?=@)/g,
];

/**
 * Fields as they may be written. Values under the names of secrets (`token`, `password`,
 * `authorization`, `ca.key`, `stringData`, …), bearer tokens, JSON web tokens, private keys and
 * passwords in URLs become `[hidden]`; of a Kubernetes Secret only kind and metadata remain; texts
 * are cut at 2,048 characters, lists and maps at 100 entries, everything at a depth of 6. Never
 * throws: getters that do, cycles and values that JSON does not know become a word.
 */
export function safeFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const safe = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) =>
        [RESERVED.includes(name) ? `${name}_` : name, isSecretName(name) ? HIDDEN : safeValue(value, 1)] as const,
    );
  return Object.fromEntries(safe);
}

/**
 * `error`: the message of an unknown thrown value with its causes, on one line; `stack` where it
 * may be a bug. What the environment refused (an API server, a connection, the operating system)
 * needs no stack: its message names the call.
 */
export function errorFields(error: unknown): { readonly error: string; readonly stack?: string | undefined } {
  const mayBeBug = error instanceof Error && !isFromOutside(error);
  return { error: errorText(error), stack: mayBeBug ? framesOf(error) : undefined };
}

function isFromOutside(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth === mostCauses) return false;
  const isOfSystem = 'errno' in error && 'syscall' in error;
  return error instanceof OutsideError || isOfSystem || isFromOutside(error.cause, depth + 1);
}

const mostCauses = 8;

function framesOf(error: Error): string | undefined {
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return frames === undefined || frames.length === 0
    ? undefined
    : frames
        .slice(0, 10)
        .map((line) => line.trim())
        .join('\n');
}

function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replace(/[^a-z]/g, '');
  return SECRET_NAMES.some((secret) => plain.endsWith(secret));
}

function safeValue(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return safeText(value);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'boolean':
      return value;
    case 'bigint':
      return String(value);
    case 'object':
      return value === null ? null : safeObject(value, depth);
    default:
      return `[${typeof value}]`;
  }
}

function safeObject(value: object, depth: number): unknown {
  if (value instanceof Error) return safeText(errorText(value));
  if (depth >= DEEPEST) return '[deep]';
  try {
    if (Array.isArray(value)) {
      const items = value.slice(0, MOST_ITEMS).map((item) => safeValue(item, depth + 1));
      return value.length > MOST_ITEMS ? [...items, `[${value.length - MOST_ITEMS} more]`] : items;
    }
    const entries = Object.entries(value instanceof Map ? Object.fromEntries(value) : value);
    const isSecret = 'kind' in value && value.kind === 'Secret';
    const safe = entries.slice(0, MOST_ITEMS).map(([name, part]) => {
      const hidden =
        isSecretName(name) ||
        (isSecret && !['apiVersion', 'kind', 'metadata', 'type', 'name', 'namespace'].includes(name));
      return [name, hidden ? HIDDEN : safeValue(part, depth + 1)] as const;
    });
    if (entries.length > MOST_ITEMS) safe.push(['…', `[${entries.length - MOST_ITEMS} more]`]);
    return Object.fromEntries(safe);
  } catch {
    return '[unreadable]';
  }
}

function safeText(text: string): string {
  const cut =
    text.length <= LONGEST_TEXT
      ? text
      : `${text.slice(0, LONGEST_TEXT)}… [${text.length - LONGEST_TEXT} more characters]`;
  return SECRET_FORMS.reduce((safe, form) => safe.replace(form, HIDDEN), cut);
}
