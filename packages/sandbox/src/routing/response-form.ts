import type { Answer } from '../answer/answer.ts';
import type { Negotiated } from '../answer/negotiate.ts';
import type { Target } from '../core/target.ts';
import { metadataEncoding } from '../encoding/encoding.ts';
import type { Encoding } from '../encoding/encoding.ts';
import { tableEncoding } from '../encoding/table.ts';
import type { IncludeObject } from '../encoding/table.ts';
import { answerYaml } from '../encoding/yaml.ts';
import { refusalOf } from '../refusal/refusal.ts';
import { verbForms } from '../request/verbs.ts';
import type { ResourceVerb } from '../request/verbs.ts';

/** The parts of a request that decide the form of its answer. */
export interface FormAsked {
  readonly form: Negotiated;
  readonly verb: ResourceVerb;
  readonly target: Target;
  readonly includeObject: string;
  readonly now: () => number;
  /** Objects as they are. */
  readonly whole: Encoding;
}

/** The encoding for the objects of an answer. Errors: 400, 406 for a form that does not exist. */
export function encodingOf({ form, verb, target, includeObject, now, whole }: FormAsked): Encoding {
  if (form.as === 'metadata' || form.as === 'metadata-list') {
    checkMetadataForm(form.as, verb, target);
    return metadataEncoding;
  }
  if (form.as === 'object') return whole;
  if (includeObject !== '' && !['None', 'Metadata', 'Object'].includes(includeObject)) {
    const why = `Invalid value: ${JSON.stringify(includeObject)}: must be 'Metadata', 'Object', 'None', or empty`;
    throw refusalOf('BadRequest', `Unable to convert to Table as requested: includeObject: ${why}`);
  }
  return tableEncoding(now, (includeObject === '' ? 'Metadata' : includeObject) as IncludeObject);
}

/** Checks that the form fits the verb: metadata of one object, or of a list. */
function checkMetadataForm(as: 'metadata' | 'metadata-list', verb: ResourceVerb, { resource }: Target): void {
  const { streams = false, selects: isList = false } = verbForms[verb];
  if (streams || isList === (as === 'metadata-list')) return;
  const { origin, group, kind } = resource;
  const suffix = isList ? 'List' : '';
  const goPackage = group === '' ? 'core' : (group.split('.')[0] ?? '');
  const type = origin === 'custom' ? `*unstructured.Unstructured${suffix}` : `*${goPackage}.${kind}${suffix}`;
  const message = isList
    ? `you requested PartialObjectMetadata, but the requested object is a list (${type})`
    : `you requested PartialObjectMetadataList, but the requested object is not a list (${type})`;
  throw refusalOf('NotAcceptable', message);
}

/** The JSON text in the requested format. */
export function formatted({ format }: Negotiated, status: number, text: string): Answer {
  return format === 'json'
    ? { status, contentType: 'application/json', body: text }
    : { status, contentType: 'application/yaml', body: answerYaml(JSON.parse(text)) };
}
