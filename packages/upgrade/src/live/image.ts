/** A reference to an image, in its parts. */
export interface ImageReference {
  /** With the registry, without tag and digest. */
  readonly repository: string;
  /** Empty where there is none. */
  readonly tag: string;
  readonly digest: string | undefined;
}

/**
 * `registry:5000/antrea/antrea-agent:v2.7.0@sha256:…`: the tag is what follows the last colon of
 * the last path segment.
 */
export function parseImage(text: string): ImageReference {
  const [name = '', digest] = text.split('@');
  const colon = name.lastIndexOf(':');
  const tagged = colon > name.lastIndexOf('/');
  return {
    repository: tagged ? name.slice(0, colon) : name,
    tag: tagged ? name.slice(colon + 1) : '',
    digest: digest !== undefined && /^sha256:[0-9a-f]{64}$/.test(digest) ? digest : undefined,
  };
}

/**
 * The version that a tag names, undefined for `latest`, branches and hashes. EKS Anywhere appends
 * its own build to the version of the product (`v1.18.1-eks-a-92`): that part is left out. A suffix
 * that EKS-A gives to Cilium (`v1.16.9-2`) belongs to the version.
 */
export function versionOfTag(tag: string): string | undefined {
  const version = tag.toLowerCase().replace(/-eks-a-.*$/, '');
  return /^v?\d+\.\d+(?:\.\d+)?(?:[-+._][0-9a-z.+_-]+)?$/.test(version) ? version : undefined;
}
