/**
 * An answer with what no two servers share replaced: uids, times, resourceVersions, allocated addresses, generated names become words that
 * tell the order in which they appeared. Equal conversations have equal normal forms.
 */
export interface Normaliser {
  readonly normalise: (body: unknown) => unknown;
}

export function createNormaliser(): Normaliser {
  const seen = new Map<string, string>();
  const word = (kind: string, value: string) => {
    const key = `${kind} ${value}`;
    const known = seen.get(key);
    if (known !== undefined) return known;
    const count = [...seen.keys()].filter((each) => each.startsWith(`${kind} `)).length;
    const made = `<${kind} ${count + 1}>`;
    seen.set(key, made);
    return made;
  };
  const inText = (text: string) =>
    text
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, (uid) => word('uid', uid))
      .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\b/g, '<time>')
      .replace(/\bgen-[a-z0-9]{5}\b/g, (name) => word('name', name))
      .replace(/(in record \(|too old resource version: \d+ \()\d+/g, '$1<version>');

  function normalise(value: unknown, key = ''): unknown {
    if (Array.isArray(value)) return value.map((item) => normalise(item, key));
    if (typeof value === 'string') {
      if (key === 'resourceVersion') return word('version', value);
      if (key === 'continue') return '<token>';
      if ((key === 'clusterIP' || key === 'clusterIPs') && value !== 'None') return word('address', value);
      return inText(value);
    }
    if (typeof value !== 'object' || value === null) return value;
    const isList = 'items' in value;
    const entries = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      // Managed fields are not the stand-in's; an empty token is no token; a list's version counts what others wrote meanwhile.
      if (name === 'managedFields' || (name === 'continue' && member === '')) return [];
      if (name === 'metadata' && isList)
        return [[name, normalise({ ...(member as object), resourceVersion: undefined })]];
      return member === undefined ? [] : [[name, normalise(member, name)]];
    });
    return Object.fromEntries(entries);
  }
  return { normalise: (body) => normalise(body) };
}
