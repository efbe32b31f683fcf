import type { ContainerStreams } from '@isthmus/sandbox';
import { containerCommand, quoted } from './container-command.ts';
import type { ContainerHost } from './run-container.ts';
import { exitOf, firstProcess } from './run-container.ts';
import type { RunningPod } from './running-pod.ts';

type Exec = ContainerStreams['exec'];

/**
 * Runs a program in the namespaces of a container of a Pod; undefined where the container does not
 * run.
 */
export async function execInContainer(
  { machine, world, path }: ContainerHost,
  pod: RunningPod | undefined,
  container: string,
  { command, hasTerminal, onStdout, onStderr }: Parameters<Exec>[1],
): ReturnType<Exec> {
  const started = pod?.runs.get(container)?.process;
  const definition = pod?.containers.get(container);
  if (pod === undefined || definition === undefined || started === undefined) return undefined;
  const first = await firstProcess(world, started);
  if (first === undefined) return undefined;
  const { env } = containerCommand(definition, pod.about, { ownCommand: world.ownCommand, path });
  const run = hasTerminal ? ['script', '-qefc', command.map(quoted).join(' '), '/dev/null'] : command;
  const inside = await machine.startBeside(
    first,
    ['sh', '-c', 'cd "$1"; shift; exec "$@"', 'sh', definition.workingDir ?? '/', ...run],
    { env: { ...env, ...(hasTerminal && { TERM: 'xterm' }) }, onStdout, onStderr },
  );
  return {
    write: inside.write,
    endInput: inside.endInput,
    kill: () => inside.kill('SIGKILL'),
    exited: inside.exited.then((how) => exitOf(how, 0).code),
  };
}
