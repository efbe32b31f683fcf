import type { RunProgram } from './write-network.ts';

/**
 * The addresses that the kernel of this Node takes for its own or for broadcasts, by their texts: on any device, whoever put them there. Ranges, such as that of the loopback device, are
 * left out. Nothing for a family that the Node does not have. Errors: throws where `ip` cannot be run, or prints something else than it should.
 */
async function readLocalAddresses(run: RunProgram): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const family of ['-4', '-6']) {
    const { code, stdout } = await run('ip', ['-j', family, 'route', 'show', 'table', 'local'], '');
    if (code !== 0 || stdout.trim() === '') continue;
    for (const { dst } of JSON.parse(stdout) as readonly { readonly dst?: string }[])
      if (dst !== undefined && !dst.includes('/')) found.add(dst);
  }
  return found;
}

/** What `readLocalAddresses` read last, until a device has changed. */
interface LocalAddresses {
  /** The same object until it is another set. */
  read(): Promise<ReadonlySet<string>>;
  /** It may have changed. */
  forget(): void;
  /** Calls `listener` when it may have changed. Returns the unsubscriber. */
  subscribe(listener: () => void): () => void;
}

export function createLocalAddresses(run: RunProgram): LocalAddresses {
  const listeners = new Set<() => void>();
  let last: ReadonlySet<string> = new Set();
  let isKnown = false;
  return {
    async read() {
      if (isKnown) return last;
      const now = await readLocalAddresses(run);
      if (now.size !== last.size || [...now].some((address) => !last.has(address))) last = now;
      isKnown = true;
      return last;
    },
    forget() {
      if (!isKnown) return;
      isKnown = false;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
