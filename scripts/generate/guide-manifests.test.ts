import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { guideManifests } from './guide-manifests.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
const text = (path: string) => readFileSync(join(root, path), 'utf8');
const script = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(join(root, 'multicluster/hack/generate-manifest.sh'), args, {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};

describe('the manifests of the guides of Antrea Multi-cluster', () => {
  it('are in a checkout, those of CRDs and members as links to ours', () => {
    for (const [path, expected] of Object.entries(guideManifests(version))) expect(text(path), path).toBe(expected);
    expect(Object.values(guideManifests(version))).toEqual([
      text('deploy/leader-global.yaml'),
      expect.stringContaining('namespace: antrea-multicluster'),
      text('deploy/member.yaml'),
    ]);
  });

  it('name the image by tag and digest in a release', () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const [, leader, member] = Object.values(guideManifests(version, digest));
    for (const one of [leader, member]) expect(one).toContain(`image: isthmus/controller:${version}@${digest}\n`);
  });
});

describe('generate-manifest.sh', () => {
  it('prints a leader for the Namespace after -l', () => {
    const expected = text('deploy/leader-namespaced.yaml').replaceAll('changeme', 'antrea-mcs-ns');
    expect(script('-l', 'antrea-mcs-ns')).toEqual({ status: 0, stdout: expected, stderr: '' });
  });

  it.each([
    ['-g', 'deploy/leader-global.yaml'],
    ['-m', 'deploy/member.yaml'],
  ])('prints for %s the file %s', (flag, path) => {
    expect(script(flag)).toEqual({ status: 0, stdout: text(path), stderr: '' });
  });

  // A shell with CDPATH looks for relative paths elsewhere, and prints where it found them.
  it('prints the manifest of its own tree where the caller has exported CDPATH', () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'isthmus-cdpath-'));
    try {
      mkdirSync(join(elsewhere, 'multicluster/hack'), { recursive: true });
      mkdirSync(join(elsewhere, 'deploy'));
      writeFileSync(join(elsewhere, 'deploy/member.yaml'), 'kind: Foreign\n');
      const { status, stdout, stderr } = spawnSync('sh', ['-c', 'multicluster/hack/generate-manifest.sh -m'], {
        encoding: 'utf8',
        cwd: root,
        env: { ...process.env, CDPATH: elsewhere },
      });
      expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: text('deploy/member.yaml'), stderr: '' });
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  it.each([
    [['-l', 'a/b'], "the Namespace 'a/b' is no name"],
    [['-l'], "the Namespace '' is no name"],
    [['-m', '-g'], 'more arguments than one manifest needs'],
    [['-x'], "unknown argument '-x'"],
    [[], 'no manifest named'],
  ])('prints nothing for %j, and the reason', (args, reason) => {
    const { status, stdout, stderr } = script(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(reason);
  });
});
