import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isVersion, lockWith, manifestWith, pageWith, versionFiles, versionPages } from './set-version.ts';

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));

describe('the version of the repository', () => {
  const { version } = read('package.json') as { readonly version: string };

  it('is the same in every package.json and in the lock file, and is written as they are', () => {
    expect(versionFiles().length).toBeGreaterThan(10);
    for (const path of versionFiles()) {
      const found = read(path) as Parameters<typeof lockWith>[1];
      const again = path === 'package-lock.json' ? lockWith(version, found) : manifestWith(version, found);
      const text = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
      expect({ path, text: `${JSON.stringify(again, undefined, 2)}\n` }).toEqual({ path, text });
    }
  });

  it('is in the names of files and images on pages', () => {
    for (const path of versionPages) {
      const text = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
      expect(text, path).toBe(pageWith(version, text));
      expect(text, path).not.toBe(pageWith('9.9.9', text));
    }
    const page = 'dist/isthmus-kube-0.1.0.tgz and dist/isthmus-0.1.0.tgz, isthmus/agent:0.1.0; since 0.1.0';
    expect(pageWith('1.2.0-rc.1', page)).toBe(
      'dist/isthmus-kube-1.2.0-rc.1.tgz and dist/isthmus-1.2.0-rc.1.tgz, isthmus/agent:1.2.0-rc.1; since 0.1.0',
    );
    expect(pageWith('1.2.0', pageWith('1.2.0-rc.1', page))).toBe(pageWith('1.2.0', page));
  });

  it('is set where packages of the repository have it, and for no other package', () => {
    const lock = {
      version: '0.1.0',
      packages: {
        '': { version: '0.1.0', devDependencies: { other: '0.1.0' } },
        'node_modules/other': { version: '0.1.0' },
        'packages/kube': { version: '0.1.0', dependencies: { '@isthmus/api': '0.1.0', other: '0.1.0' } },
      },
    };
    expect(lockWith('1.2.0-rc.1', lock)).toEqual({
      version: '1.2.0-rc.1',
      packages: {
        '': { version: '1.2.0-rc.1', devDependencies: { other: '0.1.0' } },
        'node_modules/other': { version: '0.1.0' },
        'packages/kube': { version: '1.2.0-rc.1', dependencies: { '@isthmus/api': '1.2.0-rc.1', other: '0.1.0' } },
      },
    });
  });

  it.each(['1.2.3', '0.1.0', '1.2.0-rc.1', '10.20.30-rc.12'])('can be %s', (text) => {
    expect(isVersion(text)).toBe(true);
  });

  it.each(['', 'v1.2.3', '1.2', '1.2.3-beta.1', '1.2.3-rc.0', '01.2.3', '1.2.3-rc.1 '])('cannot be "%s"', (text) => {
    expect(isVersion(text)).toBe(false);
  });
});
