#!/usr/bin/env node
// The launcher: plain JavaScript that any Node can read. It hands over to the
// Node 24 that the checkout pins, because the sources are TypeScript.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const [major] = process.versions.node.split('.').map(Number);

if (major >= 24) {
  await import(main);
} else {
  const { path, problem } = pinnedNode();
  if (problem) {
    console.error(problem);
    process.exit(1);
  }
  const child = spawn(path, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal) process.kill(process.pid, signal);
    else process.exit(code ?? 1);
  });
}

function pinnedNode() {
  try {
    return { path: createRequire(import.meta.url).resolve('node/bin/node') };
  } catch {
    return {
      problem: `isthmus needs Node 24; this is ${process.version}. Run 'npm ci' in the checkout, which brings its own.`,
    };
  }
}
