/**
 * The location of an image, including everything that its reference may leave out.
 */
export interface ImageReference {
  /** `public.ecr.aws`, `mirror.example:5000`; `docker.io` where the reference names none. */
  readonly host: string;
  /** `eks/cilium/cilium`; `library/nginx` for the short names of Docker Hub. */
  readonly repository: string;
  /** `latest` where the reference has neither tag nor digest. */
  readonly tag?: string | undefined;
  readonly digest?: string | undefined;
}

const component = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const repositoryPattern = new RegExp(`^${component}(?:/${component})*$`);
const hostPattern =
  /^(?:(?:[a-zA-Z0-9]|[a-zA-Z0-9][-a-zA-Z0-9]*[a-zA-Z0-9])(?:\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][-a-zA-Z0-9]*[a-zA-Z0-9]))*|\[[0-9a-fA-F:]+\])(?::\d{1,5})?$/;
const tagPattern = /^\w[\w.-]{0,127}$/;
const digestPattern = /^sha256:[0-9a-f]{64}$/;

/**
 * Reads an image reference as container runtimes do: the part before the first slash is a registry
 * if it contains a dot or a colon or is `localhost`. `oci://` in front is left out. Only SHA-256
 * digests. A text that is not a reference has a `problem`, without the text.
 */
export function parseImageReference(text: string): ImageReference | { readonly problem: string } {
  const bare = text.replace(/^oci:\/\//, '');
  const [name = '', digest, ...more] = bare.split('@');
  if (more.length > 0) return { problem: 'it has more than one @' };
  if (digest !== undefined && !digestPattern.test(digest)) {
    return {
      problem: `${JSON.stringify(digest.slice(0, 80))} is not a SHA-256 digest, sha256: and 64 hexadecimal digits`,
    };
  }
  const slash = name.lastIndexOf('/');
  const colon = name.indexOf(':', slash + 1);
  const [path, tag] = colon < 0 ? [name, undefined] : [name.slice(0, colon), name.slice(colon + 1)];
  if (tag !== undefined && !tagPattern.test(tag))
    return { problem: `${JSON.stringify(tag.slice(0, 140))} is not a tag` };
  const [first = '', ...rest] = path.split('/');
  const isHost = rest.length > 0 && (/[.:A-Z]/.test(first) || first === 'localhost');
  const host = isHost ? first : 'docker.io';
  if (!hostPattern.test(host)) return { problem: `${JSON.stringify(host.slice(0, 80))} is not the name of a registry` };
  const repository = isHost ? rest.join('/') : rest.length === 0 ? `library/${first}` : path;
  if (repository.length > 255 || !repositoryPattern.test(repository)) {
    return {
      problem: `${JSON.stringify(repository.slice(0, 260))} is not the name of a repository, which is in lower case`,
    };
  }
  return { host, repository, digest, tag: tag ?? (digest === undefined ? 'latest' : undefined) };
}
