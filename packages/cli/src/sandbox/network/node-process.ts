import { probesElsewhere } from '@isthmus/dataplane';
import type { Probe } from '@isthmus/dataplane';
import type { Log } from '@isthmus/kube';
import type { Io } from '../../world/io.ts';
import { byLine } from './by-line.ts';
import type { SandboxMachine } from './machine.ts';
import type { AnswerNames } from './names/names-lines.ts';
import { answerLine } from './names/names-lines.ts';
import { nameServer } from './names/resolv-conf.ts';
import { readyLine, sandboxPrograms } from './programs/names.ts';

export interface NodeProcessOptions {
  readonly node: string;
  readonly machine: SandboxMachine;
  readonly ownCommand: Io['ownCommand'];
  readonly env: Readonly<Record<string, string>>;
  /** Answers the DNS queries of the Pods of the Node. */
  readonly names: AnswerNames;
  readonly log: Log;
}

/** The program in the network of a Node, which ends with this process. */
export interface NodeProcess {
  readonly node: string;
  /** Sends a probe from the network of the Node. */
  readonly probe: Probe;
  /** Resolves when the Pods of the Node can ask for names. Errors: the program has ended. */
  readonly ready: Promise<void>;
}

export async function startNodeProcess(options: NodeProcessOptions, signal: AbortSignal): Promise<NodeProcess> {
  const { node, machine, ownCommand, env, names, log } = options;
  const { probe, answer, end } = probesElsewhere((line) => child.write(line));
  const ready = Promise.withResolvers<void>();
  // Callers that wait for it get the error; not all callers wait to the end.
  ready.promise.catch(() => {});
  let said = '';
  const child = await machine.start(node, [...ownCommand, sandboxPrograms.node, nameServer], {
    env,
    onStdout: byLine((line) => {
      if (line === readyLine) ready.resolve();
      else if (!answerLine(line, names, (text) => child.write(text))) answer(line);
    }),
    onStderr(bytes) {
      said = (said + new TextDecoder().decode(bytes)).slice(-2_000);
      log.warn('the program in the network of a Node', { node, says: said });
    },
  });
  void child.exited.then(({ code }) => {
    end();
    ready.reject(new Error(`the program in the network of Node ${node} has ended: ${said.trim() || `code ${code}`}`));
    if (!signal.aborted)
      log.warn('the program in the network of a Node has ended: its Pods resolve no names', { node });
  });
  return { node, probe, ready: ready.promise };
}
