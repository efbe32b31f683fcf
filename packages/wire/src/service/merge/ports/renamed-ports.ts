/**
 * A Service and its endpoints are written one after the other, by each writer between the exporter
 * and the importers. If a port is renamed, one of the two has for a moment a name that the other
 * does not have, and no client reaches an endpoint. That lasts for as long as a writer is down
 * between its two writes. These functions find such ports by the parts that a rename does not
 * change: protocol and number.
 */

/** A port of a Service, in any object. Absent and empty names are the same. */
export interface NumberedPort {
  readonly name?: string | undefined;
  readonly protocol?: string | undefined;
  readonly port: number;
}

/** The former name of each renamed port, by its present name. */
export type FormerNames = ReadonlyMap<string, string>;

/**
 * The ports that were renamed since `before`. Names that other ports have, or had, are left out:
 * they mean another port.
 */
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

/** The port names of endpoints that share their ports. */
export type PortNames = ReadonlySet<string>;

/** The renamed ports that some endpoints have only under the former name. */
export function stillSomewhere(renamed: FormerNames, groups: readonly PortNames[]): FormerNames {
  return filtered(renamed, (name, former) => groups.some((names) => names.has(former) && !names.has(name)));
}

/**
 * The renamed ports that endpoints have under the former name, and no endpoints have under the new
 * one.
 */
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
