/**
 * The path and query of a request line.
 */
export interface RequestTarget {
  /** The path as it was sent, with its escapes. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

/**
 * Parses a request target as Go's `net/url` does. An absolute URL counts by its path. Pairs of the
 * query with a broken escape or a semicolon are dropped, and of several with one name the first
 * counts. Undefined if the path has a broken escape.
 */
export function requestTargetOf(url: string): RequestTarget | undefined {
  const relative = url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  const mark = relative.indexOf('?');
  const path = mark === -1 ? relative : relative.slice(0, mark);
  if (unescaped(path) === undefined) return undefined;
  return { path: path === '' ? '/' : path, query: mark === -1 ? {} : queryOf(relative.slice(mark + 1)) };
}

function queryOf(text: string): Readonly<Record<string, string>> {
  // The object has no prototype: `__proto__` is a name like any other.
  const query = Object.create(null) as Record<string, string>;
  for (const pair of text.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const equals = pair.indexOf('=');
    const name = unescaped((equals === -1 ? pair : pair.slice(0, equals)).replaceAll('+', ' '));
    const value = unescaped((equals === -1 ? '' : pair.slice(equals + 1)).replaceAll('+', ' '));
    if (name !== undefined && value !== undefined && !(name in query)) query[name] = value;
  }
  return query;
}

/**
 * The unescaped text; undefined if an escape is not valid. Bytes that are not valid UTF-8 become
 * U+FFFD, as Go prints them.
 */
function unescaped(text: string): string | undefined {
  if (!text.includes('%')) return text;
  if (/%(?![0-9a-f]{2})/i.test(text)) return undefined;
  return Buffer.from(
    text.replaceAll(
      /%([0-9a-f]{2})|[^%]+/gi,
      (part, hex: string | undefined) => hex ?? Buffer.from(part).toString('hex'),
    ),
    'hex',
  ).toString('utf8');
}
