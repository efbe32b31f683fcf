import type { Container } from '@isthmus/api';
import type { Io } from '../../../world/io.ts';
import { sandboxPrograms } from '../programs/names.ts';

/** The Pod of a container, as the container sees it. */
export interface ContainerPod {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly node: string;
  readonly podIP: string;
  readonly serviceAccount: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The command that runs for a container. */
export interface ContainerCommand {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Whether it is our own program, which writes a line when it can be called. */
  readonly isOurs: boolean;
}

/**
 * The command of a container: its `command` and `args`, because its image is not pulled. Without
 * both, it is a server of ours that answers on its ports.
 */
export function containerCommand(
  container: Container,
  pod: ContainerPod,
  { ownCommand, path }: { readonly ownCommand: Io['ownCommand']; readonly path: string },
): ContainerCommand {
  const { command = [], args = [], ports = [] } = container;
  const given = [...command, ...args];
  const env = { PATH: path, HOME: '/', HOSTNAME: pod.name, ...ownVariables(container, pod) };
  if (given.length > 0) return { command: given, env, isOurs: false };
  const listed = ports
    .filter(({ protocol = 'TCP' }) => protocol !== 'SCTP')
    .map(({ containerPort, protocol = 'TCP' }) => `${protocol}:${containerPort}`);
  const address = `${pod.cluster}/${pod.namespace}/${pod.name}`;
  const all = listed.length === 0 ? ['TCP:8080', 'UDP:8080'] : [...new Set(listed)];
  return { command: [...ownCommand, sandboxPrograms.pod, address, ...all], env, isOurs: true };
}

/**
 * Variables with a value, or with a field of the Pod. Those of ConfigMaps, Secrets and resources
 * are left out.
 */
function ownVariables({ env = [] }: Container, pod: ContainerPod): Readonly<Record<string, string>> {
  const fields: Readonly<Record<string, string>> = {
    'metadata.name': pod.name,
    'metadata.namespace': pod.namespace,
    'metadata.uid': pod.uid,
    'spec.nodeName': pod.node,
    'spec.serviceAccountName': pod.serviceAccount,
    'status.podIP': pod.podIP,
    'status.podIPs': pod.podIP,
  };
  return Object.fromEntries(
    env.flatMap(({ name, value, valueFrom }): readonly (readonly [string, string])[] => {
      const path = valueFrom?.fieldRef?.fieldPath;
      const found = path === undefined ? (value ?? '') : (fields[path] ?? labelOf(path, pod));
      return valueFrom !== undefined && found === undefined ? [] : [[name, found ?? '']];
    }),
  );
}

function labelOf(path: string, { labels }: ContainerPod): string | undefined {
  const key = /^metadata\.labels\['(.+)'\]$/.exec(path)?.[1];
  return key === undefined ? undefined : labels[key];
}

/** As one word of `sh`. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
