/**
 * Whether an image reference means the tag `latest`: it names this tag, or neither a tag nor a
 * digest. False for a text that is not a reference.
 */
export function isLatest(image: string): boolean {
  const match = reference.exec(image);
  if (match === null) return false;
  const [, , tag, digest] = match;
  return tag === 'latest' || (tag === undefined && digest === undefined);
}

/**
 * The grammar of image references (github.com/distribution/reference), as far as tag and digest
 * need it.
 */
const domain =
  '(?:(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*(?::[0-9]+)?/)?';
const component = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const reference = new RegExp(
  `^(${domain}${component}(?:/${component})*)(?::([\\w][\\w.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`,
);
