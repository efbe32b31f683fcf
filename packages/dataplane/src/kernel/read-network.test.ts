import { expect, test } from 'vitest';
import { readNetwork } from './read-network.ts';
import type { RunProgram } from './write-network.ts';

test('IPv6 addresses that programs print with four decimal numbers are read as the same that was written, and default routes, which are never ours, are left out', async () => {
  const printed: Readonly<Record<string, unknown>> = {
    'ip -j -d link show': [{ ifname: 'isthmus-gw', linkinfo: { info_kind: 'vxlan', info_data: {} } }],
    'bridge -j fdb show dev isthmus-gw': [{ mac: '0a:59:00:00:00:01', dst: '::1.2.3.4' }],
    'ip -j neigh show dev isthmus-gw nud permanent': [{ dst: 'fe80::1', lladdr: '0a:59:00:00:00:01' }],
    'ip -j route show table all protocol 73': [
      { dst: '::1.2.3.0/120', table: '7100', nhid: 5 },
      { dst: '::1.2.4.1', table: '7100', nhid: 5 },
      // From another program that uses our number: its family is not visible.
      { dst: 'default', table: '7100', dev: 'eth0' },
    ],
  };
  const run: RunProgram = (program, args) => {
    const found = printed[[program, ...args].join(' ')] ?? [];
    return Promise.resolve({ code: 0, stdout: JSON.stringify(found), stderr: '' });
  };
  const { routes, peers } = await readNetwork(run);
  expect([...routes.keys()]).toEqual(['7100 ::102:300/120', '7100 ::102:401/128']);
  expect([...peers.keys()]).toEqual(['isthmus-gw ::102:304']);
});
