import { wireGuardDevice } from '../desired/devices.ts';
import type { Network, WireGuardPeer } from '../network/network.ts';
import { toolOutput } from './tool-output.ts';
import type { RunProgram } from './write-network.ts';

/**
 * The WireGuard device that an earlier run left, without its private key, which `wg` is not asked
 * for. `links`: all devices, in the format of `ip -j link`.
 *
 * Errors: throws if `wg` cannot be run, or fails for an existing device.
 */
export async function readWireGuards(
  run: RunProgram,
  links: readonly { readonly ifname?: string; readonly mtu?: number }[],
): Promise<Pick<Network, 'wireGuards' | 'wireGuardPeers'>> {
  const found = links.find(({ ifname }) => ifname === wireGuardDevice);
  if (found === undefined) return { wireGuards: new Map(), wireGuardPeers: new Map() };
  const show = async (what: string): Promise<readonly (readonly string[])[]> => {
    const args = ['show', wireGuardDevice, what];
    const stdout = await toolOutput(run, `read the network of this Node: wg ${args.join(' ')}`, 'wg', args);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return lines.map((line) => line.split('\t'));
  };
  const [[port = '0'] = []] = await show('listen-port');
  const endpoints = new Map(await pairs(show('endpoints')));
  const allowed = await pairs(show('allowed-ips'));
  return {
    wireGuards: new Map([[wireGuardDevice, { name: wireGuardDevice, port: Number(port), mtu: found.mtu ?? 0 }]]),
    wireGuardPeers: new Map(
      allowed.map(([publicKey, range]): [string, WireGuardPeer] => [
        publicKey,
        { dev: wireGuardDevice, publicKey, endpoint: endpoints.get(publicKey) ?? '', allowed: range },
      ]),
    ),
  };
}

/**
 * The peers that were found, with the endpoints that they should have. WireGuard replaces the
 * endpoint of a peer by the address that its packets come from, such as that of a NAT on the way. A
 * peer without any endpoint was not moved like this.
 */
export function withoutRoaming(
  found: Network['wireGuardPeers'],
  wanted: Network['wireGuardPeers'],
): Network['wireGuardPeers'] {
  return new Map(
    [...found].map(([key, peer]) => {
      const { endpoint } = wanted.get(key) ?? peer;
      return [key, peer.endpoint === '' || peer.endpoint === '(none)' ? peer : { ...peer, endpoint }];
    }),
  );
}

async function pairs(lines: Promise<readonly (readonly string[])[]>): Promise<readonly (readonly [string, string])[]> {
  return (await lines).map(([key = '', value = '']) => [key, value]);
}
