import { createVirtualClock } from '@isthmus/fleet-sim';
import type { VirtualClock } from '@isthmus/fleet-sim';
import { rfc3339, seededRandom } from '@isthmus/machinery';
import type { UserInfo } from '../request/user-info.ts';
import { escalationGuard } from '../authorization/escalation.ts';
import { rbacAuthorizer } from '../authorization/rbac.ts';
import { builtInResources } from '../builtin/built-in-resources.ts';
import { followServiceClaims } from '../builtin/services/service-claims.ts';
import type { Admission, Core } from '../core/core.ts';
import type { WriteTarget } from '../core/target.ts';
import { customConversion } from '../crd/custom-conversion.ts';
import { rememberedFieldSets } from '../ownership/field-sets.ts';
import { typed } from '../objects/decode.ts';
import { Refusal } from '../refusal/refusal.ts';
import { Registry } from '../registry/registry.ts';
import { Store } from '../store/store.ts';
import type { Stored } from '../store/stored.ts';
import { createObjectNow } from '../verbs/create.ts';

/** The parts of a server, without objects: what handlers of requests share, in virtual time. */
export interface ServerCore {
  readonly core: Core;
  readonly clock: VirtualClock;
  /** Stores an object as it is. */
  readonly put: (apiVersion: string, plural: string, object: object) => Stored;
  /** Creates an object, with all that the server sets; its uid may be given. */
  readonly create: (
    apiVersion: string,
    plural: string,
    object: { readonly metadata: Stored['metadata']; readonly [field: string]: unknown },
  ) => Stored;
  /** The target of a write of a built-in resource, by an administrator. */
  readonly target: (
    apiVersion: string,
    plural: string,
    place: { readonly name: string; readonly namespace?: string },
    more?: Partial<WriteTarget>,
  ) => WriteTarget;
}

/** Admission that changes nothing and accepts everything. */
export const openAdmission: Admission = {
  mutate: (_, { object }) => Promise.resolve(object),
  validate: () => Promise.resolve(),
};

/** An administrator, who may do everything. */
const master: UserInfo = { username: 'admin', groups: ['system:masters'] };

export function serverCore(admission: Admission = openAdmission): ServerCore {
  const clock = createVirtualClock({ startMs: Date.parse('2026-11-21T00:00:00Z') });
  const random = seededRandom(1);
  const store = new Store(clock);
  const registry = new Registry(builtInResources);
  const authorizer = rbacAuthorizer(store);
  const core: Core = {
    store,
    registry,
    clock,
    random,
    authorizer,
    guard: escalationGuard(authorizer),
    admission,
    conversion: customConversion(() => Promise.reject(new Error('no webhooks')), random),
    fieldSets: rememberedFieldSets(),
    context: {
      list: (storageKey) => store.list(storageKey),
      get: (storageKey, key) => store.get(storageKey, key),
      get now() {
        return rfc3339(clock.now());
      },
      serviceCIDRs: ['10.96.0.0/16'],
      serviceClaims: followServiceClaims(store),
      isRatcheting: true,
      random: () => random.next(),
    },
  };
  const resourceOf = (apiVersion: string, plural: string) => {
    const [version = '', group = ''] = apiVersion.split('/').toReversed();
    const resource = registry.find(group, version, plural);
    if (resource === undefined) throw new Error(`no ${plural} of ${apiVersion}`);
    return resource;
  };
  const target: ServerCore['target'] = (apiVersion, plural, { name, namespace }, more = {}) => ({
    resource: resourceOf(apiVersion, plural),
    namespace,
    name,
    subresource: undefined,
    user: master,
    dryRun: false,
    fieldManager: 'test',
    warnings: [],
    ...more,
  });
  return {
    core,
    clock,
    target,
    create(apiVersion, plural, object) {
      const { name, namespace, uid } = object.metadata;
      const place = target(apiVersion, plural, { name, ...(namespace !== undefined && { namespace }) });
      const made = createObjectNow(core, place, typed(place.resource, object));
      const metadata = { ...made.metadata, ...(uid !== undefined && { uid }) };
      return store.put(place.resource.storageKey, { ...made, metadata });
    },
    put(apiVersion, plural, object) {
      const { kind, storageKey } = resourceOf(apiVersion, plural);
      return store.put(storageKey, { apiVersion, kind, ...object } as Stored);
    },
  };
}

/** The code and the message of a rejection, or what was returned. */
export async function outcome(act: () => unknown): Promise<unknown> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [error.status.code, error.message];
  }
}
