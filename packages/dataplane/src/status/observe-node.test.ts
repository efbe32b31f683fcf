import { expect, it } from 'vitest';
import { wireGuardDevice } from '../desired/devices.ts';
import type { RunProgram } from '../kernel/write-network.ts';
import { observeNode } from './observe-node.ts';

/** What the programs of a Node print, by program and arguments; what is not named is empty. */
const printed: Readonly<Record<string, string>> = {
  'ip -j -d link show': JSON.stringify([{ ifname: wireGuardDevice, mtu: 1420, linkinfo: { info_kind: 'wireguard' } }]),
  [`wg show ${wireGuardDevice} listen-port`]: '51821\n',
  [`wg show ${wireGuardDevice} public-key`]: 'own=\n',
  [`wg show ${wireGuardDevice} latest-handshakes`]: 'east=\t1764442800\nwest=\t0\n',
  [`wg show ${wireGuardDevice} transfer`]: 'east=\t1200\t3400\nwest=\t0\t148\n',
  'conntrack -S': 'cpu=0 found=1 drop=2 early_drop=0\ncpu=1 found=0 drop=3 early_drop=0\n',
  'conntrack -C': '42\n',
};

/** A Node on which these commands fail. */
const node =
  (...broken: readonly string[]): RunProgram =>
  (program, args) => {
    const command = [program, ...args].join(' ');
    const isBroken = broken.some((one) => command.startsWith(one));
    const tables = program === 'nft' ? '{"nftables": []}' : '';
    return Promise.resolve(
      isBroken
        ? { code: 1, stdout: '', stderr: 'not permitted' }
        : { code: 0, stdout: printed[command] ?? tables, stderr: '' },
    );
  };

it('shows the peers of WireGuard, and no handshake of a peer that had none', async () => {
  const { wireGuard, failures } = await observeNode(node());
  expect(wireGuard).toEqual({
    device: wireGuardDevice,
    publicKey: 'own=',
    peers: [
      { publicKey: 'east=', latestHandshake: 1764442800, receivedBytes: 1200, sentBytes: 3400 },
      { publicKey: 'west=', latestHandshake: undefined, receivedBytes: 0, sentBytes: 148 },
    ],
  });
  expect(failures).toEqual([]);
});

it('adds up the connections that each processor has refused', async () => {
  expect((await observeNode(node())).connections).toEqual({ current: 42, refused: 5 });
});

it.each([
  ['wg', { wireGuard: undefined, connections: { current: 42, refused: 5 } }],
  ['conntrack', { connections: undefined }],
  ['ip', { wireGuard: undefined, connections: { current: 42, refused: 5 } }],
])('without %s, shows the rest and reports what cannot be read', async (program, rest) => {
  const observed = await observeNode(node(program));
  expect(observed).toMatchObject(rest);
  expect(observed.failures.length).toBeGreaterThan(0);
  for (const failure of observed.failures) expect(failure).toMatch(/^cannot read .*not permitted$/);
});
