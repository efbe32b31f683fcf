/** Of the modules that may touch the world: it makes keys, and shows them to `wg` (crypto, fs, os). */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '@isthmus/machinery';
import type { WireGuardLink } from '../network/network.ts';
import { toolOutput } from './tool-output.ts';
import type { RunProgram } from './write-network.ts';

/** What can be done to a device of WireGuard. Its private key never leaves the kernel, or the process that stands in for it. */
export interface WireGuardDevices {
  /**
   * Makes sure that there is a device as it should be, with a key of its own, which it keeps as long as it exists. Peers and routes are not touched. Resolves to its public
   * key. Errors: throws where neither the kernel nor `wireguard-go` can make one, and says what each of them said.
   */
  put(link: WireGuardLink): Promise<string>;
  /** The public key that it has now; undefined: there is no such device. */
  publicKey(name: string): Promise<string | undefined>;
  /** Removes it; `wireguard-go`, if it was that, then ends. */
  remove(name: string): Promise<void>;
}

export function wireGuardDevices(run: RunProgram): WireGuardDevices {
  const keyOf = async (name: string) => {
    const { code, stdout } = await run('wg', ['show', name, 'public-key'], '');
    return code === 0 ? stdout.trim() : undefined;
  };

  async function make(name: string): Promise<void> {
    const inKernel = await run('ip', ['link', 'add', name, 'type', 'wireguard'], '');
    if (inKernel.code === 0) return;
    const said = await run('wireguard-go', [name], '').then(
      ({ code, stderr }) => (code === 0 ? undefined : stderr.trim()),
      errorMessage,
    );
    if (said !== undefined)
      throw new Error(
        `cannot create WireGuard device ${name}. The kernel: ${inKernel.stderr.trim()}. Without it: ${said}. Load the kernel module wireguard on this Node, or run WireGuard in user space there: kubectl label node NODE isthmus.dev/wireguard=userspace, kubectl apply -f deploy/wireguard.yaml`,
      );
  }

  return {
    async put({ name, port, mtu }) {
      const known = await keyOf(name);
      if (known === undefined) await make(name);
      const hasKey = known !== undefined && known !== noKey;
      const configure = (...more: readonly string[]) =>
        toolOutput(run, `configure WireGuard device ${name}`, 'wg', [
          'set',
          name,
          'listen-port',
          String(port),
          ...more,
        ]);
      await (hasKey ? configure() : withKeyFile((path) => configure('private-key', path)));
      await toolOutput(run, `set up WireGuard device ${name}`, 'ip', ['link', 'set', name, 'mtu', String(mtu), 'up']);
      const key = await toolOutput(run, `read the key of WireGuard device ${name}`, 'wg', ['show', name, 'public-key']);
      return key.trim();
    },
    publicKey: keyOf,
    async remove(name) {
      await toolOutput(run, `remove WireGuard device ${name}`, 'ip', ['link', 'del', name]);
    },
  };
}

/** What `wg` prints for a device without a key. */
const noKey = '(none)';

/** A new private key in a file that only this user can read, and that is gone afterwards: `wg` opens a file, and cannot open the sockets that Node gives to programs as their input. */
async function withKeyFile<T>(use: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'isthmus-key-'));
  try {
    const path = join(folder, 'key');
    await writeFile(path, newPrivateKey(), { mode: 0o600 });
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** As `wg genkey` prints one: 32 bytes in base64. */
function newPrivateKey(): string {
  const { d = '' } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  return Buffer.from(d, 'base64url').toString('base64');
}
