import type { LabelIdentity, ResourceExport, ResourceImport } from '@isthmus/api';
import { Annotation, SourceKind, labelIdentityHash, parseLabelIdentityExportName } from '@isthmus/api';
import { isLabelValue, isQualifiedName, shown } from '../untrusted.ts';

/** The name of the exchange. Its indexes have the same name. */
export const labelIdentityExchangeName = 'LabelIdentity';

/** The index of a leader's imports by their numbers. */
export const publishedNumberIndex = 'LabelIdentity number of a leader';

/** The valid numbers: 24 bits of a tunnel, without 0 and the number for unknown labels. */
export const identityNumbers = { first: 1, last: 16_777_214 } as const;

const hashText = /^[0-9a-f]{16}$/;

/** The key of an export: the hash in its name. */
export function labelExportKeys({ metadata, spec }: ResourceExport): readonly string[] {
  if (spec?.kind !== SourceKind.labelIdentity) return [];
  const hash = parseLabelIdentityExportName(metadata.name)?.hash ?? '';
  return [hashText.test(hash) ? hash : `/${metadata.name}`];
}

/** The key of an import: its name, which is the hash. */
export function labelImportKeys({ metadata, spec }: ResourceImport): readonly string[] {
  return spec?.kind === SourceKind.labelIdentity && hashText.test(metadata.name) ? [metadata.name] : [];
}

/**
 * Why `label` is not the text of a set of labels with the hash `hash`; undefined if it is. Antrea's
 * controllers parse the text without a check, so a malformed one would stop them in every cluster.
 */
export function labelProblem(label: unknown, hash: string): string | undefined {
  if (typeof label !== 'string') return 'the label is missing';
  if (labelIdentityHash(label) !== hash) return `the hash of label ${shown(label)} is not ${hash}`;
  const [, namespace, pod] = /^ns:(.*)&pod:(.*)$/s.exec(label) ?? [];
  const isValid = [namespace, pod].every((part) => part !== undefined && isLabelSet(part));
  return isValid ? undefined : `label ${shown(label)} is not of the form ns:<labels>&pod:<labels>`;
}

/** The text of an empty set that members of Antrea before 1.14 write. */
const legacyEmpty = '<none>';

function isLabelSet(text: string): boolean {
  if (text === '' || text === legacyEmpty) return true;
  const entries = text.split(',');
  return entries.every((entry, index) => {
    const [key, value, ...rest] = entry.split('=');
    const isInOrder = index === 0 || (entries[index - 1] ?? '') < entry;
    return rest.length === 0 && isQualifiedName(key) && isLabelValue(value) && isInOrder;
  });
}

/** The number of an import; undefined if it is not a valid number. */
export function labelNumberOf({ spec }: ResourceImport): number | undefined {
  const id: unknown = spec?.kind === SourceKind.labelIdentity ? spec.labelIdentity?.id : undefined;
  return isNumber(id) ? id : undefined;
}

/**
 * The number that an exporter knows for the labels of its export ({@link Annotation.labelNumber}).
 */
export function echoedNumber({ metadata, spec }: ResourceExport): number | undefined {
  if (spec?.kind !== SourceKind.labelIdentity) return undefined;
  const text = metadata.annotations?.[Annotation.labelNumber] ?? '';
  return /^[1-9][0-9]{0,7}$/.test(text) && isNumber(Number(text)) ? Number(text) : undefined;
}

/**
 * The annotation of the export of this label; `known` is the label identity in the exporting
 * cluster.
 */
export function numberEcho(label: string, known: LabelIdentity | undefined): Readonly<Record<string, string>> {
  const { id, label: named } = known?.spec ?? {};
  return named === label && isNumber(id) ? { [Annotation.labelNumber]: String(id) } : {};
}

function isNumber(id: unknown): id is number {
  const { first, last } = identityNumbers;
  return typeof id === 'number' && Number.isInteger(id) && id >= first && id <= last;
}
