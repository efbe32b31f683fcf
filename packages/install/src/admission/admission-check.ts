import { Label, ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@isthmus/api';
import type { Client, World } from '@isthmus/kube';
import { isForbidden, isNotServed, orNotFound } from '@isthmus/kube';
import { equal, isRecord, sleep } from '@isthmus/machinery';
import type { AdmissionProblem, AdmissionWatch } from '@isthmus/controlplane';
import type { AdmissionRule } from './admission-rule.ts';
import type { InstalledRule } from './installed-policies.ts';
import { admissionProblem, unservedPolicies } from './installed-policies.ts';
import { admissionName } from './policy-specs.ts';

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

/**
 * Each check is two small requests for a rule: RBAC cannot grant a watch by name without a list of
 * all.
 */
const usualMs = 60_000;

/**
 * Checks at intervals whether the API server still has the policies of a controller. Before the
 * first check, and after one that failed, the earlier result stays.
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
    if (isWithoutAny && (await mayReadAll(signal))) return undefined;
    return admissionProblem({ namespace, manifest, rules: found });
  }

  /**
   * Whether the right to read comes from elsewhere than the manifest with the policies. Then the
   * policies were never installed, for example because an administrator runs the controller.
   */
  async function mayReadAll(signal: AbortSignal): Promise<boolean> {
    try {
      await client.list(ValidatingAdmissionPolicy, { labelSelector: `${Label.servedIn}=${namespace}`, signal });
      return true;
    } catch (error) {
      if (isForbidden(error)) return false;
      throw error;
    }
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

  async function lookOnce(signal: AbortSignal): Promise<void> {
    let next = problem;
    try {
      next = await look(signal);
    } catch (error) {
      if (signal.aborted) return;
      // The manifests of an older release, or a user, grant no right to read the policies.
      if (isForbidden(error)) next = undefined;
      else if (isNotServed(error)) next = await unserved(signal);
      else world.log.debug('the admission policies cannot be read', { error: String(error) });
    }
    if (equal(problem, next)) return;
    problem = next;
    // Before a ClusterSet exists, nothing else reports the problem.
    if (problem !== undefined) world.log.warn('the API server lacks admission policies', { why: problem.message });
    listeners.forEach((listener) => listener());
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
      while (!signal.aborted) {
        await lookOnce(signal);
        await sleep(world.clock, everyMs, signal).catch(() => undefined);
      }
    },
  };
}
