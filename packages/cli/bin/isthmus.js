#!/usr/bin/env node
// The launcher: plain JavaScript that any Node can read. It hands over to the
// Node 24 that the checkout pins, because the sources are TypeScript.
import { spawn } from 'node:child_process';
import module, { createRequire } from 'node:module';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
/**
 * Runs in the program before it: the launcher holds the other end of a channel, which the kernel closes however the launcher ends, by
 * kill -9 too. The program then ends as after a SIGTERM, in good order.
 */
const endWithLauncher =
  'data:text/javascript,process.on("disconnect",()=>process.kill(process.pid,"SIGTERM"));process.channel.unref()';
const [major] = process.versions.node.split('.').map(Number);

if (major >= 24) {
  const { path } = pinnedNode();
  // Where the variable NODE_COMPILE_CACHE names one, Node has begun with it.
  if (path) module.enableCompileCache(cacheBeside(path));
  await import(main);
} else {
  const { path, problem } = pinnedNode();
  if (problem) {
    console.error(problem);
    process.exit(1);
  }
  // A signal is one wish to end, and a second one means "at once": so the program must hear each exactly once. A terminal's Ctrl-C goes to
  // the whole process group, and what goes to the launcher alone has to be handed on; the two cannot be told apart. Hence the program has a
  // session of its own, which a terminal does not reach, and hears what the launcher hands on. The price: Ctrl-Z stops the launcher only.
  const child = spawn(path, ['--import', endWithLauncher, main, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: true,
    env: { NODE_COMPILE_CACHE: cacheBeside(path), ...process.env },
  });
  // SIGHUP is left alone: it ends the launcher, and with it the program, or finds it under nohup.
  const handedOn = ['SIGINT', 'SIGTERM'];
  for (const signal of handedOn) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(
      `isthmus cannot start ${path}: ${error.message}. Run 'npm ci' in the checkout, which brings its own Node 24.`,
    );
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    // What ended the program ends the launcher: its own handlers would swallow it.
    for (const one of handedOn) process.removeAllListeners(one);
    process.kill(process.pid, signal);
    // Node ignores some signals; the shell's way to say it.
    process.exit(128 + (constants.signals[signal] ?? 0));
  });
}

/**
 * Where Node keeps what it made of the sources: the second start takes half the time. Beside the packages, so whoever may write there could
 * change what runs anyway; without packages there is no cache, for Node's own choice of a folder is one that all users share. Node does without
 * where it cannot write.
 */
function cacheBeside(pinned) {
  return join(pinned, '../../../.cache/node');
}

function pinnedNode() {
  const pinned = `node-${process.platform}-${process.arch}`;
  try {
    return { path: createRequire(import.meta.url).resolve(`${pinned}/bin/node`) };
  } catch {
    const how =
      process.platform === 'linux'
        ? "Run 'npm ci' in the checkout, which brings its own"
        : "Install Node 24: 'npm ci' brings its own on Linux only";
    return { problem: `isthmus needs Node 24; this is ${process.version}. ${how}.` };
  }
}
