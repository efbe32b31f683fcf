import { equal } from '@isthmus/machinery';
import { withCondition } from '../definition/definition.ts';
import type { Condition, Definition, Names } from '../definition/definition.ts';

/**
 * The definition with the names that do not conflict with others of its group, and the resulting
 * conditions NamesAccepted and Established. A conflicting name keeps the value accepted before.
 * Undefined if nothing changes.
 */
export function namesAccepted(definition: Definition, all: readonly Definition[], now: string): Definition | undefined {
  const { spec, status } = definition;
  if (equal(spec.names, status.acceptedNames)) return undefined;
  const used = usedNames(all.filter((one) => one.spec.group === spec.group));
  const { names, condition } = judge(spec.names, status.acceptedNames, used);
  const before = status.conditions?.find(({ type }) => type === 'NamesAccepted');
  if (equal(names, status.acceptedNames) && sameCondition(condition, before)) return undefined;
  const named = withCondition({ ...definition, status: { ...status, acceptedNames: names } }, condition, now);
  return withCondition(named, establishedOf(definition, condition), now);
}

interface Used {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

function usedNames(definitions: readonly Definition[]): Used {
  const names = definitions.map(({ status }) => status.acceptedNames);
  return {
    resources: new Set(
      names.flatMap(({ plural, singular = '', shortNames = [] }) => [plural, singular, ...shortNames]),
    ),
    kinds: new Set(names.flatMap(({ kind, listKind = '' }) => [kind, listKind])),
  };
}

function judge(wanted: Names, had: Names, used: Used): { readonly names: Names; readonly condition: Condition } {
  let condition: Condition = {
    type: 'NamesAccepted',
    status: 'True',
    reason: 'NoConflicts',
    message: 'no conflicts found',
  };
  const refuse = (reason: string, message: string) =>
    void (condition = { type: 'NamesAccepted', status: 'False', reason, message });
  const taken = (name: string) => `${JSON.stringify(name)} is already in use`;
  const decide = (name: string, accepted: string, among: ReadonlySet<string>, reason: string): string => {
    if (name === accepted || !among.has(name)) return name;
    refuse(reason, taken(name));
    return accepted;
  };
  const plural = decide(wanted.plural, had.plural, used.resources, 'PluralConflict');
  const singular = decide(wanted.singular ?? '', had.singular ?? '', used.resources, 'SingularConflict');
  const conflicts = (wanted.shortNames ?? []).filter(
    (name) => !(had.shortNames ?? []).includes(name) && used.resources.has(name),
  );
  if (conflicts.length > 0) {
    const texts = conflicts.map(taken);
    refuse('ShortNamesConflict', texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`);
  }
  const shortNames = conflicts.length > 0 ? had.shortNames : wanted.shortNames;
  const kind = decide(wanted.kind, had.kind, used.kinds, 'KindConflict');
  const listKind = decide(wanted.listKind ?? '', had.listKind ?? '', used.kinds, 'ListKindConflict');
  const { categories } = wanted;
  const names: Names = {
    plural,
    ...(singular !== '' && { singular }),
    ...(shortNames !== undefined && { shortNames }),
    kind,
    ...(listKind !== '' && { listKind }),
    ...(categories !== undefined && { categories }),
  };
  return { names, condition };
}

function establishedOf({ status }: Definition, accepted: Condition): Condition {
  const before = status.conditions?.find(({ type }) => type === 'Established');
  if (before?.status !== 'True' && accepted.status === 'True') {
    return {
      type: 'Established',
      status: 'False',
      reason: 'Installing',
      message: 'the initial names have been accepted',
    };
  }
  return (
    before ?? { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }
  );
}

function sameCondition(a: Condition, b: Condition | undefined): boolean {
  return a.status === b?.status && a.reason === b.reason && a.message === b.message;
}
