import type { Definition } from './definition.ts';

/** The status of a newly created definition. */
export const emptyDefinitionStatus: Definition['status'] = {
  conditions: null,
  acceptedNames: { plural: '', kind: '' },
  storedVersions: null,
};

/** The definition with what the API server fills in: names, conversion, and a status. */
export function withDefinitionDefaults<T extends Definition>(definition: T): T {
  const { spec = {} as Definition['spec'], status = emptyDefinitionStatus } = definition as Partial<T>;
  const names = { ...spec.names, plural: spec.names?.plural ?? '', kind: spec.names?.kind ?? '' };
  const singular = (names.singular ?? '') === '' ? names.kind.toLowerCase() : names.singular;
  const listKind = (names.listKind ?? '') === '' && names.kind !== '' ? `${names.kind}List` : names.listKind;
  return {
    ...definition,
    spec: {
      ...spec,
      names: {
        ...names,
        ...(singular !== undefined && singular !== '' && { singular }),
        ...(listKind !== undefined && { listKind }),
      },
      conversion: withPort(spec.conversion ?? { strategy: 'None' }),
    },
    status: {
      ...status,
      conditions: status.conditions ?? null,
      acceptedNames: status.acceptedNames ?? emptyDefinitionStatus.acceptedNames,
      storedVersions: status.storedVersions ?? null,
    },
  };
}

function withPort(
  conversion: NonNullable<Definition['spec']['conversion']>,
): NonNullable<Definition['spec']['conversion']> {
  const { webhook } = conversion;
  const service = webhook?.clientConfig?.service;
  if (service === undefined || service.port !== undefined) return conversion;
  const clientConfig = { ...webhook?.clientConfig, service: { ...service, port: 443 } };
  return { ...conversion, webhook: { ...webhook, clientConfig } };
}

/** The definition with its storage version among those that objects may be stored in. */
export function withStoredVersion<T extends Definition>(definition: T): T {
  const { spec, status } = definition;
  const storage = (spec.versions ?? []).find((version) => version.storage === true)?.name;
  const stored = status.storedVersions ?? [];
  if (storage === undefined || stored.includes(storage)) return definition;
  return { ...definition, status: { ...status, storedVersions: [...stored, storage] } };
}
