import {
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelValueErrors,
  qualifiedNameErrors,
} from '@isthmus/machinery';
import { Optional } from '@marcbachmann/cel-js';
import { isBase64 } from '../../formats.ts';
import type { Library } from './library.ts';

/** A URL of CEL. */
class Url {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  constructor([scheme, host, path, query]: readonly [string, string, string, string]) {
    this.scheme = scheme;
    this.host = host;
    this.path = path;
    this.query = query;
  }
  toString(): string {
    return JSON.stringify([this.scheme, this.host, this.path, this.query]);
  }
}

/** A format of names, which returns the errors of a text. */
class NamedFormat {
  readonly problems: (text: string) => readonly string[];
  constructor(problems: (text: string) => readonly string[]) {
    this.problems = problems;
  }
}

const withoutDash = (text: string) => text.replace(/-$/, 'a');
const shape = (pattern: RegExp, why: string) => (text: string) => (pattern.test(text) ? [] : [why]);

const formats: Readonly<Record<string, (text: string) => readonly string[]>> = {
  dns1123Label: dns1123LabelErrors,
  dns1123Subdomain: dns1123SubdomainErrors,
  dns1035Label: dns1035LabelErrors,
  qualifiedName: qualifiedNameErrors,
  dns1123LabelPrefix: (text) => dns1123LabelErrors(withoutDash(text)),
  dns1123SubdomainPrefix: (text) => dns1123SubdomainErrors(withoutDash(text)),
  dns1035LabelPrefix: (text) => dns1035LabelErrors(withoutDash(text)),
  labelValue: labelValueErrors,
  uri: (text) => (readUrl(text) === undefined ? [`parse ${JSON.stringify(text)}: invalid URI for request`] : []),
  uuid: shape(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i, 'does not match the UUID format'),
  byte: (text) => (isBase64(text) ? [] : ['invalid base64']),
  date: shape(/^\d{4}-\d{2}-\d{2}$/, 'invalid date'),
  datetime: shape(/^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/, 'invalid datetime'),
};

/** URLs and named formats (Kubernetes' url and format libraries). */
export const textLibrary: Library = {
  types: { 'kubernetes.URL': Url, 'kubernetes.NamedFormat': NamedFormat },
  namespaces: ['format'],
  functions: {
    'isURL(string): bool': (text: string) => readUrl(text) !== undefined,
    'url(string): kubernetes.URL': urlOf,
    'kubernetes.URL.getScheme(): string': ({ scheme }: Url) => scheme,
    'kubernetes.URL.getHost(): string': ({ host }: Url) => host,
    'kubernetes.URL.getHostname(): string': ({ host }: Url) => host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1'),
    'kubernetes.URL.getPort(): string': ({ host }: Url) => /:(\d*)$/.exec(host)?.[1] ?? '',
    'kubernetes.URL.getEscapedPath(): string': ({ path }: Url) => path,
    'kubernetes.URL.getQuery(): map<string, list<string>>': ({ query }: Url) => {
      const parameters = new URLSearchParams(query);
      return new Map([...parameters.keys()].map((key) => [key, parameters.getAll(key)]));
    },
    ...Object.fromEntries(
      Object.entries(formats).map(([name, problems]) => [
        `FormatSpace.${name}(): kubernetes.NamedFormat`,
        () => new NamedFormat(problems),
      ]),
    ),
    'FormatSpace.named(string): optional<kubernetes.NamedFormat>': (_: unknown, name: string) => {
      const problems = Object.hasOwn(formats, name) ? formats[name] : undefined;
      return problems === undefined ? Optional.none() : Optional.of(new NamedFormat(problems));
    },
    'kubernetes.NamedFormat.validate(string): optional<list<string>>': ({ problems }: NamedFormat, text: string) => {
      const found = problems(text);
      return found.length === 0 ? Optional.none() : Optional.of([...found]);
    },
  },
};

function readUrl(text: string): Url | undefined {
  if (/[\p{Cc} ]/u.test(text)) return undefined;
  const absolute = /^([a-zA-Z][a-zA-Z0-9+.-]*):(?:\/\/([^/?]*))?(\/[^?]*)?(?:\?(.*))?$/.exec(text);
  if (absolute !== null) {
    return new Url([(absolute[1] ?? '').toLowerCase(), absolute[2] ?? '', absolute[3] ?? '', absolute[4] ?? '']);
  }
  const path = /^(\/[^?]*)(?:\?(.*))?$/.exec(text);
  return path === null ? undefined : new Url(['', '', path[1] ?? '', path[2] ?? '']);
}

function urlOf(text: string): Url {
  const url = readUrl(text);
  if (url !== undefined) return url;
  throw new Error(
    `URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`,
  );
}
