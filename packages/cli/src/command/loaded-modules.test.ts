import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** The packages that a module imports when it is loaded, over all modules of this package that it brings along. */
function packagesOf(start: URL): ReadonlySet<string> {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const waiting = [start];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (seen.has(at.href)) continue;
    seen.add(at.href);
    const text = readFileSync(fileURLToPath(at), 'utf8');
    for (const [, specifier = ''] of text.matchAll(/^(?:import|export) (?!type )[^;]*? from '([^']+)'/gm)) {
      if (!specifier.startsWith('.')) packages.add(specifier);
      else if (specifier.endsWith('.ts')) waiting.push(new URL(specifier, at));
    }
  }
  return packages;
}

describe('the tree of commands', () => {
  it('brings along neither the sandbox nor the rules of upgrades: a controller would hold them in memory for nothing', () => {
    const packages = packagesOf(new URL('../main.ts', import.meta.url));
    expect(packages).toContain('@isthmus/clusterset');
    expect(packages).not.toContain('@isthmus/sandbox');
    expect(packages).not.toContain('@isthmus/upgrade');
  });
});
