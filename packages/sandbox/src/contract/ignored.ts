/**
 * The complete list of values that the comparison of two servers ignores:
 *
 * - uid, resourceVersion, times, random suffixes, hashes of templates and tokens;
 * - allocated addresses and ports;
 * - the documentation of columns and fields.
 *
 * Each is replaced by a word. Equal values get equal words, numbered by first appearance, if their
 * equality matters: a uid and the owner reference to it, or the resourceVersion before and after a
 * write that changes nothing. Errors of a Pod or of a template may come in any order
 * ({@link withCausesInOrder}). Field managers are sorted without regard to their times
 * ({@link managersWithoutTime}).
 */
export interface Normalizer {
  /** A whole answer, JSON. */
  body(value: unknown): unknown;
  /** A line of text: an error message, a request line. */
  text(value: string): string;
}

export interface NormalizerOptions {
  /** The Namespace of the case, whose name differs from run to run. */
  readonly namespace: string;
}

type Word = 'UID' | 'VERSION' | 'SUFFIX' | 'HASH' | 'ADDRESS' | 'PORT';

export function createNormalizer({ namespace }: NormalizerOptions): Normalizer {
  const words = new Map<string, string>();
  const counts = new Map<Word, number>();
  const wordFor = (kind: Word, value: string): string => {
    const known = words.get(`${kind} ${value}`);
    if (known !== undefined) return known;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const word = `${kind}-${count}`;
    words.set(`${kind} ${value}`, word);
    return word;
  };

  /** Hashes of templates, read from the labels of objects made from them: the suffixes of names. */
  const hashes = new Map<string, string>();
  const learnHashes = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, item] of Object.entries(value)) {
      // A StatefulSet labels with the whole name of the revision.
      const hash = hashLabels.has(key) && typeof item === 'string' ? item.slice(item.lastIndexOf('-') + 1) : '';
      if (/^[a-z0-9]{5,10}$/.test(hash)) hashes.set(hash, wordFor('HASH', hash));
      else learnHashes(item);
    }
  };

  const text = (value: string): string =>
    [...hashes]
      .reduce((changed, [hash, word]) => changed.replaceAll(hash, word), value)
      .replaceAll(namespace, 'NAMESPACE')
      .replaceAll(uidPattern, (uid) => wordFor('UID', uid))
      .replaceAll(timePattern, 'TIME')
      .replaceAll(/\bresource version: \d+( \(\d+\)|, current: \d+)/g, 'resource version: VERSION')
      .replaceAll(/(resourceVersion\\*":\\*")\d+/g, '$1VERSION')
      .replaceAll(/ResourceVersion in record \(\d+\)/g, 'ResourceVersion in record (VERSION)')
      .replaceAll(/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'TOKEN')
      .replaceAll(/\bkube-api-access-[a-z0-9]{5}\b/g, 'kube-api-access-SUFFIX')
      .replaceAll(/\b127\.0\.0\.1:\d{5}\b/g, '127.0.0.1:PORT')
      .replaceAll(/\/tokens\/[\w.-]+/g, '/tokens/TOKEN');

  const body = (value: unknown, key?: string, within?: Within): unknown => {
    if (Array.isArray(value)) {
      const items = key === 'managedFields' ? value.toSorted(managersWithoutTime) : value;
      return items.map((item) => body(item, key, within));
    }
    if (typeof value === 'object' && value !== null) {
      const record = value as Readonly<Record<string, unknown>>;
      return Object.fromEntries(
        Object.entries(record)
          .toSorted(identityFirst)
          .map(([name, item]) => [text(name), body(item, name, { key, record })]),
      );
    }
    if (typeof value === 'number')
      return isPort(key, within) && value >= 30_000 ? wordFor('PORT', String(value)) : value;
    if (typeof value !== 'string') return value;
    switch (key) {
      case 'uid':
        return value === '' ? value : wordFor('UID', value);
      case 'resourceVersion':
        // The resourceVersion of a list changes with every write of any client.
        return value === '' || value === '0' ? value : isOfObject(within) ? wordFor('VERSION', value) : 'VERSION';
      case 'creationTimestamp':
      case 'deletionTimestamp':
        return 'TIME';
      case 'description':
        // Descriptions of columns and fields are documentation of the real server; ours are our
        // own, or absent.
        return 'DESCRIPTION';
      case 'continue':
        return value === '' ? value : 'CONTINUE';
      case 'cells':
        return cell(value);
      case 'clusterIP':
      case 'clusterIPs':
        return value === '' || value === 'None' ? value : wordFor('ADDRESS', value);
      case 'name':
        return suffixed(within?.record, value);
      default:
        return text(value);
    }
  };

  /** A cell of a Table: ages, and addresses and ports that an object of the case was given. */
  const cell = (value: string): string => {
    if (agePattern.test(value)) return 'AGE';
    const word = words.get(`ADDRESS ${value}`);
    return (
      word ??
      text(value)
        .replace(/\(\w+ ago\)/, '(AGE ago)')
        .replaceAll(/:3\d{4}\//g, ':PORT/')
    );
  };

  /** A generated name is its base and five characters. */
  const suffixed = (metadata: Readonly<Record<string, unknown>> | undefined, name: string): string => {
    const base = metadata?.['generateName'];
    if (typeof base !== 'string' || base === '' || !name.startsWith(base.slice(0, maxGeneratedBase))) return text(name);
    return `${text(base.slice(0, maxGeneratedBase))}${wordFor('SUFFIX', name)}`;
  };

  return {
    body(value) {
      learnHashes(value);
      return withCausesInOrder(body(value));
    },
    text,
  };
}

interface Cause {
  readonly field?: string;
  readonly message?: string;
}

/**
 * The kinds whose mistakes the sandbox finds in another order than the real server: part by part,
 * in the order of the type.
 */
const kindsWithPods: ReadonlySet<unknown> = new Set(['Pod', 'Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet']);

/**
 * The rejection of a Pod, or of a kind that creates Pods, with its errors sorted by text, also in
 * the message. Other answers are unchanged.
 */
function withCausesInOrder(answer: unknown): unknown {
  const { message, details } = (answer ?? {}) as {
    readonly message?: unknown;
    readonly details?: { readonly kind?: unknown; readonly causes?: readonly Cause[] } | null;
  };
  const causes = details?.causes;
  if (causes === undefined || causes.length < 2 || !kindsWithPods.has(details?.kind)) return answer;
  const listed = (each: readonly Cause[]) => `[${each.map(textOfCause).join(', ')}]`;
  const sorted = causes.toSorted((a, b) => (textOfCause(a) < textOfCause(b) ? -1 : 1));
  return {
    ...(answer as object),
    ...(typeof message === 'string' && { message: message.replace(listed(causes), () => listed(sorted)) }),
    details: { ...details, causes: sorted },
  };
}

const textOfCause = ({ field = '', message = '' }: Cause) => `${field}: ${message}`;

/**
 * Numbers the identity of an object before its references, whatever the server's order of fields.
 */
function identityFirst([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  const rank = (name: string) => (name === 'metadata' || name === 'uid' ? 0 : 1);
  return rank(a) - rank(b);
}

interface Manager {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly subresource?: string;
}

/**
 * The order of `managedFields` for writes of one second. A server sorts by the second first, so the
 * order of the same writes differs if a new second begins between two of them.
 */
function managersWithoutTime(a: Manager, b: Manager): number {
  const rank = ({ operation = '', manager = '', apiVersion = '', subresource = '' }: Manager) =>
    JSON.stringify([operation, manager, apiVersion, subresource]);
  return rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0;
}

interface Within {
  /** The key that holds the record. */
  readonly key: string | undefined;
  readonly record: Readonly<Record<string, unknown>>;
}

/** The labels that hold them. */
const hashLabels: ReadonlySet<string> = new Set([
  'pod-template-hash',
  'controller-revision-hash',
  'controller.kubernetes.io/hash',
]);

/** The server cuts the prefix of a generated name. */
const maxGeneratedBase = 58;

const agePattern = /^\d+[smhdy](\d+[smhd])?$/;
const uidPattern = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const timePattern = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g;

function isOfObject(within: Within | undefined): boolean {
  return within?.key === 'metadata' && within.record['uid'] !== undefined;
}

function isPort(key: string | undefined, within: Within | undefined): boolean {
  return key === 'nodePort' || (key === 'healthCheckNodePort' && within !== undefined);
}
