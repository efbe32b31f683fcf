import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { versionsOf } from './ask.ts';
import type { Run } from './ask.ts';
import { newerOf } from './newer.ts';
import type { Pinned } from './pinned.ts';
import { goPins, npmPins } from './pinned.ts';
import { updatesOf } from './report.ts';

const npm = (name: string, version: string): Pinned => ({ source: 'npm', name, version, file: 'package.json' });

describe('The pins', () => {
  it('of a package.json are its dependencies of both kinds, without those of the repository', () => {
    const text = JSON.stringify({
      dependencies: { '@isthmus/kube': '0.1.0', yaml: '2.9.1' },
      devDependencies: { vitest: '5.1.1' },
    });
    expect(npmPins('package.json', text)).toEqual([npm('vitest', '5.1.1'), npm('yaml', '2.9.1')]);
  });

  it('of a go.mod are the modules of its programs', () => {
    const text =
      'tool (\n\texample.org/a/cmd/run\n)\n\nrequire (\n\texample.org/a v1.2.3\n\texample.org/b v0.1.0 // indirect\n)\n';
    expect(goPins('envtest/go.mod', text)).toEqual([
      { source: 'Go', name: 'example.org/a', version: 'v1.2.3', file: 'envtest/go.mod' },
    ]);
  });

  it('of the go.mod of the tests name Kubernetes and etcd', () => {
    const text = readFileSync(new URL('../../envtest/go.mod', import.meta.url), 'utf8');
    expect(goPins('envtest/go.mod', text).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['go.etcd.io/etcd/server/v3', 'k8s.io/kubernetes']),
    );
  });
});

describe('What is newer than a pin', () => {
  it.each<[string, string, readonly string[], string | undefined, string | undefined]>([
    ['a fix', '1.2.3', ['1.2.3', '1.2.10', '1.2.9'], '1.2.10', undefined],
    ['a minor version', '1.2.3', ['1.3.0', '1.2.4'], '1.3.0', undefined],
    ['a later major version beside a fix', '1.2.3', ['1.2.4', '2.0.0', '3.1.0'], '1.2.4', '3.1.0'],
    ['a module of Go', 'v1.36.3', ['v1.36.4', 'v1.37.0-alpha.1'], 'v1.36.4', undefined],
  ])('is %s', (_what, version, versions, sameMajor, laterMajor) => {
    const pinned = npm('some', version);
    expect(newerOf(pinned, versions)).toEqual({ pinned, sameMajor, laterMajor });
  });

  it.each([
    ['the pinned version', ['1.2.3']],
    ['older versions', ['1.2.2', '0.9.0']],
    ['pre-releases', ['1.3.0-rc.1', '2.0.0-beta']],
  ])('ignores %s', (_what, versions) => {
    expect(newerOf(npm('some', '1.2.3'), versions)).toBeUndefined();
  });

  it('is, of a package of Debian, whatever else apt would install', () => {
    const pinned: Pinned = { source: 'Debian', name: 'libc6', version: '2.36-9+deb12u13', file: 'pins.ts' };
    expect(newerOf(pinned, ['2.36-9+deb12u14'])?.sameMajor).toBe('2.36-9+deb12u14');
    expect(newerOf(pinned, ['2.36-9+deb12u13'])).toBeUndefined();
  });
});

describe('The sources are asked', () => {
  const asked: string[] = [];
  const answering =
    (answer: string): Run =>
    async (program, args, directory) => {
      asked.push([program, ...args, directory ?? '.'].join(' '));
      return answer;
    };

  it('npm for all versions, of which there may be one', async () => {
    expect(await versionsOf(npm('yaml', '1.0.0'), answering('["1.0.0","2.0.0"]'))).toEqual(['1.0.0', '2.0.0']);
    expect(await versionsOf(npm('yaml', '1.0.0'), answering('"1.0.0"'))).toEqual(['1.0.0']);
    expect(asked.at(-1)).toBe('npm view yaml versions --json .');
  });

  it('Go for all versions, beside the go.mod', async () => {
    const pinned: Pinned = { source: 'Go', name: 'example.org/a', version: 'v1.0.0', file: 'envtest/go.mod' };
    expect(await versionsOf(pinned, answering('example.org/a v1.0.0 v1.1.0\n'))).toEqual(['v1.0.0', 'v1.1.0']);
    expect(asked.at(-1)).toBe('go list -m -versions -mod=mod example.org/a envtest');
  });

  it('apt for its candidate, and who has no lists of packages learns what to run', async () => {
    const pinned: Pinned = { source: 'Debian', name: 'libc6', version: '1', file: 'pins.ts' };
    expect(await versionsOf(pinned, answering('libc6:\n  Installed: 1\n  Candidate: 2\n'))).toEqual(['2']);
    await expect(versionsOf(pinned, answering(''))).rejects.toThrow('apt-get update');
  });
});

describe('The list of updates', () => {
  const pins = [npm('yaml', '2.0.0'), npm('pino', '1.0.0'), npm('gone', '1.0.0')];
  const run: Run = async (_program, [, name = '']) => {
    if (name === 'gone') throw new Error('404 Not Found');
    return JSON.stringify(name === 'yaml' ? ['2.0.0', '2.1.0', '3.0.0'] : ['1.0.0']);
  };

  it('names each pin with an update, where it is pinned, and each that could not be asked about', async () => {
    const { text, exitCode } = await updatesOf(pins, run);
    expect(text.split('\n')).toEqual([
      'SOURCE  NAME  PINNED  SAME MAJOR  LATER MAJOR  FILE',
      'npm     yaml  2.0.0   2.1.0       3.0.0        package.json',
      '',
      'not known: npm gone 1.0.0 (package.json): 404 Not Found',
      '',
      '3 pinned, 1 with an update, 1 not known',
    ]);
    expect(exitCode).toBe(1);
  });

  it('is empty where all is current', async () => {
    const { text, exitCode } = await updatesOf([npm('pino', '1.0.0')], run);
    expect([text, exitCode]).toEqual(['1 pinned, 0 with an update', 0]);
  });
});
