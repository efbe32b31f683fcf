import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { Host, TestbedNode } from '@isthmus/testkit';

/** The results of calls. */
export interface Calls {
  readonly calls: number;
  /** The answers that were not those of a Pod of the Service, and the errors. */
  readonly failed: readonly unknown[];
}

/** A limit that only catches hangs: the duration of a call depends on the host. */
const callMs = 120_000;

/**
 * Calls a Service again and again from the network namespace of a Pod, over a new connection each
 * time, until it is stopped. The caller is a process of the Node, because the clients that a
 * container could run give up after five seconds, on a busy host too.
 */
export function startCalls(
  node: TestbedNode,
  podIP: string,
  service: { readonly address: string; readonly port: number; readonly pods: string },
): { stop(): Promise<Calls> } {
  const stopFile = join(tmpdir(), `isthmus-calls-${randomUUID()}`);
  const { address, port, pods } = service;
  const script = `
    const { existsSync } = require('node:fs');
    const { request } = require('node:http');
    const call = () => new Promise((resolve) => {
      const options = { host: ${JSON.stringify(address)}, port: ${port}, path: '/hostname', agent: false, timeout: ${callMs} };
      const asked = request(options, async (response) => {
        let text = '';
        try {
          for await (const chunk of response) text += chunk;
        } catch (error) {
          text = String(error);
        }
        resolve(text);
      });
      asked.once('timeout', () => asked.destroy(new Error('no answer')));
      asked.once('error', (error) => resolve(String(error)));
      asked.end();
    });
    (async () => {
      let calls = 0;
      const failed = [];
      for (; !existsSync(${JSON.stringify(stopFile)}); calls++) {
        const answer = await call();
        if (!answer.startsWith(${JSON.stringify(pods)})) failed.push(answer);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      console.log(JSON.stringify({ calls, failed }));
    })();
  `;
  const ended = node.run('sh', ['-ec', inNamespaceOf(podIP), 'sh', process.execPath, '-e', script]);
  return {
    async stop() {
      writeFileSync(stopFile, '');
      const { stdout, stderr, code } = await ended;
      rmSync(stopFile);
      if (code !== 0) throw new Error(`calling ${address} as Pod ${podIP}: ${stderr}`);
      return JSON.parse(stdout) as Calls;
    },
  };
}

/** The network of a Pod on a Node, in which programs of the Node run. */
export function hostOfPod(node: TestbedNode, podIP: string): Host {
  return {
    run: (program, args, input) => node.run('sh', ['-ec', inNamespaceOf(podIP), 'sh', program, ...args], input),
  };
}

/** A script that runs its arguments in the network namespace that has this address. */
const inNamespaceOf = (podIP: string) => `
  for one in /run/netns/*; do
    if nsenter --net="$one" ip -o address show | grep -qF ' ${podIP}/'; then exec nsenter --net="$one" "$@"; fi
  done
  echo 'no Pod of this Node has the address ${podIP}' >&2
  exit 1`;
