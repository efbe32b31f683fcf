import { createClient, systemClock } from '@isthmus/kube';
import type { Client } from '@isthmus/kube';
import { adminTransport } from '../apiserver/admin-transport.ts';
import { startApiServer } from '../apiserver/start.ts';
import type { RealApiServer } from '../apiserver/api-server.ts';
import { serviceAccountToken } from './credentials.ts';
import { tokenClient } from './controllers.ts';

/**
 * A real API server and clients of its accounts, for tests of their rights. Disposing of it closes
 * them all.
 */
export interface PolicedServer extends AsyncDisposable {
  readonly server: RealApiServer;
  readonly admin: Client;
  /**
   * A client with a token of a ServiceAccount, which {@link as} finds by `name`: default that of
   * the account.
   */
  logIn(namespace: string, account: string, name?: string): Promise<Client>;
  /** The client that has logged in by this name. Errors: throws if there is none. */
  as(name: string): Client;
}

/** Starts an API server for such a test. */
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
    as(name) {
      const client = clients.get(name);
      if (client === undefined) throw new Error(`no client has logged in as ${name}`);
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const client of [admin, ...clients.values()]) client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
