import {
  componentsFor,
  fullVersion,
  kubernetesProblem,
  placedComponents,
  versionOf,
} from '../../bundle/components-of.ts';
import type { Component } from '../../bundle/component.ts';
import type { LoadedBundle } from '../../bundle/loaded-bundle.ts';
import type { ClusterSnapshot } from '../../fleet/fleet-snapshot.ts';
import { runningOf } from '../../fleet/live-versions.ts';
import { componentsById } from '../../fleet/state-of.ts';
import type { RuleSet } from '../../policy/rule-set.ts';
import { readRules } from '../../policy/rule-set.ts';
import { typeOf } from '../../bundle/type-of.ts';
import type { SupportOf } from '../../policy/skew/window-findings.ts';
import { compareReleases } from '../../version/compare-versions.ts';
import { minorOf } from '../../version/parse-version.ts';
import type { Minor, Version } from '../../version/version.ts';
import type { PlanInput } from './plan-input.ts';

/** The data that every part of the planner looks up, read once. */
export interface PlannerContext {
  readonly input: PlanInput;
  readonly rules: RuleSet;
  /** By name, bytewise. */
  readonly clusters: readonly ClusterSnapshot[];
  /** The components of the bundle by id, whatever the Kubernetes minor: for types and schemes. */
  readonly byId: ReadonlyMap<string, Component>;
  /**
   * The family of a cluster, within which rules compare clusters: a ClusterSet, or a cluster with
   * those that it manages.
   */
  readonly familyOf: (cluster: string) => string;
  /** The versions of a component that are to be had with all of their content. */
  readonly knownVersions: (id: string) => readonly Version[];
  /** A component at one of its known versions, and the bundle that has it. */
  readonly atVersion: (
    id: string,
    version: string,
  ) => { readonly component: Component; readonly bundle: LoadedBundle } | undefined;
  /** A component as a bundle has it, where all of its content is named. */
  readonly inBundle: (bundle: LoadedBundle, id: string) => Component | undefined;
  readonly supportOf: SupportOf;
}

export function plannerContext(input: PlanInput): PlannerContext {
  const { bundle, snapshot } = input;
  const bundles = [bundle, ...input.otherBundles.toSorted(byDigest)];
  const known = new Map<string, Map<string, { readonly component: Component; readonly bundle: LoadedBundle }>>();
  for (const one of bundles) {
    for (const { component } of placedComponents(one.bundle)) {
      const versions = known.get(component.id) ?? new Map<string, never>();
      const text = fullVersion(component);
      const isWhole = component.artifacts.every(({ digest }) => digest !== undefined);
      if (isWhole && !versions.has(text)) versions.set(text, { component, bundle: one });
      known.set(component.id, versions);
    }
  }
  return {
    input,
    rules: readRules(input.policies),
    clusters: snapshot.spec.clusters.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    byId: componentsById(bundle.bundle),
    familyOf: familiesOf(snapshot.spec.clusters),
    knownVersions: (id) => [...(known.get(id)?.values() ?? [])].map(({ component }) => versionOf(component)),
    atVersion: (id, version) => known.get(id)?.get(version),
    inBundle: ({ bundle: one }, id) =>
      placedComponents(one).find(
        ({ component }) => component.id === id && known.get(id)?.has(fullVersion(component)) === true,
      )?.component,
    supportOf: (instance) => known.get(instance.component)?.get(instance.version.text)?.component.supports.kubernetes,
  };
}

/** Why a cluster is left alone, whatever differs in it; undefined where it is not. */
export function leftAlone(cluster: ClusterSnapshot, { leftOut }: Pick<PlanInput, 'leftOut'>): string | undefined {
  const why = leftOut?.get(cluster.name);
  if (why !== undefined) return why;
  if (cluster.paused) return 'its reconciliation is paused';
  if (cluster.reachable) return undefined;
  return cluster.notRead === undefined ? 'its API server did not answer' : `it could not be read: ${cluster.notRead}`;
}

/** The oldest minor of the API servers of a cluster. */
export function kubernetesOf(cluster: ClusterSnapshot): Minor | undefined {
  const servers = cluster.components.filter(({ id, type }) => (type ?? id) === 'kube-apiserver');
  const versions = servers.flatMap((one) => runningOf(one)).map(({ version }) => version);
  const [oldest] = versions.filter(({ core }) => core !== undefined).toSorted(compareReleases);
  return oldest === undefined ? undefined : minorOf(oldest);
}

/**
 * The components that the bundle has for a cluster, or why it cannot be used there. Without client
 * programs.
 */
export function targetsOf(
  cluster: ClusterSnapshot,
  { input }: Pick<PlannerContext, 'input'>,
): { readonly components: readonly Component[]; readonly problem?: string | undefined } {
  const { bundle } = input.bundle;
  const minor = input.kubernetes ?? kubernetesOf(cluster);
  const problem = minor === undefined ? undefined : kubernetesProblem(bundle, minor);
  if (problem !== undefined) return { components: [], problem };
  const installed = new Set(cluster.components.map(({ id }) => id));
  const components = componentsFor(bundle, minor).filter((one) => {
    if (one.scope === 'client') return false;
    if (one.optional && !installed.has(one.id)) return false;
    if (isKubernetes(one)) return installed.has(one.id) && (minor === undefined || minorOf(versionOf(one)) === minor);
    return one.roles === undefined || one.roles.some((role) => cluster.roles.includes(role));
  });
  return { components };
}

/** Whether a component is a part of Kubernetes itself. */
export function isKubernetes(component: Pick<Component, 'id' | 'type' | 'method'>): boolean {
  return component.method === 'kubernetes' || typeOf(component) === 'kube-apiserver';
}

function familiesOf(clusters: readonly ClusterSnapshot[]): (cluster: string) => string {
  const parent = new Map<string, string>();
  const rootOf = (name: string): string => {
    let at = name;
    for (let next = parent.get(at); next !== undefined; next = parent.get(at)) at = next;
    return at;
  };
  const join = (a: string, b: string) => {
    const [first, second] = [rootOf(a), rootOf(b)].toSorted((x, y) => (x < y ? -1 : 1));
    if (first !== undefined && second !== undefined && first !== second) parent.set(second, first);
  };
  for (const { name, clusterSet, managedBy } of clusters) {
    if (clusterSet !== undefined) join(`cluster ${name}`, `set ${clusterSet}`);
    if (managedBy !== undefined) join(`cluster ${name}`, `cluster ${managedBy}`);
  }
  return (cluster) => rootOf(`cluster ${cluster}`);
}

function byDigest(a: LoadedBundle, b: LoadedBundle): number {
  return a.digest < b.digest ? -1 : a.digest > b.digest ? 1 : 0;
}
