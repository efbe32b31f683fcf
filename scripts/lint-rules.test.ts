import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));

const world = 'The world is an argument';
const lower = 'A package imports only from lower floors';
const byRoot = 'Another package is imported by its root';
const notGlobal = 'An argument, not a global';
const floors = ['machinery', 'schema', 'api', 'kube', 'controlplane', 'install', 'cli'] as const;

/** Lines that no floor may contain, and the message of the linter for each. */
const refusedEverywhere: readonly (readonly [string, string])[] = [
  ["import { setTimeout } from 'node:timers/promises';", world],
  ["import { setTimeout } from 'timers';", world],
  ["import { env } from 'node:process';", world],
  ["import process from 'process';", world],
  ["import { performance } from 'node:perf_hooks';", world],
  ["import { performance } from 'perf_hooks';", world],
  ["import { randomUUID } from 'node:crypto';", world],
  ["import { randomUUID } from 'crypto';", world],
  ["import { readFile } from 'node:fs/promises';", world],
  ["import { readFileSync } from 'fs';", world],
  ["import { spawn } from 'node:child_process';", world],
  ["import { spawn } from 'child_process';", world],
  ["import { request } from 'node:http';", world],
  ["import * as http from 'http';", world],
  ["import { request } from 'https';", world],
  ["import { connect } from 'http2';", world],
  ["import { connect } from 'net';", world],
  ["import { connect } from 'tls';", world],
  ["import { createSocket } from 'dgram';", world],
  ["import { lookup } from 'dns/promises';", world],
  ["import { hostname } from 'os';", world],
  ["import { Worker } from 'worker_threads';", world],
  ["import cluster from 'cluster';", world],
  ["import { createRequire } from 'node:module';", world],
  ["import { log } from 'node:console';", world],
  ["export { readFileSync } from 'node:fs';", world],
  ["export * from 'fs';", world],
  ["const fs = await import('node:fs');", world],
  ["import { Client } from '@isthmus/machinery/src/clock.ts';", byRoot],
  ["import { a } from '../../../packages/api/src/index.ts';", byRoot],
  ['globalThis.setTimeout(() => {}, 1);', notGlobal],
  ["globalThis['Date'].now();", notGlobal],
  ['global.setImmediate(() => {});', notGlobal],
  ['setTimeout(() => {}, 1);', notGlobal],
  ['setInterval(() => {}, 1);', notGlobal],
  ['setImmediate(() => {});', notGlobal],
  ['const at = performance.now();', notGlobal],
  ['const id = crypto.randomUUID();', notGlobal],
  ["await fetch('http://127.0.0.1');", notGlobal],
  ["const socket = new WebSocket('ws://127.0.0.1');", notGlobal],
  ['const home = process.env;', notGlobal],
  ['const at = Date.now();', 'take a Clock'],
  ['const { now } = Date;', 'take a Clock'],
  ['const dice = Math.random();', 'take a Random'],
  ['const signal = AbortSignal.timeout(1);', 'use the Clock'],
];

const refusedOn: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  ...Object.fromEntries(
    floors.map((floor, index) => [
      floor,
      [
        ...floors.slice(index + 1),
        ...(floor === 'cli' ? [] : ['upgrade', 'fleet-sim', ...(floor === 'install' ? [] : ['dataplane'])]),
        ...(['controlplane', 'install', 'cli'].includes(floor) ? [] : ['wire']),
        'testkit',
      ].map((upper) => [`import { a } from '@isthmus/${upper}';`, lower] as const),
    ]),
  ),
  wire: ['kube', 'controlplane', 'install', 'dataplane', 'upgrade', 'sandbox', 'fleet-sim', 'cli', 'testkit'].map(
    (upper) => [`import { a } from '@isthmus/${upper}';`, lower] as const,
  ),
  upgrade: ['kube', 'wire', 'controlplane', 'install', 'dataplane', 'sandbox', 'fleet-sim', 'cli', 'testkit'].map(
    (upper) => [`import { a } from '@isthmus/${upper}';`, lower] as const,
  ),
  dataplane: ['controlplane', 'install', 'upgrade', 'sandbox', 'fleet-sim', 'cli', 'testkit'].map(
    (upper) => [`import { a } from '@isthmus/${upper}';`, lower] as const,
  ),
  'fleet-sim': ['cli', 'testkit'].map((upper) => [`import { a } from '@isthmus/${upper}';`, lower] as const),
  testkit: [],
};

/** Files that pass whole: what a floor may use, and the modules that implement the world. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'packages/machinery/src/good.ts': ["import { parse } from 'yaml';", 'const at = new Date(0).toISOString();'],
  'packages/schema/src/good.ts': ["import { keyOf } from '@isthmus/machinery';"],
  'packages/api/src/good.ts': [
    "import { keyOf } from '@isthmus/machinery';",
    "import { s } from '@isthmus/schema';",
    "import { rulesEngine } from '@isthmus/schema/cel';",
  ],
  'packages/kube/src/good.ts': ["import { join } from 'node:path';", "import { Namespace } from '@isthmus/api';"],
  'packages/wire/src/good.ts': ["import { s } from '@isthmus/schema';", "import { Namespace } from '@isthmus/api';"],
  'packages/controlplane/src/good.ts': [
    "import type { Client } from '@isthmus/kube';",
    "import { isLive } from '@isthmus/wire';",
    "import { a } from './fs.ts';",
  ],
  'packages/install/src/good.ts': [
    "import { leaderAccess } from '@isthmus/controlplane';",
    "import { agentAccess } from '@isthmus/dataplane';",
    "import { shown } from '@isthmus/wire';",
  ],
  'packages/upgrade/src/good.ts': [
    "import { parseYaml } from '@isthmus/machinery';",
    "import { a } from '@isthmus/api';",
  ],
  'packages/dataplane/src/good.ts': [
    "import type { Client } from '@isthmus/kube';",
    "import { a } from '@isthmus/wire';",
  ],
  'packages/cli/src/good.ts': [
    "import { settings } from '@isthmus/controlplane';",
    "import { a } from '../http/a.ts';",
  ],
  'packages/fleet-sim/src/good.ts': [
    "import { createSandbox } from '@isthmus/sandbox';",
    "import { createMember } from '@isthmus/controlplane';",
    "import { desiredNetwork } from '@isthmus/dataplane';",
  ],
  'packages/testkit/src/good.ts': ["import { settings } from '@isthmus/controlplane';"],
  'packages/kube/src/world/node-world.ts': ["import { open } from 'node:fs/promises';", 'setTimeout(Date.now, 1);'],
  'packages/kube/src/world/node-http.ts': ["import { createRequire } from 'node:module';"],
  'packages/kube/src/transport/https-transport.ts': [
    "import { Agent } from 'node:https';",
    "import { X509Certificate } from 'node:crypto';",
  ],
  'packages/kube/src/serving/health-server.ts': ["import { isIP } from 'node:net';"],
  'packages/cli/src/main.ts': ['process.exitCode = 1;'],
  'packages/cli/src/world/node-process.ts': ["import { homedir } from 'node:os';"],
  'packages/cli/src/world/node-crypto.ts': ["import { sign } from 'node:crypto';"],
  'packages/testkit/src/apiserver/x.ts': ["import { spawn } from 'node:child_process';"],
  'packages/testkit/src/real-fleet/world.ts': ["import { execFile } from 'node:child_process';"],
  'packages/testkit/src/real-fleet/isthmus-process.ts': ["import { spawn } from 'node:child_process';"],
  'packages/controlplane/src/good.test.ts': [
    "import { rows } from '@isthmus/wire/testing';",
    "import { a } from '@isthmus/testkit';",
    "import { b } from 'node:fs';",
  ],
};

/** The lines that the linter rejects even in such a module. */
const refusedOfTheFew: readonly (readonly [string, string, string])[] = [
  ['packages/kube/src/world/node-http.ts', "import { readFile } from 'node:fs/promises';", world],
  ['packages/kube/src/serving/health-server.ts', 'setTimeout(() => {}, 1);', notGlobal],
  ['packages/kube/src/transport/https-transport.ts', "import { spawn } from 'node:child_process';", world],
  ['packages/kube/src/world/node-world.ts', "import { request } from 'node:https';", world],
  ['packages/kube/src/world/node-world.ts', "import { a } from '@isthmus/controlplane';", lower],
  ['packages/cli/src/world/node-crypto.ts', "import { open } from 'node:fs/promises';", world],
  ['packages/testkit/src/real-fleet/other.ts', "import { spawn } from 'node:child_process';", world],
];

interface Diagnostic {
  readonly filename: string;
  readonly message: string;
  readonly help?: string | null | undefined;
  readonly labels: readonly { readonly span: { readonly line: number } }[];
}

/**
 * The messages of the linter about each line of the files, by `path:line`, under the configuration
 * of this repository without type information.
 */
function lint(files: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, string> {
  const { options: _, $schema: __, ...config } = JSON.parse(readFileSync(`${root}.oxlintrc.json`, 'utf8'));
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-lint-'));
  try {
    writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify({ ...config, categories: { correctness: 'off' } }));
    for (const [path, lines] of files) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), lines.join('\n'));
    }
    const { stdout } = spawnSync(`${root}node_modules/.bin/oxlint`, ['--format', 'json', '.'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const { diagnostics } = JSON.parse(stdout) as { readonly diagnostics: readonly Diagnostic[] };
    const told = new Map<string, string>();
    for (const { filename, message, help, labels } of diagnostics) {
      const at = `${filename}:${labels[0]?.span.line}`;
      told.set(at, [told.get(at), message, help].filter(Boolean).join(' '));
    }
    return told;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A function of that many lines: code, blank lines and comments. */
function functionOf(lines: number): readonly string[] {
  const body = Array.from({ length: lines - 2 }, (_, index) => ['  call();', '', '  // A reason.'][index % 3] ?? '');
  return ['export function long(call: () => void): void {', ...body, '}'];
}

/**
 * One line, the only one of its file, because an import that follows another statement may be
 * reported as something else.
 */
const bad = Object.entries(refusedOn).flatMap(([floor, own]) =>
  [...refusedEverywhere, ...own].map(([line, says], index) => ({
    path: `packages/${floor}/src/bad-${index}.ts`,
    line,
    says,
  })),
);

describe('the lint configuration', () => {
  let told: ReadonlyMap<string, string>;
  let toldToTheFew: ReadonlyMap<string, string>;

  beforeAll(() => {
    told = lint(new Map([...Object.entries(allowed), ...bad.map(({ path, line }) => [path, [line]] as const)]));
    const perModule = Map.groupBy(refusedOfTheFew, ([path]) => path);
    toldToTheFew = lint(new Map([...perModule].map(([path, samples]) => [path, samples.map(([, line]) => line)])));
  });

  it.each(Object.keys(refusedOn))('refuses on floor %s what belongs to a higher floor or to the world', (floor) => {
    const samples = bad.filter(({ path }) => path.startsWith(`packages/${floor}/`));
    const passed = samples.filter(({ path, says }) => !told.get(`${path}:1`)?.includes(says));
    expect(passed).toEqual([]);
  });

  it.each(Object.keys(allowed))('accepts what %s may do', (path) => {
    expect([...told].filter(([at]) => at.startsWith(`${path}:`))).toEqual([]);
  });

  it('refuses to the modules that touch the world what is not theirs', () => {
    const perModule = Map.groupBy(refusedOfTheFew, ([path]) => path);
    const passed = [...perModule].flatMap(([path, samples]) =>
      samples.filter(([, , says], index) => !toldToTheFew.get(`${path}:${index + 1}`)?.includes(says)),
    );
    expect(passed).toEqual([]);
  });
});

describe('the length of functions', () => {
  it.each([
    ['packages/kube/src/long.ts', 101, true],
    ['packages/kube/src/long.ts', 100, false],
    ['scripts/long.ts', 101, true],
    ['bench/long.ts', 101, true],
    ['examples/long.ts', 101, true],
    ['tools/long.ts', 101, true],
    ['packages/kube/src/long.test.ts', 101, false],
    ['examples/long.test.ts', 101, false],
    ['packages/kube/src/testing/long.ts', 101, false],
    ['packages/sandbox/src/contract/cases/long.ts', 101, false],
  ])('in %s with %i lines is an error: %s', (path, lines, isError) => {
    const told = lint(new Map([[path, functionOf(lines)]]));
    expect([...told.values()].filter((message) => message.includes('Maximum allowed is 100'))).toHaveLength(
      isError ? 1 : 0,
    );
  });
});
