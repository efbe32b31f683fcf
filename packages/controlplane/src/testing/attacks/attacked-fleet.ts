import type { Client } from '@isthmus/kube';

/** A leader, an importer and a third cluster (`facts.ts`), with their real controllers. */
export interface AttackedFleet {
  /** Clients of administrators, by the ID of the cluster. */
  readonly admins: ReadonlyMap<string, Client>;
  /** A client of the API server of the leader with a token of a ServiceAccount of its Namespace. */
  logIn(account: string): Promise<Client>;
  /** How soon an attack is named. */
  readonly namedMs: number;
  /** How many attacks run at the same time: one process is the controllers of all clusters. */
  readonly sideBySide: number;
  nowMs(): number;
  pass(ms: number): Promise<void>;
}

export function adminOf({ admins }: AttackedFleet, id: string): Client {
  const found = admins.get(id);
  if (found === undefined) throw new Error(`no cluster ${id}`);
  return found;
}
