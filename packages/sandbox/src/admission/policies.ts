import { apiVersionOf, errorMessage, keyOf, labelSelectorOf, matchesLabels } from '@isthmus/machinery';
import type {
  BindingSpec,
  MatchResources,
  ParamKind,
  ParamRef,
  PolicySpec,
} from '../builtin/admissionregistration/policy.ts';
import type { Scope, Values } from '../builtin/admissionregistration/expressions.ts';
import { compilePolicy, objectionsTo } from '../builtin/admissionregistration/policy-verdict.ts';
import type { CompiledPolicy, Objection } from '../builtin/admissionregistration/policy-verdict.ts';
import type { Admission, AdmissionRequest, Core } from '../core/core.ts';
import { forbiddenObject, Refusal } from '../refusal/refusal.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Stored } from '../store/stored.ts';
import { askedOf } from './asked.ts';
import { matchedVersion, selectorsMatch } from './matching.ts';

const group = 'admissionregistration.k8s.io';

/** Groups whose kinds are only answered: no policy is asked about them. */
const reviews: ReadonlySet<string> = new Set(['authentication.k8s.io', 'authorization.k8s.io']);

/** The name of a request's object that no rejection can name. */
const unknownName = 'Unknown';

/**
 * Evaluates ValidatingAdmissionPolicies, in the order of their names, by the stored bindings and
 * parameters. The expressions of a policy are compiled once.
 */
export function policyAdmission(scope: () => Scope): Admission['validate'] {
  const compiled = new WeakMap<Stored, CompiledPolicy>();
  const compiledOf = (policy: Stored): CompiledPolicy => {
    const found = compiled.get(policy) ?? compilePolicy(policy['spec'] as PolicySpec, scope());
    compiled.set(policy, found);
    return found;
  };
  return async (core, request) => {
    const { target } = request;
    const bindings = core.store.list(`${group}/validatingadmissionpolicybindings`);
    const { resource } = target;
    if (bindings.length === 0 || isExempt(resource)) return;
    const bound = Map.groupBy(bindings, (binding) => (binding['spec'] as BindingSpec).policyName);
    const denials: Denial[] = [];
    for (const policy of core.store.list(`${group}/validatingadmissionpolicies`)) {
      const own = bound.get(policy.metadata.name) ?? [];
      const constraints = (policy['spec'] as PolicySpec).matchConstraints ?? {};
      const as = own.length === 0 ? undefined : matchedBy(core, constraints, request);
      if (as === undefined) continue;
      let values: Promise<Values> | undefined;
      const valuesOf = () => (values ??= askedOf(core, request, { as, uid: '' }).then(scope().valuesOf));
      denials.push(...(await denialsOf(core, request, { policy, bindings: own, compiledOf, valuesOf })));
    }
    const [first] = denials;
    if (first !== undefined) throw refused(request, first);
  };
}

/** Policies are never evaluated for policies, so that users can always remove them. */
function isExempt({ group: of, plural, virtual }: ServedResource): boolean {
  return of === group ? plural.includes('admissionpolic') : virtual === true && reviews.has(of);
}

/** An objection that rejects the request. */
interface Denial extends Pick<Objection, 'message' | 'reason'> {
  readonly policy: Stored;
  /** Absent: the policy itself cannot be used. */
  readonly binding: Stored | undefined;
}

interface Bound {
  readonly policy: Stored;
  readonly bindings: readonly Stored[];
  readonly compiledOf: (policy: Stored) => CompiledPolicy;
  readonly valuesOf: () => Promise<Values>;
}

async function denialsOf(
  core: Core,
  request: AdmissionRequest,
  { policy, bindings, compiledOf, valuesOf }: Bound,
): Promise<readonly Denial[]> {
  const { failurePolicy = 'Fail', paramKind } = policy['spec'] as PolicySpec;
  const unusable = (what: string, error: unknown, binding?: Stored): readonly Denial[] =>
    failurePolicy === 'Ignore'
      ? []
      : [{ policy, binding, reason: 'Invalid', message: `failed to configure ${what}: ${errorMessage(error)}` }];
  const paramType = paramKind && servedKind(core, paramKind);
  if (paramKind !== undefined && paramType === undefined) {
    const { apiVersion = '', kind = '' } = paramKind;
    const slash = apiVersion.includes('/') ? '' : '/';
    const named = `${slash}${apiVersion}, Kind=${kind}`;
    return unusable('policy', `failed to find resource referenced by paramKind: '${named}'`);
  }
  const denials: Denial[] = [];
  for (const binding of bindings) {
    const { matchResources = {}, paramRef, validationActions = [] } = binding['spec'] as BindingSpec;
    if (matchedBy(core, matchResources, request) === undefined) continue;
    const denies = ({ message, reason }: Objection) => denials.push({ policy, binding, message, reason });
    try {
      for (const params of await paramsOf(core, paramType, paramRef, request.target.namespace)) {
        for (const objection of objectionsTo(compiledOf(policy), await valuesOf(), params)) {
          if (objection.isFinal || validationActions.includes('Deny')) denies(objection);
          if (!objection.isFinal && validationActions.includes('Warn'))
            request.target.warnings.push(`Validation failed for ${described(policy, binding)}: ${objection.message}`);
        }
      }
    } catch (error) {
      const converts = error instanceof Refusal ? 'failed to convert object version: ' : '';
      denials.push(...unusable('binding', `${converts}${errorMessage(error)}`, binding));
    }
  }
  return denials;
}

/** The version of the resource that the rules name; undefined if they do not choose the request. */
function matchedBy(core: Core, matching: MatchResources, request: AdmissionRequest): ServedResource | undefined {
  const { resourceRules = [], excludeResourceRules = [] } = matching;
  if (!selectorsMatch(core, matching, request)) return undefined;
  if (matchedVersion(core, excludeResourceRules, matching, request) !== undefined) return undefined;
  return resourceRules.length === 0 ? request.target.resource : matchedVersion(core, resourceRules, matching, request);
}

function servedKind(core: Core, { apiVersion, kind }: ParamKind): ServedResource | undefined {
  return core.registry.all().find((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
}

/**
 * The parameters of a binding. One that is undefined: the policy is evaluated once, without any.
 * Errors: throws if they cannot be selected.
 */
async function paramsOf(
  core: Core,
  type: ServedResource | undefined,
  ref: ParamRef | undefined,
  requested: string | undefined,
): Promise<readonly (Stored | undefined)[]> {
  if (type === undefined || ref === undefined) return [undefined];
  const { name = '', namespace = '', selector, parameterNotFoundAction } = ref;
  const within = namespace === '' ? requested : namespace;
  if (type.namespaced && within === undefined)
    throw new Error('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  if (!type.namespaced && namespace !== '')
    throw new Error('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  const place = type.namespaced ? { namespace: within } : {};
  const found =
    name === ''
      ? core.store
          .list(type.storageKey)
          .filter(({ metadata }) => !type.namespaced || metadata.namespace === within)
          .filter(({ metadata }) => matchesLabels(labelSelectorOf(selector ?? {}), metadata.labels))
      : [core.store.get(type.storageKey, keyOf({ ...place, name }))].filter((each) => each !== undefined);
  if (found.length === 0 && parameterNotFoundAction === 'Deny')
    throw new Error('no params found for policy binding with `Deny` parameterNotFoundAction');
  return core.conversion.toRequested(type, found);
}

function described(policy: Stored, binding: Stored | undefined): string {
  const bound = binding === undefined ? '' : ` with binding '${binding.metadata.name}'`;
  return `ValidatingAdmissionPolicy '${policy.metadata.name}'${bound}`;
}

function refused({ target, object }: AdmissionRequest, { policy, binding, ...denial }: Denial): Refusal {
  const { name, generateName } = { ...object?.metadata };
  const named = (target.ofCollection ? '' : target.name) || name || generateName || unknownName;
  const message = `${described(policy, binding)} denied request: ${denial.message}`;
  return forbiddenObject(target.resource, named, { reason: denial.reason, message, causes: [{ message }] });
}
