import { ClusterSet, Namespace } from '@isthmus/api';
import type { HandoverPlan, HandoverStep, RoleName } from '@isthmus/controlplane';
import {
  handOver,
  inGroups,
  planLeaderHandover,
  planMemberHandover,
  readLeader,
  readMember,
  roleFacts,
} from '@isthmus/controlplane';
import type { Client } from '@isthmus/kube';
import { createClient, findConnection, isNotFound, isNotServed } from '@isthmus/kube';
import { errorMessage } from '@isthmus/machinery';
import { documentText } from '../render/document-text.ts';
import type { OutputFormat } from '../command/output-flag.ts';
import { ExitCode } from '../command/exit-code.ts';
import { printWarnings } from '../connection/find-api-server.ts';
import type { Io } from '../world/io.ts';
import { withUserAdvice } from '../connection/not-allowed.ts';
import { UsageError } from '../command/usage-error.ts';
import { showSteps } from '../render/steps.ts';
import { isthmusVersion } from '../version/version.ts';
import { stepObjects, stepText } from './step-text.ts';

export interface HandoverFlags {
  readonly yes?: boolean | undefined;
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly namespace?: string | undefined;
  readonly output?: OutputFormat | undefined;
}

/** Shows how a cluster is handed over to Antrea, and does it where that is asked for. */
export async function runHandover(io: Io, role: RoleName, flags: HandoverFlags): Promise<ExitCode> {
  const { yes = false, output = 'text', namespace = roleFacts[role].defaultNamespace } = flags;
  const stop = new AbortController();
  const unsubscribe = io.onStop((signal) =>
    stop.abort(new Error(`stopped by ${signal}; run the command again to continue`)),
  );
  const { client, server } = await connectAs(io, flags);
  try {
    const { signal } = stop;
    const place = { client, namespace, signal };
    await requireNamespace(client, role, namespace);
    const plan =
      role === 'leader' ? planLeaderHandover(await readLeader(place)) : planMemberHandover(await readMember(place));
    await requireClusterSet(client, { role, namespace, plan });
    const isText = output === 'text';
    if (isText) io.stdout.write(head({ role, namespace, server, plan, yes }));
    if (yes) {
      const { run } = showSteps({ output: io.stdout, clock: io.clock, signal });
      await handOver(plan.steps, {
        client,
        clock: io.clock,
        signal,
        runGroup: (steps, work) => (isText ? run(stepText(steps), work) : work()),
      });
    }
    io.stdout.write(
      isText ? tail(plan, yes) : documentText(documentOf({ role, namespace, server, plan, yes }), output),
    );
    return ExitCode.ok;
  } catch (error) {
    throw withUserAdvice(error);
  } finally {
    unsubscribe();
    client.close();
  }
}

/**
 * A Namespace that does not exist has nothing to hand over, and no controller to stop first: most
 * likely a typo.
 */
async function requireNamespace(client: Client, role: RoleName, namespace: string): Promise<void> {
  try {
    await client.get(Namespace, { namespace: '', name: namespace });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new Error(nothingHere(role, `Namespace ${namespace} does not exist in this cluster`), { cause: error });
  }
}

/**
 * If the ClusterSet is in another Namespace, so is the controller, which would undo the handover
 * while it runs. A cluster that has lost its ClusterSet may still have imports to hand over.
 */
async function requireClusterSet(
  client: Client,
  { role, namespace, plan }: Pick<Shown, 'role' | 'namespace' | 'plan'>,
): Promise<void> {
  const found = await clusterSetsOf(client);
  if (found.some(({ metadata }) => metadata.namespace === namespace)) return;
  const [elsewhere] = found;
  if (elsewhere === undefined) {
    // The resource definitions of the MCS API may be those of others.
    if (plan.steps.some(({ kind }) => kind !== 'store')) return;
    throw new Error(nothingHere(role, 'this cluster has no ClusterSet'));
  }
  const { name, namespace: other = '' } = elsewhere.metadata;
  throw new Error(
    nothingHere(role, `Namespace ${namespace} has no ClusterSet; ClusterSet ${name} is in Namespace ${other}`),
  );
}

async function clusterSetsOf(client: Client): Promise<readonly ClusterSet[]> {
  try {
    return (await client.list(ClusterSet)).items;
  } catch (error) {
    if (isNotServed(error)) return [];
    throw error;
  }
}

function nothingHere(role: RoleName, why: string): string {
  return `There is no ${role} to hand over: ${why}. Name its Namespace with --namespace, and its cluster with --context.`;
}

async function connectAs(
  io: Io,
  { kubeconfig, context }: HandoverFlags,
): Promise<{ readonly client: Client; readonly server: string }> {
  const { env, home, readFile, clock } = io;
  try {
    const settings = await findConnection({ env, home, readFile, path: kubeconfig, context });
    printWarnings(io, settings);
    const transport = await io.network.connect(settings, `isthmus/${isthmusVersion} (handover)`);
    const { server } = settings;
    return { client: createClient({ transport, clock, server: `the API server ${server}` }), server };
  } catch (error) {
    const why = errorMessage(error);
    throw new UsageError(`cannot find the API server of the cluster: ${why}`, { cause: error });
  }
}

interface Shown {
  readonly role: RoleName;
  readonly namespace: string;
  readonly server: string;
  readonly plan: HandoverPlan;
  readonly yes: boolean;
}

function head({ role, namespace, server, plan, yes }: Shown): string {
  const what = `the ${role} in Namespace ${namespace} of ${server}`;
  if (plan.steps.length === 0) return `Nothing is left to hand over: ${what}.\n`;
  const lines = yes ? [] : inGroups(plan.steps).map((steps, index) => line(index + 1, steps));
  return [`Handover of ${what} to Antrea Multi-cluster:\n`, ...lines].join('');
}

function line(number: number, steps: readonly HandoverStep[]): string {
  return `  ${number}. ${stepText(steps)}\n`;
}

function tail({ steps, next }: HandoverPlan, yes: boolean): string {
  const done = yes || steps.length === 0 ? '' : 'Nothing has been changed. To carry this out, add --yes.\n';
  return `${done}Afterwards:\n${next.map((text) => `  - ${text}\n`).join('')}`;
}

function documentOf({ role, namespace, server, plan, yes }: Shown) {
  return {
    role,
    namespace,
    server,
    done: yes,
    steps: inGroups(plan.steps).map((steps) => ({
      kind: steps[0]?.kind,
      text: stepText(steps),
      objects: [...new Set(steps.flatMap(stepObjects))],
    })),
    next: plan.next,
  };
}
