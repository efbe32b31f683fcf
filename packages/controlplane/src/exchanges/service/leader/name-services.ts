import type { ResourceImport } from '@isthmus/api';
import { SourceKind, mayBeDotted } from '@isthmus/api';
import { keyOf } from '@isthmus/machinery';
import { joinedImportName } from '@isthmus/wire';

/** How the names of the imports of a Service join its Namespace and its name: dash or dot. */
export type NameForm = 'joined' | 'dotted';

/** A Service whose imports may have to share their names. */
interface NamedService {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Decides which of the Services of one import base have the names with a dash, and which those with
 * a dot. `imports` are those that this leader may change.
 *
 * A published Service keeps its names, so that no connection ends, even when the Service that had
 * the names with a dash is gone. Otherwise the first has these, and the others the ones with a dot.
 * Undefined: its Namespace has no such names.
 */
export function nameServices<S extends NamedService>(
  services: readonly S[],
  imports: readonly ResourceImport[],
): ReadonlyMap<S, NameForm | undefined> {
  const published = new Map(services.map((service) => [service, importsOfService(service, imports)]));
  const hasJoined = (service: S, isMeant: (object: ResourceImport) => boolean = () => true) =>
    published.get(service)?.some((object) => !isDotted(object) && isMeant(object)) === true;
  const holder =
    services.find((service) => hasJoined(service, ({ spec }) => spec?.kind === SourceKind.serviceImport)) ??
    services.find((service) => hasJoined(service)) ??
    services.find((service) => published.get(service)?.length === 0);
  const otherForm = ({ namespace }: S) => (mayBeDotted(namespace) ? 'dotted' : undefined);
  return new Map(services.map((service) => [service, service === holder ? 'joined' : otherForm(service)]));
}

/** The imports, of whichever name, whose content is that Service. */
export function importsOfService(
  { namespace, name }: NamedService,
  imports: readonly ResourceImport[],
): readonly ResourceImport[] {
  const key = keyOf({ namespace, name });
  return imports.filter(({ spec }) => keyOf({ namespace: spec?.namespace, name: spec?.name ?? '' }) === key);
}

function isDotted(object: ResourceImport): boolean {
  return joinedImportName(object) !== object.metadata.name;
}
