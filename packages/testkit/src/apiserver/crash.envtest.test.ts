import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { processesOf, tracesLeft } from './left-behind.ts';

it('leaves no process and no directory after kill -9 of the process that started a cluster', async () => {
  const script = `
    import { startApiServer } from ${JSON.stringify(new URL('start.ts', import.meta.url).href)};
    const server = await startApiServer({ name: 'orphan', controllerManager: true });
    console.log(server.kubeconfigPath);
  `;
  const runner = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(runner, 'exit');
  const [kubeconfigPath] = (await once(createInterface(runner.stdout), 'line')) as [string];
  const directory = dirname(kubeconfigPath);
  const programs = processesOf(directory).map((found) => found.commandLine);
  for (const part of ['/etcd ', '/kube-apiserver ', '/kube-controller-manager ', 'supervisor.ts ', ' guard ']) {
    expect(programs.filter((commandLine) => commandLine.includes(part))).toHaveLength(1);
  }
  runner.kill('SIGKILL');
  await exited;
  expect(await tracesLeft(directory, 10_000)).toEqual([]);
});
