import type { ApiRequest } from '@isthmus/kube';
import { refusalOf } from '../refusal/refusal.ts';
import { parseJson } from '../typed/parse-json.ts';
import type { JsonResult } from '../typed/parsed-json.ts';
import { parseYamlBody } from '../typed/parse-yaml-body.ts';
import { malformedMessage } from '../typed/type-meta.ts';

const known = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';

/**
 * Reads the body of a request by its `Content-Type`: JSON, which is the default, or YAML. Errors:
 * 415 for other types.
 */
export function readBody({ body = '', headers = {} }: ApiRequest): JsonResult {
  const header = headers['content-type'] ?? '';
  const type = header === '' ? 'application/json' : (header.split(';')[0] ?? '').trim();
  switch (type) {
    case 'application/json': {
      const parsed = parseJson(body);
      return parsed.kind === 'parsed' ? parsed : { kind: 'malformed', message: malformedMessage(parsed.message) };
    }
    case 'application/yaml':
      return parseYamlBody(body);
    default:
      throw refusalOf(
        'UnsupportedMediaType',
        `the body of the request was in an unknown format - accepted media types include: ${known}`,
      );
  }
}
