import type { ApiRequest } from '@isthmus/kube';
import { contentHash } from '../discovery/digest.ts';
import type { Answer } from '../answer/answer.ts';
import { ByteQueue } from '../answer/byte-queue.ts';
import type { Core } from '../core/core.ts';
import { documentV2 } from './document-v2.ts';
import { documentSources } from './documents-v3.ts';
import type { DocumentSource, OpenApiDocument } from './documents-v3.ts';
import { protobufV2 } from './protobuf-v2.ts';

/** Paths of the OpenAPI documents as `/` lists them. */
export const openApiPaths: readonly string[] = ['/openapi/v2', '/openapi/v3', '/openapi/v3/'];

interface Made {
  readonly parts: readonly unknown[];
  readonly document: OpenApiDocument;
  readonly text: string;
  readonly hash: string;
}

/** The one document of all groups, in its two forms. */
interface SecondVersion {
  readonly hash: string;
  readonly text: () => string;
  readonly protobuf: () => Uint8Array;
}

/**
 * Each form is created on its first request: most clients request one, and those that have the hash
 * none.
 */
function secondVersion(hash: string, documents: readonly OpenApiDocument[]): SecondVersion {
  let text: string | undefined;
  let protobuf: Uint8Array | undefined;
  return {
    hash,
    text: () => (text ??= JSON.stringify(documentV2(documents))),
    protobuf: () => (protobuf ??= protobufV2(documentV2(documents))),
  };
}

/** The content type of answers; clients ask for it with `@` before the version. */
const protobufType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/**
 * Answers requests for OpenAPI documents. Each is created on its first request, and again when its
 * parts have changed.
 */
export function openApiAnswers(core: Core): (request: ApiRequest) => Answer | undefined {
  const made = new Map<string, Made>();
  let v2: SecondVersion | undefined;
  const madeOf = (source: DocumentSource): Made => {
    const { path, parts } = source;
    const known = made.get(path);
    if (
      known !== undefined &&
      known.parts.length === parts.length &&
      known.parts.every((part, i) => part === parts[i])
    ) {
      return known;
    }
    const document = source.make();
    const text = JSON.stringify(document);
    const fresh = { parts, document, text, hash: contentHash(text) };
    made.set(path, fresh);
    return fresh;
  };
  const index = (): string => {
    const paths = documentSources(core).map((source) => [
      source.path,
      { serverRelativeURL: `/openapi/v3/${source.path}?hash=${madeOf(source).hash}` },
    ]);
    return JSON.stringify({ paths: Object.fromEntries(paths) });
  };
  const second = () => {
    const all = documentSources(core).map(madeOf);
    const hash = contentHash(all.map((one) => one.hash).join());
    if (v2?.hash !== hash) {
      v2 = secondVersion(
        hash,
        all.map((one) => one.document),
      );
    }
    return v2;
  };
  return (request) => {
    const { path, headers = {} } = request;
    if (path === '/openapi/v3' || path === '/openapi/v3/') {
      return { status: 200, contentType: 'text/plain; charset=utf-8', body: index() };
    }
    if (path.startsWith('/openapi/v3/')) {
      const source = documentSources(core).find((one) => `/openapi/v3/${one.path}` === path);
      if (source === undefined) return { status: 404, contentType: '', body: '' };
      const { text, hash } = madeOf(source);
      return (
        unchanged(headers, hash) ?? { status: 200, contentType: 'application/json', headers: etagOf(hash), body: text }
      );
    }
    if (path !== '/openapi/v2') return undefined;
    const { hash, text, protobuf } = second();
    const known = unchanged(headers, hash);
    if (known !== undefined) return known;
    const form = formOf(headers['accept']);
    if (form === undefined) return { status: 406, contentType: '', body: '' };
    return form === 'protobuf'
      ? { status: 200, contentType: protobufType, headers: etagOf(hash), body: queueOf(protobuf()) }
      : { status: 200, contentType: 'application/json', headers: etagOf(hash), body: text() };
  };
}

function etagOf(hash: string): Readonly<Record<string, string>> {
  return { etag: `"${hash}"`, vary: 'Accept' };
}

function unchanged(headers: Readonly<Record<string, string>>, hash: string): Answer | undefined {
  if (headers['if-none-match'] !== `"${hash}"`) return undefined;
  return { status: 304, contentType: '', headers: etagOf(hash), body: '' };
}

/** The first of the two forms that the header names; undefined if it names neither. */
function formOf(accept = ''): 'json' | 'protobuf' | undefined {
  if (accept === '') return 'json';
  const types = accept.split(',').map((clause) => clause.split(';')[0]?.trim() ?? '');
  const first = types.find((type) =>
    /^(application\/json|application\/\*|\*\/\*|application\/com\.github.*)$/.test(type),
  );
  return first?.startsWith('application/com.github') === true ? 'protobuf' : first === undefined ? undefined : 'json';
}

function queueOf(bytes: Uint8Array): ByteQueue {
  const queue = new ByteQueue();
  queue.push(bytes);
  queue.end();
  return queue;
}
