/**
 * One of the modules that have access to the outside: it makes keys, and passes them to `wg`
 * (crypto, fs, os).
 */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '@isthmus/machinery';
import type { WireGuardLink } from '../network/network.ts';
import { toolOutput } from './tool-output.ts';
import type { RunProgram } from './write-network.ts';

/**
 * The operations on a WireGuard device. Its private key never leaves the kernel, or the process
 * that replaces the kernel module.
 */
export interface WireGuardDevices {
  /**
   * Makes sure that the device exists as it should be, with a key of its own. It keeps that key as
   * long as it exists. Peers and routes are not changed. Resolves to its public key. Errors: throws
   * if neither the kernel nor `wireguard-go` can create it, with the output of both.
   */
  put(link: WireGuardLink): Promise<string>;
  /** Its current public key; undefined: the device does not exist. */
  publicKey(name: string): Promise<string | undefined>;
  /** Removes it. A `wireguard-go` that runs it then ends. */
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

/** The output of `wg` for a device without a key. */
const noKey = '(none)';

/**
 * Passes a new private key in a file that only this user can read, and that is removed afterwards.
 * `wg` opens a file. It cannot open the sockets that Node.js gives to programs as their input.
 */
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

/** A private key in the format of `wg genkey`: 32 bytes in base64. */
function newPrivateKey(): string {
  const { d = '' } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  return Buffer.from(d, 'base64url').toString('base64');
}
