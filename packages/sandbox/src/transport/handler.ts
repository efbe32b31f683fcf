import type { ApiRequest } from '@isthmus/kube';
import { errorMessage, failureStatus } from '@isthmus/machinery';
import type { Authenticator, Credentials } from '../authentication/authenticator.ts';
import type { Authorizer } from '../request/authorizer.ts';
import { forbidden } from '../refusal/forbidden.ts';
import { impersonated } from '../authentication/impersonation.ts';
import type { UserInfo } from '../request/user-info.ts';
import { selectedName } from '../options/selection.ts';
import { answerYaml } from '../encoding/yaml.ts';
import type { ExecTarget } from '../actions/pod-streams.ts';
import type { Answer } from '../answer/answer.ts';
import { jsonAnswer, textAnswer, withWarnings } from '../answer/answer.ts';
import { negotiate } from '../answer/negotiate.ts';
import { badRequest, internalError, Refusal, statusBody } from '../refusal/refusal.ts';
import { requestInfoOf } from '../request/request-info.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { verbForms } from '../request/verbs.ts';
import type { RestHandler } from '../routing/rest-handler.ts';

export interface HandlerParts {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly rest: RestHandler;
  /**
   * Answers paths that are not resources: discovery, OpenAPI, health, version. Undefined if the
   * path is not served.
   */
  readonly documents: (request: ApiRequest) => Answer | undefined;
  /** Called with an error that is not a Refusal: a defect of the server. */
  readonly onDefect: (request: ApiRequest, error: unknown) => void;
  /**
   * Called for each request when its answer is known. `username`: empty if the credentials were
   * wrong.
   */
  readonly onAnswer: (request: ApiRequest, username: string, status: number) => void;
}

export interface Handler {
  /** Answers one request: authentication, authorization, and the answer. Never throws. */
  answer(request: ApiRequest, credentials: Credentials): Promise<Answer>;
  /**
   * The answer to a request that is rejected whatever its body, because its sender is unknown or
   * not authorized. Undefined if the body must be read. Never throws.
   */
  refusal(request: ApiRequest, credentials: Credentials): Answer | undefined;
  /**
   * The program that a request to upgrade its connection wants in a container, or the answer to it.
   * `command`: the values of its parameters `command`. Never throws.
   */
  exec(request: ApiRequest, credentials: Credentials, command: readonly string[]): ExecTarget | Answer;
}

export function createHandler(parts: HandlerParts): Handler {
  return {
    async answer(request, credentials) {
      let username = '';
      const answer = await handled(request, credentials, (name) => (username = name));
      parts.onAnswer(request, username, answer.status);
      return answer;
    },
    refusal(request, credentials) {
      let username = '';
      try {
        permitted(request, credentials, (name) => (username = name));
        return undefined;
      } catch (error) {
        const answer = answerTo(error, request);
        parts.onAnswer(request, username, answer.status);
        return answer;
      }
    },
    exec(request, credentials, command) {
      let username = '';
      const told = <T extends Answer>(answer: T) => {
        parts.onAnswer(request, username, answer.status);
        return answer;
      };
      try {
        const { info, user } = permitted(request, credentials, (name) => (username = name));
        const given = { query: request.query ?? {}, command };
        const target = info.kind === 'resource' ? parts.rest.exec(info, given) : undefined;
        if (target === undefined || info.kind !== 'resource') throw badRequest('this path has no streams');
        // A connection that runs a program is more than a read, whatever its method.
        const asked = { ...info, verb: 'create' };
        const verdict = parts.authorizer.authorize(user, asked);
        if (!verdict.allowed) throw forbidden(user, asked, verdict.reason);
        parts.onAnswer(request, username, 101);
        return target;
      } catch (error) {
        return told(answerTo(error, request));
      }
    },
  };

  async function handled(
    request: ApiRequest,
    credentials: Credentials,
    isKnown: (username: string) => void,
  ): Promise<Answer> {
    try {
      return await answered(parts, { ...permitted(request, credentials, isKnown), request });
    } catch (error) {
      return answerTo(error, request);
    }
  }

  /** Authenticates and authorizes a request, without its body. Errors: throws a Refusal. */
  function permitted(
    request: ApiRequest,
    credentials: Credentials,
    isKnown: (username: string) => void,
  ): { readonly info: RequestInfo; readonly user: UserInfo } {
    const sender = parts.authenticator.authenticate(credentials);
    if (sender === undefined) throw unauthorized();
    const info = named(requestInfoOf(request), request);
    const user = impersonated(sender, request.headers ?? {}, { authorizer: parts.authorizer, asked: info });
    isKnown(user.username);
    const verdict = parts.authorizer.authorize(user, info);
    if (!verdict.allowed) throw forbidden(user, info, verdict.reason);
    return { info, user };
  }

  function answerTo(error: unknown, request: ApiRequest): Answer {
    if (error instanceof Refusal) return refused(request, error);
    parts.onDefect(request, error);
    return refused(request, internalError(errorMessage(error)));
  }
}

async function answered(
  { rest, documents }: HandlerParts,
  { info, request, user }: { readonly info: RequestInfo; readonly request: ApiRequest; readonly user: UserInfo },
): Promise<Answer> {
  const answer = info.kind === 'resource' ? await rest.handle(info, request, user) : documents(request);
  if (answer !== undefined) return answer;
  if (info.kind === 'resource' && (info.group === '' || rest.serves(info.group))) throw unknownResource();
  return textAnswer(404, '404 page not found\n');
}

/** A list or a watch of one name is authorized as that name. */
function named(info: RequestInfo, request: ApiRequest): RequestInfo {
  if (info.kind !== 'resource' || info.name !== undefined) return info;
  if (info.verb === '' || verbForms[info.verb].selects !== true) return info;
  try {
    return { ...info, selectedName: selectedName(request.query ?? {}) };
  } catch {
    // A selector that cannot be parsed is rejected later.
    return info;
  }
}

function refused({ headers }: ApiRequest, refusal: Refusal): Answer {
  const { code = 500, details } = refusal.status;
  const answer = wantsYaml(headers?.['accept'])
    ? { status: code, contentType: 'application/yaml', body: answerYaml(statusBody(refusal)) }
    : jsonAnswer(code, statusBody(refusal));
  const retryAfter = details?.retryAfterSeconds;
  const later = retryAfter === undefined ? answer : { ...answer, headers: { 'retry-after': String(retryAfter) } };
  return withWarnings(refusal.warnings, later);
}

function wantsYaml(accept: string | undefined): boolean {
  try {
    return negotiate(accept).format === 'yaml';
  } catch {
    return false;
  }
}

function unauthorized(): Refusal {
  return new Refusal(failureStatus({ reason: 'Unauthorized', message: 'Unauthorized' }));
}

function unknownResource(): Refusal {
  const message = 'the server could not find the requested resource';
  return new Refusal(failureStatus({ reason: 'NotFound', message, details: {} }));
}
