import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** The modules that `main.ts` loads for every command. */
const loadedByMain = ['../main.ts', '../world/node-process.ts', '../run-cli.ts'].map(
  (path) => new URL(path, import.meta.url),
);

/**
 * The packages and the modules of this package that are loaded with some modules, directly or
 * through others.
 */
function loadedWith(starts: readonly URL[]): {
  readonly packages: ReadonlySet<string>;
  readonly modules: ReadonlySet<string>;
} {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const waiting = [...starts];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (seen.has(at.href)) continue;
    seen.add(at.href);
    const text = readFileSync(fileURLToPath(at), 'utf8');
    for (const [, specifier = ''] of text.matchAll(/^(?:import|export) (?!type )[^;]*? from '([^']+)'/gm)) {
      if (!specifier.startsWith('.')) packages.add(specifier);
      else if (specifier.endsWith('.ts')) waiting.push(new URL(specifier, at));
    }
  }
  const here = new URL('..', import.meta.url).href;
  return { packages, modules: new Set([...seen].map((href) => href.replace(here, ''))) };
}

describe('the tree of commands', () => {
  it('is loaded by the process, and nothing else of this package is but what Node 22 lacks, and what runs in Pods and Nodes of a sandbox in its place', () => {
    const text = readFileSync(fileURLToPath(new URL('../main.ts', import.meta.url)), 'utf8');
    const later = [...text.matchAll(/import\('([^']+)'\)/g)].map(([, path]) => path);
    const missing = 'core-js/actual/async-disposable-stack/index.js';
    const inSandbox = ['pod', 'node'].map((what) => `./sandbox/network/programs/${what}-program.ts`);
    expect(later).toEqual([...inSandbox, './world/node-process.ts', './run-cli.ts', missing]);
  });

  it('brings along no package as a whole but data rules, our kinds and the parser of arguments: help comes at once', () => {
    const { packages } = loadedWith(loadedByMain);
    const whole = [...packages].filter((name) => !/^node:|^@isthmus\/[a-z]+\/[a-z-]+$/.test(name));
    expect(whole.toSorted()).toEqual(['@isthmus/api', '@isthmus/machinery', 'commander']);
  });

  it('brings along nothing that only a running controller or a document needs: help and version come at once', () => {
    const { modules } = loadedWith(loadedByMain);
    expect(modules).toContain('controller/command.ts');
    for (const module of [
      'controller/run-controller.ts',
      'controller/role.ts',
      'world/node-memory.ts',
      'world/node-network.ts',
      'render/document-text.ts',
    ])
      expect(modules).not.toContain(module);
  });
});
