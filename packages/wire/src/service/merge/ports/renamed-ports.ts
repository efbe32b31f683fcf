/**
 * A Service and its endpoints are written one after the other, by everyone on the way from the exporter to the importers. Where a port gets another
 * name, the ports of one have for a moment names that the other does not know, and nobody is reached; for as long as a writer is dead in between.
 * These functions find such ports by what a rename leaves as it is: protocol and number.
 */

/** A port of a Service, wherever it stands. Absent and empty names are the same. */
export interface NumberedPort {
  readonly name?: string | undefined;
  readonly protocol?: string | undefined;
  readonly port: number;
}

/** By the name that a port has now, the one that it had. */
export type FormerNames = ReadonlyMap<string, string>;

/** The ports that were renamed since `before`. Names that other ports have, or had, are not among them: they mean something else. */
export function formerPortNames(now: readonly NumberedPort[], before: readonly NumberedPort[]): FormerNames {
  const namesNow = new Set(now.map(nameOf));
  const namesBefore = new Set(before.map(nameOf));
  const byNumber = new Map(before.map((port) => [numberOf(port), nameOf(port)]));
  return new Map(
    now.flatMap((port) => {
      const name = nameOf(port);
      const former = byNumber.get(numberOf(port));
      const isRenamed = former !== undefined && !namesNow.has(former) && !namesBefore.has(name);
      return isRenamed ? [[name, former] as const] : [];
    }),
  );
}

/** Endpoints that share their ports, with the names of these. */
export type PortNames = ReadonlySet<string>;

/** Of renamed ports those that some endpoints have under the former name alone. */
export function stillSomewhere(renamed: FormerNames, groups: readonly PortNames[]): FormerNames {
  return filtered(renamed, (name, former) => groups.some((names) => names.has(former) && !names.has(name)));
}

/** Of renamed ports those that endpoints have under the former name, and none under the new one. */
export function stillEverywhere(renamed: FormerNames, groups: readonly PortNames[]): FormerNames {
  return filtered(
    renamed,
    (name, former) => groups.some((names) => names.has(former)) && !groups.some((names) => names.has(name)),
  );
}

/** The ports under their former names. Endpoints that have a port under both names keep both. */
export function underFormerNames<P extends { readonly name?: string | null | undefined }>(
  ports: readonly P[],
  former: FormerNames,
): readonly P[] {
  const names = portNamesOf(ports);
  return ports.map((port) => {
    const name = former.get(port.name ?? '');
    return name === undefined || names.has(name) ? port : { ...port, name };
  });
}

export function portNamesOf(ports: readonly { readonly name?: string | null | undefined }[]): PortNames {
  return new Set(ports.map(({ name }) => name ?? ''));
}

function filtered(renamed: FormerNames, keeps: (name: string, former: string) => boolean): FormerNames {
  return new Map([...renamed].filter(([name, former]) => keeps(name, former)));
}

function nameOf({ name = '' }: NumberedPort): string {
  return name;
}

function numberOf({ protocol = 'TCP', port }: NumberedPort): string {
  return `${protocol} ${port}`;
}
