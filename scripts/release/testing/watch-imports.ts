import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { findBinaries } from '@isthmus/testkit';
import type { ClusterUser } from './release-on-nodes.ts';

interface Seen {
  readonly type: string;
  readonly object: {
    readonly metadata: { readonly name: string; readonly uid: string };
    readonly spec?: { readonly clusterIPs?: unknown; readonly ips?: unknown };
    readonly endpoints?: readonly { readonly addresses: readonly string[]; readonly conditions?: unknown }[];
  };
}

/** The kinds of which an import consists. */
const kinds = {
  Service: 'api/v1/namespaces/NS/services',
  ServiceImport: 'apis/multicluster.x-k8s.io/v1beta1/namespaces/NS/serviceimports',
  EndpointSlice: 'apis/discovery.k8s.io/v1/namespaces/NS/endpointslices',
} as const;

/**
 * Every state that an object was in: uid, addresses, endpoints. One that was deleted has `gone`
 * among them.
 */
export type ImportStates = Readonly<Record<string, readonly string[]>>;

/** A watch of imports. */
export interface ImportWatch {
  /** The states until now, by kind and name. */
  states(): ImportStates;
  /** Ends the watch. Errors: it failed before, and missed what came then. */
  stop(): ImportStates;
}

/**
 * Watches the Services, ServiceImports and EndpointSlices of a Namespace whose names match, object
 * by object, from how they are now. An API server ends the watches of a kind whose definition
 * changes: then everything is looked at again, and what is not there any more was deleted.
 */
export function watchImports({ kubeconfig }: ClusterUser, namespace: string, names: RegExp): ImportWatch {
  const states = new Map<string, string[]>();
  const failed: string[] = [];
  const watches = Object.entries(kinds).map(([kind, path]) => {
    const url = `/${path.replace('NS', namespace)}?watch=true`;
    let isOver = false;
    let child: ChildProcess;
    let seen: Set<string>;
    const start = () => {
      seen = new Set();
      const { stdout, stderr } = (child = spawn(
        findBinaries(process.env).kubectl,
        ['--kubeconfig', kubeconfig, 'get', '--raw', url],
        { stdio: ['ignore', 'pipe', 'pipe'] },
      ));
      stderr?.setEncoding('utf8').on('data', (text: string) => failed.push(`${kind}: ${text}`));
      child.once('close', (code) => {
        if (isOver) return;
        if (code === 0) start();
        else failed.push(`the watch of ${kind}s ended with ${code}`);
      });
      if (stdout !== null) createInterface({ input: stdout }).on('line', note);
    };
    const note = (line: string) => {
      const { type, object } = JSON.parse(line) as Seen;
      if (!names.test(object.metadata?.name ?? '')) return;
      const key = `${kind} ${object.metadata.name}`;
      seen.add(key);
      const { uid } = object.metadata;
      const { clusterIPs, ips } = object.spec ?? {};
      const endpoints = object.endpoints?.map(({ addresses, conditions }) => ({ addresses, conditions }));
      noteState(key, type === 'DELETED' ? 'gone' : JSON.stringify({ uid, clusterIPs, ips, endpoints }));
    };
    start();
    return {
      end() {
        isOver = true;
        child.kill();
        for (const key of states.keys()) if (key.startsWith(`${kind} `) && !seen.has(key)) noteState(key, 'gone');
      },
    };
  });
  function noteState(key: string, state: string): void {
    const before = states.get(key) ?? [];
    if (before.at(-1) !== state) states.set(key, [...before, state]);
  }
  const result = () => Object.fromEntries([...states].toSorted(([one], [other]) => one.localeCompare(other)));
  return {
    states: result,
    stop() {
      for (const { end } of watches) end();
      if (failed.length > 0) throw new Error(`watching imports: ${failed.join('; ')}`);
      return result();
    },
  };
}
