import type { ApiRequest, Transport } from '@isthmus/kube';
import { rfc3339, seededRandom } from '@isthmus/machinery';
import type { Clock, KubernetesObject } from '@isthmus/machinery';
import { rememberedFieldSets } from './ownership/field-sets.ts';
import { createAdmin } from './admin.ts';
import type { Admin } from './admin.ts';
import { admissionChain } from './admission/admission-chain.ts';
import { policyAdmission } from './admission/policies.ts';
import { admissionScope } from './builtin/admissionregistration/expressions.ts';
import type { Scope } from './builtin/admissionregistration/expressions.ts';
import { conditionMatcher } from './builtin/admissionregistration/match-conditions.ts';
import { webhookAdmission } from './admission/webhooks.ts';
import { tokenAuthenticator } from './authentication/authenticator.ts';
import type { Credentials } from './authentication/authenticator.ts';
import { createBootstrapPolicy } from './boot/bootstrap-policy.ts';
import { escalationGuard } from './authorization/escalation.ts';
import { rbacAuthorizer } from './authorization/rbac.ts';
import { printSecretToken, verifyToken } from './authentication/service-account-tokens.ts';
import type { UserInfo } from './request/user-info.ts';
import { createBootObjects } from './boot/boot-objects.ts';
import { builtInResources } from './builtin/built-in-resources.ts';
import { followServiceClaims } from './builtin/services/service-claims.ts';
import { customConversion } from './crd/custom-conversion.ts';
import { runDefinitions } from './crd/definition-controller.ts';
import { imageOf, restoreImage } from './crd/image.ts';
import type { SandboxImage } from './crd/image.ts';
import { definitionResource } from './crd/definition-resource.ts';
import { compileVersion } from './definition/compile-version.ts';
import type { VersionCompiler } from './definition/compile-version.ts';
import { serveDefinitions } from './crd/serve-definitions.ts';
import type { WebhookTransport } from './webhook/webhook-call.ts';
import { documentsOf } from './documents/documents.ts';
import { wholeEncoding } from './encoding/encoding.ts';
import { Registry } from './registry/registry.ts';
import { createActions } from './actions/actions.ts';
import { createHandler } from './transport/handler.ts';
import { memoryTransport } from './transport/memory-transport.ts';
import type { Answer } from './answer/answer.ts';
import type { ExecTarget } from './actions/pod-streams.ts';
import type { ContainerStreams } from './core/container-streams.ts';
import type { Core } from './core/core.ts';
import { createRestHandler } from './routing/rest-handler.ts';
import { Store } from './store/store.ts';

export interface SandboxOptions {
  /** Definitions to start with. Default: none. */
  readonly image?: SandboxImage | undefined;
  /** How webhooks are called. Default: none can be reached. */
  readonly callWebhook?: WebhookTransport | undefined;
  readonly name: string;
  readonly clock: Clock;
  /**
   * How long the past is remembered at least; kube-apiserver's `--etcd-compaction-interval`.
   * Default 300,000.
   */
  readonly compactEveryMs?: number | undefined;
  /** Uids, generated names and addresses come out of it. Default 1. */
  readonly seed?: number | undefined;
  /**
   * Signs the tokens of ServiceAccounts. Default: derived from name and seed, so that runs are
   * equal and any client can forge a token. If other users can reach the server, it must be a
   * secret.
   */
  readonly tokenKey?: string | undefined;
  /**
   * The longest lifetime of a requested token, in seconds; kube-apiserver's
   * `--service-account-max-token-expiration`. Default: any.
   */
  readonly maxTokenSeconds?: number | undefined;
  /** Default `10.96.0.0/16`. */
  readonly serviceCIDR?: string | undefined;
  /**
   * Whether an update of a custom resource may keep existing invalid values unchanged (KEP-4008).
   * Servers before 1.30 validate the whole object each time. Default true.
   */
  readonly isRatcheting?: boolean | undefined;
  /**
   * Compiles the versions of definitions: {@link sharedCompiler} if several sandboxes have the same
   * ones. Default: each sandbox compiles its own.
   */
  readonly compile?: VersionCompiler | undefined;
  /** Static tokens and who they are. */
  readonly tokens?: Readonly<Record<string, UserInfo>> | undefined;
  /** The containers of Pods, for their logs and for programs in them. Default: none run. */
  readonly containers?: ContainerStreams | undefined;
  /** Called for each request when its answer is known, with the user name and the code. */
  readonly onAnswer?: ((request: ApiRequest, username: string, status: number) => void) | undefined;
  /**
   * Called for errors that no request should be able to cause. Default: discarded, the answer
   * is 500.
   */
  readonly onDefect?: ((request: ApiRequest, error: unknown) => void) | undefined;
}

export interface TransportOptions {
  /** Owns the fields of writes that name no manager. Default `isthmus`. */
  readonly userAgent?: string | undefined;
}

/** A Kubernetes API server in the process. */
export interface Sandbox {
  readonly name: string;
  /** The owner's hands. */
  readonly admin: Admin;
  /**
   * Answers one request. Never throws. Methods that no client uses are rejected as on a real
   * server.
   */
  answer(request: ApiRequest, credentials: Credentials): Promise<Answer>;
  /**
   * The answer to a request that is rejected whatever its body, because its sender is unknown or
   * not authorized. Undefined if the body must be read. Never throws.
   */
  refusal(request: ApiRequest, credentials: Credentials): Answer | undefined;
  /** Whether programs can be run in containers. */
  readonly runsPrograms: boolean;
  /**
   * The program that a request to upgrade its connection wants in a container, or the answer to it.
   * `command`: the values of its parameters `command`. Never throws.
   */
  exec(request: ApiRequest, credentials: Credentials, command: readonly string[]): ExecTarget | Answer;
  /**
   * A bearer token of a ServiceAccount for one of its token Secrets: valid as long as both exist
   * with their present uids.
   */
  mintToken(account: KubernetesObject, secret: KubernetesObject): string;
  /** Its CustomResourceDefinitions at this moment, for the start of others. */
  image(): SandboxImage;
  /** The way in, without a network. */
  transport(credentials: Credentials, options?: TransportOptions): Transport;
}

export function createSandbox(options: SandboxOptions): Sandbox {
  const { clock, name } = options;
  const random = seededRandom(options.seed ?? 1);
  const store = new Store(clock, options.compactEveryMs);
  const registry = new Registry([...builtInResources, definitionResource]);
  const authorizer = rbacAuthorizer(store);
  let known: Scope | undefined;
  const scope = () => (known ??= admissionScope());
  const core: Core = {
    store,
    registry,
    clock,
    random,
    authorizer,
    guard: escalationGuard(authorizer),
    admission: admissionChain(
      webhookAdmission({ call: options.callWebhook ?? noWebhooks, matchesConditions: conditionMatcher(scope) }),
      policyAdmission(scope),
    ),
    conversion: customConversion(options.callWebhook ?? noWebhooks, random),
    fieldSets: rememberedFieldSets(),
    context: {
      list: (storageKey) => store.list(storageKey),
      get: (storageKey, key) => store.get(storageKey, key),
      get now() {
        return rfc3339(clock.now());
      },
      serviceCIDRs: (options.serviceCIDR ?? '10.96.0.0/16').split(','),
      serviceClaims: followServiceClaims(store),
      isRatcheting: options.isRatcheting ?? true,
      random: () => random.next(),
    },
  };
  const tokens = new Map(Object.entries(options.tokens ?? {}));
  const derivedKey = `${name} ${random.next()}`;
  const tokenKey = options.tokenKey ?? derivedKey;
  const verify = (token: string, audiences?: readonly string[]) => {
    const user = tokens.get(token);
    if (user !== undefined) return { user };
    return verifyToken({ key: tokenKey, objects: core.context, nowSeconds: clock.now() / 1000 }, token, audiences);
  };
  const rest = createRestHandler(core, {
    whole: wholeEncoding(new WeakMap()),
    actions: createActions({ authorizer, verify }, { key: tokenKey, maxSeconds: options.maxTokenSeconds }),
    containers: options.containers,
  });
  createBootstrapPolicy(core);
  serveDefinitions(store, registry, { image: options.image, compile: options.compile ?? compileVersion });
  if (options.image !== undefined) restoreImage(core, options.image);
  runDefinitions(core, definitionResource);
  createBootObjects(core);
  const handler = createHandler({
    authenticator: tokenAuthenticator((token) => verify(token).user),
    authorizer,
    rest,
    documents: documentsOf(core),
    onDefect: options.onDefect ?? (() => {}),
    onAnswer: options.onAnswer ?? (() => {}),
  });
  return {
    name,
    admin: createAdmin(core),
    answer: handler.answer,
    refusal: handler.refusal,
    runsPrograms: options.containers !== undefined,
    exec: handler.exec,
    mintToken: ({ metadata: account }, { metadata: secret }) =>
      printSecretToken(tokenKey, { account, secret, nowSeconds: clock.now() / 1000 }),
    image: () => imageOf(core),
    transport: (credentials, { userAgent = 'isthmus' } = {}) =>
      memoryTransport((request) => handler.answer(request, credentials), userAgent),
  };
}

const noWebhooks: WebhookTransport = ({ url }) =>
  Promise.reject(new Error(`dial tcp ${new URL(url).host}: connect: connection refused`));
