import { equal, dns1035LabelErrors, dns1123SubdomainErrors } from '@isthmus/machinery';
import { forbidden, invalid, notSupported, required } from '../field-error.ts';
import type { FieldError } from '../field-error.ts';
import { isTrue, somePart } from './definition.ts';
import type { Column, ConversionRule, Definition, Names, ScalePaths, Version } from './definition.ts';
import { schemaErrors } from './definition-schema.ts';
import type { RuleErrors } from './definition-schema.ts';
import { selectableErrors } from './selectable-fields.ts';
import { shownVersions } from './go-form.ts';

/**
 * The errors of a definition, with the texts of the real server. Parts that all versions have in
 * common are reported as fields of the whole: `spec.validation`, `spec.subresources`,
 * `spec.additionalPrinterColumns`, `spec.selectableFields`. {@link definitionNameErrors} checks the
 * name. `before`: the definition that it replaces.
 */
export function definitionErrors(
  definition: Definition,
  ruleErrors: RuleErrors,
  before?: Definition,
): readonly FieldError[] {
  const { spec, status } = definition;
  const errors: FieldError[] = [];
  checkGroup(spec.group, errors);
  checkEnum('spec.scope', spec.scope, ['Cluster', 'Namespaced'], errors);
  const versions: readonly Version[] = spec.versions ?? [];
  versions.forEach(({ schema }, index) => {
    if (schema?.openAPIV3Schema === undefined) errors.push(required(`spec.versions[${index}].schema.openAPIV3Schema`));
  });
  const common = commonParts(versions);
  versions.forEach((version, index) =>
    checkVersion(version, `spec.versions[${index}]`, {
      shows: (part) => !common.has(part),
      ruleErrors,
      before,
      errors,
    }),
  );
  checkVersions(spec.versions, errors);
  checkNames(spec.names ?? { plural: '', kind: '' }, 'spec.names', errors);
  const [first] = versions;
  if (first !== undefined) {
    checkParts(first, 'spec', { shows: (part) => common.has(part), ruleErrors, before, errors });
  }
  checkConversion(spec.conversion, spec.preserveUnknownFields === true, errors);
  errors.push(...storedVersionsErrors(status.storedVersions, versions));
  errors.push(...approvalErrors(definition));
  if (spec.preserveUnknownFields === true) {
    const detail =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    errors.push(invalid('spec.preserveUnknownFields', true, detail));
    if (versions.some(hasDefaults)) {
      errors.push(invalid('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema'));
    }
  }
  return errors;
}

function hasDefaults({ schema }: Version): boolean {
  const root = schema?.openAPIV3Schema;
  return root !== undefined && somePart(root, (part) => part.default !== undefined);
}

/** The errors of changed fields of a definition that are immutable. */
export function immutabilityErrors(next: Definition, before: Definition): readonly FieldError[] {
  const errors: FieldError[] = [];
  const keep = (path: string, value: string, had: string) => {
    if (value !== had) errors.push(invalid(path, value, 'field is immutable'));
  };
  if (isTrue(before, 'Established')) {
    keep('spec.scope', next.spec.scope, before.spec.scope);
    keep('spec.names.kind', next.spec.names.kind, before.spec.names.kind);
  }
  keep('spec.group', next.spec.group, before.spec.group);
  keep('spec.names.plural', next.spec.names.plural, before.spec.names.plural);
  return errors;
}

/** The errors of the names in a status. */
export function acceptedNamesErrors({ status }: Definition): readonly FieldError[] {
  const errors: FieldError[] = [];
  checkNameForms(status.acceptedNames, 'status.acceptedNames', errors);
  return errors;
}

/** Whether the name of a definition is that of its resource. */
export function definitionNameErrors({ metadata, spec }: Definition): readonly FieldError[] {
  if (metadata.name === `${spec.names.plural}.${spec.group ?? ''}`) return [];
  return [invalid('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group')];
}

function checkGroup(group: string | undefined, errors: FieldError[]): void {
  if (group === undefined || group === '') {
    errors.push(required('spec.group'));
    return;
  }
  const problems = dns1123SubdomainErrors(group);
  if (problems.length > 0) errors.push(invalid('spec.group', group, problems.join(',')));
  else if (!group.includes('.')) {
    errors.push(invalid('spec.group', group, 'should be a domain with at least one dot'));
  }
}

function checkEnum(path: string, value: string | undefined, accepted: readonly string[], errors: FieldError[]): void {
  if (value === undefined || value === '') errors.push(required(path));
  else if (!accepted.includes(value)) errors.push(notSupported(path, value, accepted));
}

type Part = 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields';

const parts: readonly Part[] = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'];

/** Which parts all versions have, and alike. */
function commonParts(versions: readonly Version[]): ReadonlySet<Part> {
  const [first] = versions;
  return new Set(
    parts.filter(
      (part) => first?.[part] !== undefined && versions.every((version) => equal(version[part], first[part])),
    ),
  );
}

/** Which parts of a version are checked, and where errors are added. */
interface Check {
  readonly shows: (part: Part) => boolean;
  readonly ruleErrors: RuleErrors;
  readonly before: Definition | undefined;
  readonly errors: FieldError[];
}

function checkVersion(version: Version, path: string, check: Check): void {
  const { errors } = check;
  const problems = dns1035LabelErrors(version.name ?? '');
  if (problems.length > 0) errors.push(invalid(`${path}.name`, version.name ?? '', problems.join(',')));
  for (const why of deprecationProblems(version)) {
    errors.push(invalid(`${path}.deprecationWarning`, version.deprecationWarning, why));
  }
  checkParts(version, path, check);
}

function deprecationProblems({ deprecated = false, deprecationWarning }: Version): readonly string[] {
  if (deprecationWarning === undefined) return [];
  if (!deprecated) return ['can only be set for deprecated versions'];
  const problems: string[] = [];
  if (bytesOf(deprecationWarning) > 256) problems.push('must be <= 256 characters long');
  if (deprecationWarning === '') problems.push('must not be an empty string');
  const odd = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(deprecationWarning);
  if (odd !== null) {
    problems.push(
      `must only contain printable UTF-8 characters; non-printable character found at index ${bytesOf(deprecationWarning.slice(0, odd.index))}`,
    );
  }
  return problems;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function checkParts(version: Version, path: string, { shows, ruleErrors, before, errors }: Check): void {
  const schema = version.schema?.openAPIV3Schema;
  const hasStatus = version.subresources?.status !== undefined;
  if (shows('schema') && schema !== undefined) {
    const at = `${path}.${path === 'spec' ? 'validation' : 'schema'}.openAPIV3Schema`;
    const had = before?.spec.versions?.find(({ name }) => name === version.name)?.schema?.openAPIV3Schema;
    errors.push(...schemaErrors(schema, at, { hasStatus, ruleErrors, before: had }));
  }
  const scale = version.subresources?.scale;
  if (shows('subresources') && scale !== undefined) checkScale(scale, `${path}.subresources`, errors);
  if (shows('additionalPrinterColumns')) {
    version.additionalPrinterColumns?.forEach((column, index) =>
      checkColumn(column, `${path}.additionalPrinterColumns[${index}]`, errors),
    );
  }
  const paths = (version.selectableFields ?? []).map(({ jsonPath = '' }) => jsonPath);
  if (!shows('selectableFields') || paths.length === 0) return;
  if (shows('schema') && schema !== undefined) errors.push(...selectableErrors(paths, schema, path));
  else {
    const detail =
      path === 'spec'
        ? 'may only be set when validations.schema is included'
        : 'may only be set when `version.schema.openAPIV3Schema` is not included';
    errors.push(invalid(`${path}.selectableFields`, '', detail));
  }
}

function checkVersions(versions: readonly Version[] | undefined, errors: FieldError[]): void {
  const names = (versions ?? []).map(({ name }) => name);
  const shown = shownVersions(versions);
  const say = (detail: string) =>
    errors.push({ path: 'spec.versions', type: 'Invalid', value: versions, shown, detail });
  if (new Set(names).size !== names.length) say('must contain unique version names');
  if ((versions ?? []).filter(({ storage }) => storage === true).length !== 1) {
    say('must have exactly one version marked as storage version');
  }
  const [first] = names;
  const problems = first === undefined ? [] : dns1035LabelErrors(first);
  if (problems.length > 0) errors.push(invalid('spec.version', first, problems.join(',')));
}

function checkNames(names: Names, path: string, errors: FieldError[]): void {
  for (const name of ['plural', 'singular', 'kind', 'listKind'] as const) {
    if ((names[name] ?? '') === '') errors.push(required(`${path}.${name}`));
  }
  checkNameForms(names, path, errors);
}

function checkNameForms(names: Partial<Names>, path: string, errors: FieldError[]): void {
  const label = (at: string, name: string, mixed: boolean) => {
    const problems = name === '' ? [] : dns1035LabelErrors(mixed ? name.toLowerCase() : name);
    const prefix = mixed ? 'may have mixed case, but should otherwise match: ' : '';
    if (problems.length > 0) errors.push(invalid(`${path}.${at}`, name, prefix + problems.join(',')));
  };
  const { plural = '', singular = '', kind = '', listKind = '', shortNames = [], categories = [] } = names;
  label('plural', plural, false);
  label('singular', singular, false);
  label('kind', kind, true);
  label('listKind', listKind, true);
  shortNames.forEach((name, index) => label(`shortNames[${index}]`, name, false));
  if (kind !== '' && kind === listKind) {
    errors.push(invalid(`${path}.listKind`, listKind, 'kind and listKind may not be the same'));
  }
  categories.forEach((name, index) => label(`categories[${index}]`, name, false));
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

function checkColumn(
  { name = '', type = '', format = '', jsonPath = '' }: Column,
  path: string,
  errors: FieldError[],
): void {
  const oneOf = (among: readonly string[]) => `must be one of ${among.join(',')}`;
  if (name === '') errors.push(required(`${path}.name`));
  if (type === '') errors.push(required(`${path}.type`, oneOf(columnTypes)));
  else if (!columnTypes.includes(type)) errors.push(invalid(`${path}.type`, type, oneOf(columnTypes)));
  if (format !== '' && !columnFormats.includes(format)) {
    errors.push(invalid(`${path}.format`, format, oneOf(columnFormats)));
  }
  if (jsonPath === '') errors.push(required(`${path}.JSONPath`));
  else checkSimplePath(jsonPath, `${path}.JSONPath`, errors);
}

function checkSimplePath(jsonPath: string, path: string, errors: FieldError[]): boolean {
  if (jsonPath.startsWith('.')) return true;
  errors.push(invalid(path, jsonPath, 'must be a simple json path starting with .'));
  return false;
}

function checkScale(scale: ScalePaths, path: string, errors: FieldError[]): void {
  const below = (name: keyof ScalePaths, starts: readonly string[], where: string) => {
    const value = scale[name] ?? '';
    const at = `${path}.scale.${name}`;
    if (value === '') {
      if (name !== 'labelSelectorPath') errors.push(required(at));
    } else if (checkSimplePath(value, at, errors) && !starts.some((start) => value.startsWith(start))) {
      errors.push(invalid(at, value, `should be a json path under ${where}`));
    }
  };
  below('specReplicasPath', ['.spec.'], '.spec');
  below('statusReplicasPath', ['.status.'], '.status');
  below('labelSelectorPath', ['.spec.', '.status.'], 'either .spec or .status');
}

const reviewVersions = ['v1', 'v1beta1'];

function checkConversion(
  conversion: ConversionRule | undefined,
  preservesUnknown: boolean,
  errors: FieldError[],
): void {
  if (conversion === undefined) return;
  const { strategy, webhook } = conversion;
  if (preservesUnknown && strategy !== 'None') {
    errors.push(invalid('spec.conversion.strategy', strategy, 'must be None if spec.preserveUnknownFields is true'));
  }
  checkEnum('spec.conversion.strategy', strategy, ['None', 'Webhook'], errors);
  const config = 'spec.conversion.webhookClientConfig';
  const at = 'spec.conversion.conversionReviewVersions';
  const versions = webhook?.conversionReviewVersions ?? [];
  const client = webhook?.clientConfig;
  if (strategy !== 'Webhook') {
    const detail = 'should not be set when strategy is not set to Webhook';
    if (client !== undefined) errors.push(forbidden(config, detail));
    if (versions.length > 0) errors.push(forbidden(at, detail));
    return;
  }
  if (client === undefined) errors.push(required(config, 'required when strategy is set to Webhook'));
  else if ((client.url === undefined) === (client.service === undefined)) {
    errors.push(required(config, 'exactly one of url or service is required'));
  } else if (client.url !== undefined) checkUrl(client.url, `${config}.url`, errors);
  else {
    if ((client.service?.name ?? '') === '') errors.push(required(`${config}.service.name`));
    if ((client.service?.namespace ?? '') === '') errors.push(required(`${config}.service.namespace`));
  }
  if (versions.length === 0) {
    errors.push(required(at));
    return;
  }
  versions.forEach((version, index) => {
    if (versions.indexOf(version) < index) errors.push(invalid(`${at}[${index}]`, version, 'duplicate version'));
    else for (const why of dns1035LabelErrors(version)) errors.push(invalid(`${at}[${index}]`, version, why));
  });
  if (!versions.some((version) => reviewVersions.includes(version))) {
    errors.push(invalid(at, versions, `must include at least one of ${reviewVersions.join(', ')}`));
  }
}

const urlForm = '; desired format: https://host[/path]';

function checkUrl(text: string, path: string, errors: FieldError[]): void {
  if (!URL.canParse(text)) {
    errors.push(required(path, `url must be a valid URL: parse ${JSON.stringify(text)}: invalid URL${urlForm}`));
    return;
  }
  const { protocol, host, hash, search, username } = new URL(text);
  const scheme = protocol.slice(0, -1);
  if (scheme !== 'https') errors.push(invalid(path, scheme, `'https' is the only allowed URL scheme${urlForm}`));
  if (host === '') errors.push(invalid(path, host, `host must be specified${urlForm}`));
  if (username !== '') errors.push(invalid(path, username, 'user information is not permitted in the URL'));
  if (hash !== '') errors.push(invalid(path, hash.slice(1), 'fragments are not permitted in the URL'));
  if (search !== '') errors.push(invalid(path, search.slice(1), 'query parameters are not permitted in the URL'));
}

function storedVersionsErrors(stored: readonly string[] | null, versions: readonly Version[]): readonly FieldError[] {
  const path = 'status.storedVersions';
  if (stored === null || stored.length === 0) return [invalid(path, stored, 'must have at least one stored version')];
  const names = versions.map(({ name }) => name);
  const errors: FieldError[] = [];
  versions.forEach(({ name, storage }, index) => {
    // The real server removes each name once it is found, so a second version of the same name is
    // not found.
    const isThere = stored.includes(name) && names.indexOf(name) === index;
    if (storage === true && !isThere) errors.push(invalid(path, stored, `must have the storage version ${name}`));
  });
  stored.forEach((name, index) => {
    if (names.includes(name)) return;
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalid(`${path}[${index}]`, name, detail));
  });
  return errors;
}

const approval = 'api-approved.kubernetes.io';
const approvalText = `protected groups must have approval annotation "${approval}"`;
const approvalSee = ', see https://github.com/kubernetes/enhancements/pull/1111';

/**
 * Groups of the Kubernetes community need an approval: a URL, or a reason that begins with
 * `unapproved`.
 */
function approvalErrors({ metadata, spec }: Definition): readonly FieldError[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(spec.group ?? '')) return [];
  const value = metadata.annotations?.[approval] ?? '';
  const path = `metadata.annotations[${approval}]`;
  if (value === '') return [required(path, approvalText + approvalSee)];
  if (value.startsWith('unapproved') || /^[a-z]+:\/\/[^/]/i.test(value)) return [];
  return [
    invalid(path, value, `${approvalText} with either a URL or a reason starting with "unapproved"${approvalSee}`),
  ];
}
