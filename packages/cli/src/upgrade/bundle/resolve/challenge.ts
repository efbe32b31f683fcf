/** One way to authenticate that a server offers. */
export interface Challenge {
  /** Lower case: `basic`, `bearer`. */
  readonly scheme: string;
  /** By lower-case names. */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Reads a `WWW-Authenticate` header (RFC 9110 §11.6.1), of one or several challenges. It ends
 * before the first part that cannot be read.
 */
export function challengesIn(header: string): readonly Challenge[] {
  const challenges: { readonly scheme: string; readonly parameters: Map<string, string> }[] = [];
  const token = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y;
  let at = 0;
  const skip = (pattern: RegExp) => {
    const sticky = new RegExp(pattern, 'y');
    sticky.lastIndex = at;
    at += sticky.exec(header)?.[0].length ?? 0;
  };
  const word = () => {
    token.lastIndex = at;
    const found = token.exec(header)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  for (;;) {
    skip(/[ \t,]*/);
    const name = word();
    if (name === undefined) return challenges;
    const afterName = at;
    skip(/[ \t]*/);
    if (header[at] !== '=') {
      at = afterName;
      challenges.push({ scheme: name.toLowerCase(), parameters: new Map() });
      continue;
    }
    at++;
    skip(/[ \t]*/);
    const value = header[at] === '"' ? quoted() : word();
    if (value === undefined) return challenges;
    challenges.at(-1)?.parameters.set(name.toLowerCase(), value);
  }

  function quoted(): string | undefined {
    const text = /"((?:[^"\\]|\\.)*)"/y;
    text.lastIndex = at;
    const found = text.exec(header);
    at += found?.[0].length ?? 0;
    return found?.[1]?.replaceAll(/\\(.)/g, '$1');
  }
}
