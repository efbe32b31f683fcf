/** The oldest Node that the program runs on, as built for the npm package. */
export const oldestNode = '22.12';

/**
 * The error to print on a Node of this version, as `v20.1.0`; undefined if it is new enough. npm
 * only warns when it installs the package for an older one.
 */
export function olderThanRequired(version: string): string | undefined {
  const numbers = (text: string) => text.replace('v', '').split('.').map(Number);
  const [major = 0, minor = 0] = numbers(version);
  const [oldestMajor = 0, oldestMinor = 0] = numbers(oldestNode);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `error: isthmus needs Node ${oldestNode} or later, and this is ${version}. Install a newer one, and check with "node --version" that your shell finds it first.`;
}
