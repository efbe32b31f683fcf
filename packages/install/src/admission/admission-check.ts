import { ClusterRoleBinding, Label, ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@isthmus/api';
import type { Client, World } from '@isthmus/kube';
import { createCache, isForbidden, isNotServed, orNotFound } from '@isthmus/kube';
import { equal, isRecord, sleep } from '@isthmus/machinery';
import type { AdmissionProblem, AdmissionWatch } from '@isthmus/controlplane';
import type { AdmissionRule } from './admission-rule.ts';
import type { InstalledRule } from './installed-policies.ts';
import { admissionProblem, unservedPolicies } from './installed-policies.ts';
import { admissionName, admissionReaderName } from './policy-specs.ts';

export interface AdmissionCheckOptions {
  /**
   * For the API server of the own cluster. A denied request is not a problem of the installation.
   */
  readonly client: Client;
  readonly namespace: string;
  readonly manifest: string;
  readonly rules: readonly AdmissionRule[];
  readonly world: World;
  /** Default: a minute. */
  readonly everyMs?: number | undefined;
}

/** Each check is two small requests for a rule. */
const usualMs = 60_000;
/** While a watch shows each change. */
const watchedMs = 3_600_000;
/** How long to wait for further changes: a manifest that is applied changes all policies. */
const settledMs = 500;
/** A denial counts when it repeats: an API server that has just started denies what roles allow. */
const believedAfterMs = 5_000;

/**
 * Checks whether the API server still has the policies of a controller: when a watch shows that one
 * of them has changed, and at intervals, for a controller that may not watch them. Before the first
 * check, and after one that failed, the earlier result stays.
 */
export function createAdmissionCheck(options: AdmissionCheckOptions): AdmissionWatch {
  const { client, namespace, manifest, rules, world, everyMs = usualMs } = options;
  const listeners = new Set<() => void>();
  let problem: AdmissionProblem | undefined;

  async function look(signal: AbortSignal): Promise<AdmissionProblem | undefined> {
    const found: InstalledRule[] = [];
    for (const rule of rules) {
      const ref = { name: admissionName(rule, namespace) };
      // One after the other: the result is not urgent.
      found.push({
        rule,
        policy: await orNotFound(client.get(ValidatingAdmissionPolicy, ref, { signal })),
        binding: await orNotFound(client.get(ValidatingAdmissionPolicyBinding, ref, { signal })),
      });
    }
    const isWithoutAny = found.every(({ policy, binding }) => policy === undefined && binding === undefined);
    if (isWithoutAny && (await isAdministrator(options, signal))) return undefined;
    return admissionProblem({ namespace, manifest, rules: found });
  }

  /**
   * Undefined if the API server does not return its version: then a proxy before it may have
   * answered, which serves nothing.
   */
  async function unserved(signal: AbortSignal): Promise<AdmissionProblem | undefined> {
    try {
      const { text } = await client.request({ method: 'GET', path: '/version' }, { signal });
      const answer: unknown = JSON.parse(text);
      const version = isRecord(answer) ? answer['gitVersion'] : undefined;
      return typeof version === 'string' ? unservedPolicies({ namespace, manifest, version }) : undefined;
    } catch {
      return undefined;
    }
  }

  let deniedSinceMs: number | undefined;
  const watch = createPolicyWatch(options);

  /** Returns how long to wait for the next look. */
  async function lookOnce(signal: AbortSignal): Promise<number> {
    let next = problem;
    let waitMs = everyMs;
    try {
      next = await look(signal);
      deniedSinceMs = undefined;
      if (watch.showsAll()) waitMs = watchedMs;
    } catch (error) {
      if (signal.aborted) return 0;
      // The manifests of an older release, or a user, grant no right to read the policies.
      if (isForbidden(error)) {
        deniedSinceMs ??= world.clock.monotonic();
        if (problem !== undefined && world.clock.monotonic() - deniedSinceMs < believedAfterMs) return believedAfterMs;
        next = undefined;
      } else if (isNotServed(error)) next = await unserved(signal);
      else world.log.debug('the admission policies cannot be read', { error: String(error) });
    }
    if (equal(problem, next)) return waitMs;
    problem = next;
    // Before a ClusterSet exists, nothing else reports the problem.
    if (problem !== undefined) world.log.warn('the API server lacks admission policies', { why: problem.message });
    listeners.forEach((listener) => listener());
    return waitMs;
  }

  return {
    get problem() {
      return problem;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async run(signal) {
      let hurried = new AbortController();
      const watching = watch.run(() => hurried.abort(), signal);
      while (!signal.aborted) {
        hurried = new AbortController();
        const waitMs = await lookOnce(signal);
        await sleep(world.clock, waitMs, AbortSignal.any([signal, hurried.signal])).catch(() => undefined);
        if (hurried.signal.aborted) await sleep(world.clock, settledMs, signal).catch(() => undefined);
      }
      await watching;
    },
  };
}

interface PolicyWatch {
  /** Whether each change of the policies of all rules is seen. */
  showsAll(): boolean;
  /**
   * Calls `changed` after each change of a policy, for as long as the controller may watch them.
   */
  run(changed: () => void, signal: AbortSignal): Promise<void>;
}

function createPolicyWatch({ client, namespace, rules, world, everyMs = usualMs }: AdmissionCheckOptions): PolicyWatch {
  const selection = { labelSelector: `${Label.servedIn}=${namespace}` };
  const policies = createCache({ ...world, ...selection, client, type: ValidatingAdmissionPolicy });
  const bindings = createCache({ ...world, ...selection, client, type: ValidatingAdmissionPolicyBinding });
  const mayWatch = async (signal: AbortSignal): Promise<boolean> => {
    try {
      await client.list(ValidatingAdmissionPolicyBinding, { ...selection, signal });
      return true;
    } catch {
      return false;
    }
  };
  const shows = (name: string) =>
    [policies, bindings].every((cache) => cache.state.kind === 'watching' && cache.get({ name }) !== undefined);
  return {
    showsAll: () => rules.every((rule) => shows(admissionName(rule, namespace))),
    async run(changed, signal) {
      while (!(await mayWatch(signal))) {
        await sleep(world.clock, everyMs, signal).catch(() => undefined);
        if (signal.aborted) return;
      }
      for (const cache of [policies, bindings]) {
        cache.subscribe(changed);
        cache.onState(() => {
          if (cache.state.kind === 'failing') changed();
        });
      }
      await Promise.all([policies.run(signal), bindings.run(signal)]);
    },
  };
}

/**
 * Whether the right to read comes from elsewhere than the manifest with the policies. Then the
 * policies were never installed, for example because an administrator runs the controller.
 */
async function isAdministrator({ client, namespace }: AdmissionCheckOptions, signal: AbortSignal): Promise<boolean> {
  try {
    await orNotFound(client.get(ClusterRoleBinding, { name: admissionReaderName(namespace) }, { signal }));
    return true;
  } catch (error) {
    if (isForbidden(error)) return false;
    throw error;
  }
}
