import { readFileSync } from 'node:fs';

/** The version in the `package.json` of the checkout. */
export function repositoryVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
