import { keyOf } from '@isthmus/machinery';
import type { Answer } from '../answer/answer.ts';
import { ByteQueue } from '../answer/byte-queue.ts';
import type { ContainerRef, ContainerStreams, ExecOptions } from '../core/container-streams.ts';
import type { Core } from '../core/core.ts';
import { badRequest, notFound } from '../refusal/refusal.ts';
import type { ResourceRequest } from '../request/request-info.ts';
import type { Stored } from '../store/stored.ts';
import { chosenLines, lineText, logOptionsOf } from './log-text.ts';

/** A program that a request wants in a container. */
export interface ExecTarget {
  readonly ref: ContainerRef;
  readonly command: readonly string[];
  readonly hasStdin: boolean;
  readonly hasStdout: boolean;
  readonly hasStderr: boolean;
  readonly hasTerminal: boolean;
  /** Errors: rejects if the program cannot be started, also if the container does not run. */
  start(options: Pick<ExecOptions, 'onStdout' | 'onStderr'>): ReturnType<StartExec>;
}

type StartExec = (options: ExecOptions) => Promise<NonNullable<Awaited<ReturnType<ContainerStreams['exec']>>>>;

type Query = Readonly<Record<string, string>>;

/**
 * The log of a container, as text, or as a stream if the request follows it. Errors are those of a
 * kubelet.
 */
export function podLog(core: Core, containers: ContainerStreams, info: ResourceRequest, query: Query): Answer {
  const ref = containerOf(core, info, query);
  const options = logOptionsOf(query, core.clock.now());
  const { follow, previous, limitBytes = Infinity } = options;
  const pod = info.name ?? '';
  const log = containers.log(ref, previous ? 'previous' : 'last');
  if (log === undefined)
    throw badRequest(
      previous
        ? `previous terminated container "${ref.container}" in pod "${pod}" not found`
        : `container "${ref.container}" in pod "${pod}" is waiting to start: ContainerCreating`,
    );
  const body = new ByteQueue();
  let leftBytes = limitBytes;
  const push = (text: string) => {
    const bytes = new TextEncoder().encode(text);
    body.push(bytes.subarray(0, Math.min(bytes.length, leftBytes)));
    leftBytes -= bytes.length;
    if (leftBytes <= 0) body.end();
  };
  for (const line of chosenLines(log.lines(), options)) push(lineText(line, options));
  if (follow && body.isOpen) {
    const stop = log.follow(
      (line) => push(lineText(line, options)),
      () => body.end(),
    );
    body.onEnd(stop);
  } else body.end();
  return { status: 200, contentType: 'text/plain', body };
}

/**
 * The target of a request to run a program in a container; nothing is started yet. `command`: the
 * values of its parameters `command`. Errors are those of a kubelet.
 */
export function execTarget(
  core: Core,
  containers: ContainerStreams,
  info: ResourceRequest,
  { query, command }: { readonly query: Query; readonly command: readonly string[] },
): ExecTarget {
  const ref = containerOf(core, info, query);
  const has = (name: string) => query[name] === 'true' || query[name] === '1';
  const [hasStdin, hasStdout, hasTerminal] = [has('stdin'), has('stdout'), has('tty')];
  const hasStderr = has('stderr') && !hasTerminal;
  if (!hasStdin && !hasStdout && !hasStderr) throw badRequest('you must specify at least one of stdin, stdout, stderr');
  if (command.length === 0) throw badRequest('you must specify at least one command for the container');
  return {
    ref,
    command,
    hasStdin,
    hasStdout,
    hasStderr,
    hasTerminal,
    async start(options) {
      const started = await containers.exec(ref, { ...options, command, hasTerminal });
      if (started === undefined) throw new Error(`container not found ("${ref.container}")`);
      return started;
    },
  };
}

/** The container that a request names, or the only one of the Pod. */
function containerOf(core: Core, { namespace, name = '' }: ResourceRequest, query: Query): ContainerRef {
  const key = keyOf({ namespace, name });
  const pod: PodObject | undefined = core.store.get('/pods', key);
  if (pod === undefined) throw notFound({ group: '', plural: 'pods' }, name);
  const names = (pod.spec?.containers ?? []).map((one) => one.name);
  const [only = ''] = names;
  const asked = query['container'] ?? '';
  if (asked === '' && names.length > 1)
    throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${names.join(' ')}]`);
  if (asked !== '' && !names.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${name}`);
  if ((pod.spec?.nodeName ?? '') === '') throw badRequest(`pod ${name} does not have a host assigned`);
  return { pod: key, container: asked === '' ? only : asked };
}

interface PodObject extends Stored {
  readonly spec?: {
    readonly nodeName?: string | undefined;
    readonly containers?: readonly { readonly name: string }[] | undefined;
  };
}
