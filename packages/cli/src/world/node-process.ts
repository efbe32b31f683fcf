// The world of a command as Node has it. Only main.ts, the demo, the programs in Nodes and Pods of
// a sandbox, and modules of this folder touch the process; .oxlintrc.json names them.
import { homedir, hostname } from 'node:os';
import { resolve } from 'node:path';
import { isatty } from 'node:tty';
import type { Programs } from '@isthmus/kube';
import { readFile, systemClock, systemRandom } from '@isthmus/kube/world';
import type { Io, StopSignal } from './io.ts';
import type { Output } from '../render/output.ts';
import { lazyTransport } from './lazy-transport.ts';
import { listFiles } from './list-files.ts';
import { privateFiles } from './private-files.ts';
import { textOf, wantsColours } from '../render/paint.ts';
import { bytesBelow, readBelow } from './read-below.ts';
import { readChunks } from './read-chunks.ts';
import { randomHex } from './random-hex.ts';
import { writableFiles } from './writable-files.ts';
import { nodeCrypto } from './node-crypto.ts';

const stopSignals: readonly StopSignal[] = ['SIGINT', 'SIGTERM'];

/**
 * A terminal's Ctrl-C reaches npx, its shell and this process. npx passes its own on, and if the
 * shell was replaced by this process, the signal arrives here twice. A signal so soon after another
 * is a copy.
 */
const copiesWithinMs = 500;

/**
 * This process as an {@link Io}; `main` is the path of the module that `isthmus` begins with. If a
 * reader of standard output goes away (`isthmus … | head`), the process ends without a message.
 */
export function nodeIo(main: string): Io {
  const clock = systemClock();
  const programs: Programs = {
    hasTerminal: isatty(0),
    run: async (program, signal) => (await import('./run-program.ts')).runProgram(program, signal),
  };
  // A gateway may send hundreds of probes in a second, and an import would be looked up again for
  // each.
  const openProbe = async () => (await import('@isthmus/dataplane')).createNodeProbe(clock);
  let probe: ReturnType<typeof openProbe> | undefined;
  return {
    stdout: outputTo(process.stdout),
    stderr: outputTo(process.stderr),
    env: process.env,
    home: homeFolder(),
    hostname: hostname(),
    pid: process.pid,
    readFile,
    listFiles,
    readBelow,
    bytesBelow,
    readChunks,
    privateFiles,
    writableFiles,
    absolutePath: (path) => resolve(path),
    secret: () => randomHex(32),
    clock,
    random: systemRandom(),
    memory: async () => (await import('./node-memory.ts')).nodeMemory(),
    runTool: async (...call) => (await import('./run-tool.ts')).runTool(...call),
    startProgram: async (...call) => (await import('./start-program.ts')).startProgram(...call),
    ownCommand: [process.execPath, main],
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    watchTool: async (...call) => (await import('./watch-tool.ts')).watchTool(...call),
    probe: async (...call) => (await (probe ??= openProbe()))(...call),
    bundleCrypto: nodeCrypto,
    network: {
      connect: async (settings, userAgent) =>
        (await import('./node-network.ts')).connect(settings, { clock, readFile, userAgent, programs }),
      dial: (options) => lazyTransport(async () => (await import('./node-network.ts')).httpsTransport(options)),
      openWebSocket: async (options) => (await import('./node-network.ts')).openWebSocket(options),
      listen: async (...options) => (await import('./node-network.ts')).startHealthServer(...options),
      listenSecurely: async (...options) => (await import('./node-network.ts')).startSecureServer(...options),
      addressesOf: async (host) =>
        (await (await import('node:dns/promises')).lookup(host, { all: true })).map(({ address }) => address),
      openDirect: async (port) => (await import('@isthmus/dataplane')).openDirectSocket(port),
      serveNames: async (options) => (await import('@isthmus/dataplane')).startDnsServer(options),
      // Loaded only when used: a controller does not need it.
      createAuthority: async (commonName) => (await import('@isthmus/sandbox')).createAuthority(commonName),
      serve: async (sandbox, authority) => (await import('@isthmus/sandbox')).serveHttps(sandbox, { authority }),
    },
    onStop(listener) {
      let lastMs = -Infinity;
      const oncePerWish = (signal: StopSignal) => {
        const nowMs = clock.monotonic();
        if (nowMs - lastMs < copiesWithinMs) return;
        lastMs = nowMs;
        listener(signal);
      };
      for (const signal of stopSignals) process.on(signal, oncePerWish);
      return () => stopSignals.forEach((signal) => process.off(signal, oncePerWish));
    },
    exit: (code) => process.exit(code),
  };
}

/**
 * Resolves when all output has left the process: `process.exit` loses output that waits for the
 * reader of a pipe.
 */
export async function written(): Promise<void> {
  await Promise.all([process.stdout, process.stderr].map((one) => new Promise((resolve) => one.write('', resolve))));
}

function outputTo(stream: NodeJS.WriteStream): Output {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader has gone, or the disk is full: nothing more can be printed there.
    if (error.code !== 'EPIPE' && stream !== process.stderr)
      process.stderr.write(`error: writing the output: ${error.message}\n`);
    process.exit(1);
  });
  const colours = wantsColours(process.env, stream.isTTY);
  return {
    write: (...pieces) => void stream.write(textOf(pieces, colours)),
    isTTY: stream.isTTY,
    columns: stream.columns,
  };
}

/**
 * Node throws if a user has no entry in the password file, as in a container with a numeric user.
 */
function homeFolder(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    return undefined;
  }
}
