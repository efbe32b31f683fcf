import {
  AntreaNetworkPolicy,
  ClusterInfoImport,
  ClusterNetworkPolicy,
  ClusterSet,
  EndpointSlice,
  Label,
  LabelIdentity,
  Namespace,
  Node,
  Pod,
  Service,
  ServiceExportV1alpha1,
  Tier,
} from '@isthmus/api';
import type { ServiceExport } from '@isthmus/api';
import type { Trace, TraceObjects, TraceRequest } from '@isthmus/dataplane';
import { agentPorts, sliceKey, traceLines, traceRequest } from '@isthmus/dataplane';
import type { Client } from '@isthmus/kube';
import { createClient, isNotServed } from '@isthmus/kube';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { addressText, errorMessage, parseAddress } from '@isthmus/machinery';
import { ExitCode } from '../command/exit-code.ts';
import { findApiServer, openApiServer, printWarnings } from '../connection/find-api-server.ts';
import type { Io } from '../world/io.ts';
import { withUserAdvice } from '../connection/not-allowed.ts';
import { UsageError } from '../command/usage-error.ts';
import { isthmusVersion } from '../version/version.ts';
import type { TraceFlags } from './flags.ts';
import { defaultNamespace, podCIDRsOf, virtualCIDRsOf } from './settings.ts';

/**
 * Prints the way of a packet. Errors: {@link UsageError} where an operand names something that does
 * not exist; those of the client where the API server cannot be read.
 */
export async function traceWay(io: Io, flags: TraceFlags, [from = '', to = '']: readonly string[]): Promise<ExitCode> {
  const { clock } = io;
  const podCIDRs = podCIDRsOf(flags['pod-cidrs']);
  const virtualCIDRs = virtualCIDRsOf(flags['virtual-pod-cidrs']);
  const connection = await findApiServer(io, flags, 'the API server of the cluster');
  printWarnings(io, connection);
  const transport = await openApiServer(io, connection, `isthmus-trace/${isthmusVersion}`);
  const client = createClient({ transport, clock, server: `the API server ${connection.server}` });
  try {
    const namespace = flags.namespace ?? defaultNamespace;
    const [nodes, clusterInfoImports, clusterSets, services, serviceExports, slices, apiServers] = await Promise.all([
      client.list<Node>(Node),
      client.list<ClusterInfoImport>(ClusterInfoImport, { namespace }).catch(notAMember),
      listServed<ClusterSet>(client, ClusterSet, { namespace }),
      client.list<Service>(Service),
      listServed<ServiceExport>(client, ServiceExportV1alpha1),
      client.list<EndpointSlice>(EndpointSlice, { labelSelector: Label.mcsServiceName }),
      client.list<EndpointSlice>(EndpointSlice, {
        namespace: 'default',
        labelSelector: `${Label.serviceName}=kubernetes`,
      }),
    ]);
    const policies = flags['enable-stretched-network-policy'] === true ? await readPolicies(client, from) : undefined;
    const bySlice = Map.groupBy(slices.items, sliceKey);
    const objects: TraceObjects = {
      namespace,
      nodes: nodes.items,
      clusterInfoImports: clusterInfoImports.items,
      apiServers: apiServers.items,
      clusterSets,
      services: services.items,
      serviceExports,
      slicesOf: (key: string) => bySlice.get(key) ?? [],
      podCIDRs,
      virtualCIDRs,
      policies,
      // No way depends on the size of a packet.
      settings: { port: agentPorts.tunnel, underlayMTU: 1_500 },
    };
    const trace = tracedIn(objects, { from, to, protocol: flags.protocol ?? 'TCP' });
    io.stdout.write(`${traceLines(trace).join('\n')}\n`);
    const { kind } = trace.trip.request.end;
    const isLost = kind === 'dropped' || kind === 'rejected' || trace.unansweredOn !== undefined;
    return isLost ? ExitCode.failed : ExitCode.ok;
  } catch (error) {
    throw withUserAdvice(error);
  } finally {
    client.close();
  }
}

/** Those of a kind; none, where the API server does not serve it. */
async function listServed<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  options: Parameters<Client['list']>[1] = {},
): Promise<readonly T[]> {
  try {
    return (await client.list<T>(type, options)).items;
  } catch (error) {
    if (isNotServed(error)) return [];
    throw error;
  }
}

function notAMember(error: unknown): never {
  if (!isNotServed(error)) throw error;
  throw new Error(
    'cannot trace: this cluster does not have the kind ClusterInfoImport, so it is not a member of a ClusterSet. Check that the kubeconfig and its context are those of a member, or install one: kubectl apply -f deploy/member.yaml',
    { cause: error },
  );
}

/** What the Node of the client has of policies and labels. Of Pods, only the client counts. */
async function readPolicies(client: Client, from: string): Promise<TraceObjects['policies']> {
  const list = <T extends KubernetesObject>(type: ResourceType<T>, options = {}) =>
    listServed<T>(client, type, options);
  const [pods, namespaces, labelIdentities, clusterNetworkPolicies, networkPolicies, tiers] = await Promise.all([
    podsWith(client, from),
    list<Namespace>(Namespace),
    list<LabelIdentity>(LabelIdentity),
    list<ClusterNetworkPolicy>(ClusterNetworkPolicy),
    list<AntreaNetworkPolicy>(AntreaNetworkPolicy),
    list<Tier>(Tier),
  ]);
  const named = <T extends KubernetesObject>(objects: readonly T[]) => {
    const byName = new Map(objects.map((one) => [one.metadata.name, one]));
    return (name: string) => byName.get(name);
  };
  return {
    isEnforcing: true,
    pods,
    namespaceOf: named(namespaces),
    labelIdentityOf: named(labelIdentities),
    clusterNetworkPolicies,
    networkPolicies,
    tiers,
  };
}

/**
 * The Pods with an address. An API server finds them by their first one alone: for another one, all
 * Pods are read.
 */
async function podsWith(client: Client, text: string): Promise<readonly Pod[]> {
  const address = parseAddress(text);
  if (address === undefined) return [];
  const ip = addressText(address);
  const { items: first } = await client.list<Pod>(Pod, { fieldSelector: `status.podIP=${ip}` });
  if (first.length > 0) return first;
  const { items: all } = await client.list<Pod>(Pod);
  return all.filter(({ status }) => status?.podIPs?.some((one) => one.ip === ip) === true);
}

function tracedIn(objects: TraceObjects, request: TraceRequest): Trace {
  try {
    return traceRequest(objects, request);
  } catch (error) {
    throw new UsageError(`cannot trace: ${errorMessage(error)}.`, { cause: error });
  }
}
