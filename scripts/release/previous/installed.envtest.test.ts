import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KubernetesObject } from '@isthmus/machinery';
import { parseYaml } from '@isthmus/machinery';
import type { RealApiServer } from '@isthmus/testkit';
import { startApiServer } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installTools } from '../../../tools/programs.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** The Service CIDR of the recorded cluster: imports have addresses of it. */
const serviceCIDR = '10.97.0.0/16';
const before = fileURLToPath(new URL('fixtures', import.meta.url));

/**
 * The objects of a member that a user or a controller has put there, without what Kubernetes itself
 * makes.
 */
const kinds = ['ClusterSet', 'ServiceExport', 'ServiceImport', 'Service', 'EndpointSlice'];

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const objectsIn = (path: string) =>
  parseYaml(readFileSync(path, 'utf8'), { source: path }).map(({ value }) => value as KubernetesObject);

/**
 * As a user would write it. An API server assigns uids, so owners, which are named by theirs, are
 * left out.
 */
function asWritten({ apiVersion, kind, metadata, ...rest }: KubernetesObject): object {
  const { name, namespace, labels, annotations, finalizers } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, labels, annotations, finalizers }, ...rest };
}

const recorded = objectsIn(join(before, 'objects/east.yaml'))
  .filter(({ kind = '', metadata }) => kinds.includes(kind) && metadata.namespace !== 'default')
  .filter(({ kind, metadata }) => kind !== 'EndpointSlice' || metadata.name.startsWith('antrea-mc-'))
  .map(asWritten);

/** An API server on which a version of Isthmus is installed, with programs to change that. */
interface Machine extends AsyncDisposable {
  run(program: string, ...args: readonly string[]): Promise<Ended>;
  /** Runs a program that must end with 0; what it wrote. */
  done(program: string, ...args: readonly string[]): Promise<string>;
  /**
   * Writes the recorded objects of the member, as they are in the API servers of the release
   * before.
   */
  putObjects(): Promise<void>;
  /** Name, uid, spec and endpoints of each of them. */
  objects(): Promise<readonly string[]>;
}

async function start(kubectl: string): Promise<Machine> {
  const home = mkdtempSync(join(tmpdir(), 'isthmus-previous-'));
  const server: RealApiServer = await startApiServer({ name: 'previous', serviceCIDR });
  const run: Machine['run'] = (program, ...args) =>
    new Promise((resolve) => {
      const env = { PATH: process.env['PATH'] ?? '', HOME: home, KUBECONFIG: server.kubeconfigPath };
      execFile(program, args, { env, maxBuffer: 2 ** 26 }, (error, out, err) =>
        resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 255, out, err }),
      );
    });
  const done: Machine['done'] = async (program, ...args) => {
    const { code, out, err } = await run(program, ...args);
    expect({ args, code, err: code === 0 ? '' : err }).toEqual({ args, code: 0, err: '' });
    return out;
  };
  const file = join(home, 'objects.json');
  return {
    run,
    done,
    async putObjects() {
      await done(kubectl, 'create', 'namespace', 'shop');
      await done(kubectl, 'wait', 'crd', '--all', '--for=condition=Established', '--timeout=300s');
      writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: recorded }));
      await done(kubectl, 'create', '--validate=false', '-f', file);
    },
    async objects() {
      const { items } = JSON.parse(await done(kubectl, 'get', '-f', file, '-o', 'json')) as {
        readonly items: readonly (KubernetesObject & Readonly<Record<'spec' | 'endpoints' | 'ports', unknown>>)[];
      };
      return items.map(({ kind, metadata, spec, endpoints, ports }) =>
        JSON.stringify({ kind, name: metadata.name, uid: metadata.uid, spec, endpoints, ports }),
      );
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

describe.each(installTools(console.log))(
  'what the previous release has installed, with the programs of $name',
  ({ helm, kubectl }) => {
    let machine: Machine;

    beforeAll(async () => {
      machine = await start(kubectl);
    });
    afterAll(() => machine?.[Symbol.asyncDispose]());

    it.each([
      ['by the client', [], []],
      ['by the server', ['--server-side'], ['--server-side']],
      [
        'first by the client, then by the server with the flag that kubectl names',
        [],
        ['--server-side', '--force-conflicts'],
      ],
    ])(
      'is upgraded by the manifests of this one, applied %s: no object is lost, and every import keeps its uid and addresses',
      async (_, first, second) => {
        await using own = await start(kubectl);
        await own.done(kubectl, 'create', 'namespace', 'antrea-multicluster');
        const apply = (how: readonly string[], folder: string) =>
          own.done(kubectl, 'apply', ...how, '-f', `${folder}/leader.yaml`, '-f', `${folder}/member.yaml`);
        await apply(first, join(before, 'manifests'));
        await own.putObjects();
        const installed = await own.objects();
        expect(installed).toHaveLength(recorded.length);
        await apply(second, join(root, 'deploy'));
        expect(await own.objects()).toEqual(installed);
        // The next actions of a controller: one write to each object, by the schemas of this
        // release.
        await own.done(kubectl, 'annotate', 'serviceimport,serviceexport', '--all', '-n', 'shop', 'upgraded=yes');
        expect(await own.objects()).toEqual(installed);
        // Nothing is installed that the manifests of this release do not have: an uninstall with
        // them leaves nothing.
        const names = (folder: string) =>
          new Set(
            ['leader', 'member'].flatMap((role) =>
              objectsIn(`${folder}/${role}.yaml`).map(
                ({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`,
              ),
            ),
          );
        const now = names(join(root, 'deploy'));
        expect([...names(join(before, 'manifests'))].filter((name) => !now.has(name))).toEqual([]);
      },
    );

    it('is upgraded by the chart of this one, which goes back, is uninstalled and installed again: every import keeps its uid and addresses', async () => {
      const release = ['-n', 'kube-system'] as const;
      const chart = join(root, 'deploy/charts/isthmus');
      const columns = () =>
        machine.done(kubectl, 'get', 'crd', 'clustersets.multicluster.crd.antrea.io', '-o', 'jsonpath={.spec}');
      await machine.done(helm, 'install', 'isthmus', join(before, 'chart'), ...release, '--set', 'role=member');
      await machine.putObjects();
      const installed = await machine.objects();
      const definition = await columns();

      await machine.done(helm, 'upgrade', 'isthmus', chart, ...release, '--set', 'role=member');
      expect(await machine.objects()).toEqual(installed);
      const upgraded = await columns();
      expect(upgraded).not.toBe(definition);

      await machine.done(helm, 'rollback', 'isthmus', '1', ...release);
      expect(await machine.objects()).toEqual(installed);
      expect(await columns()).toBe(definition);

      await machine.done(helm, 'upgrade', 'isthmus', chart, ...release, '--set', 'role=member');
      await machine.done(helm, 'uninstall', 'isthmus', ...release);
      expect(await machine.objects()).toEqual(installed);
      await machine.done(helm, 'install', 'isthmus', chart, ...release, '--set', 'role=member');
      expect(await machine.objects()).toEqual(installed);
      expect(await columns()).toBe(upgraded);
    });
  },
);
