/**
 * One of the modules that may touch the world: it runs a real registry (fs, os, randomness,
 * environment).
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KeyPair } from '@isthmus/sandbox';
import { findBinaries } from './find-binaries.ts';
import { freePort } from './ports.ts';
import { untilRegistryReady } from './readiness.ts';
import { superviseIn } from './supervision.ts';

/** The configuration of a registry. */
export interface RegistryOptions {
  readonly serving: KeyPair;
  readonly caData: string;
  /**
   * The part `auth` of its configuration; absent: every client reads and writes. Its files are in
   * the registry's directory.
   */
  readonly auth?: object | undefined;
  /** Text by name, written into its directory before it starts. */
  readonly files?: Readonly<Record<string, string>> | undefined;
}

/**
 * A registry of the project Distribution that listens on 127.0.0.1 and keeps its content in memory.
 */
export interface RealRegistry extends AsyncDisposable {
  /** `127.0.0.1:12345`. */
  readonly host: string;
}

/**
 * Starts a registry and resolves when it answers. Undefined if the program does not exist: it is
 * optional. Errors: it ends before it answers, with the end of its log.
 */
export async function startRegistry({
  serving,
  caData,
  auth,
  files = {},
}: RegistryOptions): Promise<RealRegistry | undefined> {
  const program = findBinaries(process.env).registry;
  if (!existsSync(program)) return undefined;
  await using stack = new AsyncDisposableStack();
  const directory = join(tmpdir(), `isthmus-registry-${randomBytes(6).toString('hex')}`);
  const supervision = stack.use(await superviseIn(directory));
  const host = `127.0.0.1:${await freePort()}`;
  const config = {
    version: 0.1,
    log: { level: 'warn', accesslog: { disabled: true } },
    storage: { inmemory: {} },
    http: { addr: host, tls: { certificate: 'serving.crt', key: 'serving.key' } },
    ...(auth !== undefined && { auth }),
  };
  const all = {
    ...files,
    'config.yml': JSON.stringify(config),
    'serving.crt': serving.certData,
    'serving.key': serving.keyData,
  };
  await Promise.all(Object.entries(all).map(([name, text]) => writeFile(join(directory, name), text, { mode: 0o600 })));
  const running = await supervision.spawn({
    program,
    args: ['serve', 'config.yml'],
    env: { OTEL_TRACES_EXPORTER: 'none' },
    log: 'registry.log',
  });
  const ended = running.exited.then((how) => {
    throw new Error(
      `starting a registry: it ${how}\n${readFileSync(join(directory, 'registry.log'), 'utf8').slice(-2000)}`,
    );
  });
  await Promise.race([untilRegistryReady({ url: `https://${host}`, caData }, AbortSignal.timeout(60_000)), ended]);
  ended.catch(() => {});
  const moved = stack.move();
  return { host, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}
