import type { JsonSchema } from '@isthmus/schema';
import { createSandbox } from '@isthmus/sandbox';
import { clusterAdmin, createVirtualClock } from '@isthmus/fleet-sim';
import { runCli } from '../../../packages/cli/src/run-cli.ts';
import { madeUpIo } from '../../../packages/cli/src/testing/made-up-io.ts';
import { apiServer, askThrough } from '../api-server.ts';
import type { ApiServer, Ask } from '../api-server.ts';
import type { CheckRun } from '../checks.ts';
import { historyOf } from '../history.ts';
import type { History } from '../history.ts';
import type { CorpusWorld } from '../run-history.ts';

/** A CRD in a file: `v1`, or these versions, of `widgets.example.com`. */
export function widgets(schema: JsonSchema, more: object = {}): string {
  const root = { type: 'object', properties: { spec: schema } };
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: root } }],
      ...more,
    },
  });
}

/** A history of files by path, below the folder `made-up`. */
export function madeUpHistory(files: Readonly<Record<string, string>>): History {
  return historyOf('made-up', Object.keys(files));
}

/**
 * A sandbox in the place of the API server. `alter` changes requests between the corpus and the
 * server.
 */
export function madeUpServer(alter: (ask: Ask) => Ask = (ask) => ask): ApiServer {
  const clock = createVirtualClock({ startMs: Date.UTC(2026, 10, 23) });
  const sandbox = createSandbox({ name: 'corpus', clock });
  return apiServer(alter(askThrough(sandbox.transport(clusterAdmin))), () => clock.advance(1_000));
}

/** Files in memory, and checks in this process. */
export function madeUpWorld(files: Readonly<Record<string, string>>, server = madeUpServer()): CorpusWorld {
  const io = madeUpIo({ files });
  return {
    readText: async (path) => (await io.readFile(path)).text,
    async writeText(name, text) {
      const path = `scratch/${name}`;
      await io.writableFiles.replace(path, text);
      return path;
    },
    async runChecks(lines) {
      const runs: CheckRun[] = [];
      for (const args of lines) {
        const check = madeUpIo({ files: Object.fromEntries(io.files) });
        const exit = await runCli(check, ['upgrade', 'check', ...args]);
        runs.push({ exit, stdout: check.out, stderr: check.err, cpuMs: 10, memoryMb: 100 });
      }
      return runs;
    },
    server,
    others: {},
  };
}
