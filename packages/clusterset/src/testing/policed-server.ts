import { createClient, systemClock } from '@isthmus/kube';
import type { Client } from '@isthmus/kube';
import { adminTransport, serviceAccountToken, startApiServer, tokenClient } from '@isthmus/testkit';
import type { RealApiServer } from '@isthmus/testkit';
import { expect } from 'vitest';

/** A real API server and clients of its accounts, for tests of what it lets them write. Disposing of it closes them all. */
export interface PolicedServer extends AsyncDisposable {
  readonly server: RealApiServer;
  readonly admin: Client;
  /** A client with a token of a ServiceAccount, which {@link as} finds by `name`: default that of the account. */
  logIn(namespace: string, account: string, name?: string): Promise<Client>;
  /** The client that has logged in by this name. */
  as(name: string): Client;
}

export async function startPolicedServer(options: Parameters<typeof startApiServer>[0]): Promise<PolicedServer> {
  const server = await startApiServer(options);
  const clock = systemClock();
  const admin = createClient({ transport: adminTransport(server, 'isthmus-test'), clock, server: server.url });
  const clients = new Map<string, Client>();
  return {
    server,
    admin,
    async logIn(namespace, account, name = account) {
      const token = await serviceAccountToken(admin, namespace, account);
      const client = tokenClient({ url: server.url, caData: server.caData, token }, { clock });
      clients.set(name, client);
      return client;
    },
    as: (name) => clients.get(name) ?? expect.fail(name),
    async [Symbol.asyncDispose]() {
      for (const client of [admin, ...clients.values()]) client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
