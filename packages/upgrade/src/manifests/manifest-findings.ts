import type { CustomResourceDefinition } from '@isthmus/schema';
import type { KubernetesObject } from '@isthmus/machinery';
import { fieldErrorBody } from '@isthmus/schema';
import { orderedFindings } from '../finding-order.ts';
import type { Finding } from '../finding.ts';
import { compareMinors } from '../policy/kubernetes-window.ts';
import { deprecatedUse } from '../policy/objects/deprecated-use.ts';
import type { Policy } from '../policy/policy.ts';
import type { Minor } from '../version/version.ts';
import { schemaOf, viewOf } from '../crd/definition-view.ts';
import type { DefinitionView } from '../crd/definition-view.ts';
import { writeJudge } from '../crd/objects/judge-write.ts';
import type { WriteJudge } from '../crd/objects/judge-write.ts';
import type { CompileRules } from '../crd/rules-engine.ts';
import type { ServerVersion } from '../crd/server-version.ts';
import { builtInKinds, newestKnownMinor, oldestKnownMinor } from './built-in-kinds.ts';
import type { BuiltInKinds } from './built-in-kinds.ts';

export interface ManifestContext {
  /**
   * The CRDs that are live when the manifests are applied, without those among the manifests
   * themselves.
   */
  readonly live: readonly CustomResourceDefinition[];
  /** The CRDs among the manifests. */
  readonly coming: readonly CustomResourceDefinition[];
  /**
   * The minor that the cluster has or will have; absent: of built-in kinds those are reported that
   * never were.
   */
  readonly kubernetes?: Minor | undefined;
  /** `removedApis` of these policies lists the removed built-in versions. */
  readonly policies: readonly Policy[];
  readonly compileRules?: CompileRules | undefined;
}

/**
 * A finding, and which of the objects it is about, from 0: several may have the same name. Absent
 * where it is about a version.
 */
export type ManifestFinding = Finding & { readonly index?: number | undefined };

/**
 * The errors of manifests for their cluster: built-in versions that it no longer serves, custom
 * resources that the CRD live at that step rejects or prunes, and kinds that neither Kubernetes nor
 * a CRD defines. If the CRD among the manifests would accept an object that the live CRD rejects,
 * the order of the steps has to change, and the finding reports this. A CRD that the manifests
 * bring and that is not live yet counts as live: it is applied first. Findings in their usual
 * order.
 */
export function manifestFindings(
  objects: readonly KubernetesObject[],
  context: ManifestContext,
): readonly ManifestFinding[] {
  const { kubernetes, policies, compileRules } = context;
  const definitions = { live: indexed(context.live), coming: indexed(context.coming) };
  const judges = new Map<string, WriteJudge>();
  // A manifest creates or replaces an object: none of its errors is forgiven.
  const server: ServerVersion = {};
  const judgeOf = (view: DefinitionView, side: string, version: string) => {
    const key = `${side} ${view.name} ${version}`;
    const hasStatus = view.versions.get(version)?.subresources?.status !== undefined;
    const judge = judges.get(key) ?? writeJudge(schemaOf(view, version) ?? {}, { server, compileRules, hasStatus });
    judges.set(key, judge);
    return judge;
  };
  const kinds = builtInKinds(policies.flatMap(({ spec }) => spec.removedApis));
  const ofObjects = objects.flatMap((object, index) => {
    const findings = kinds.isGroup(groupOf(object))
      ? neverBuiltIn(object, kinds, kubernetes)
      : customFindings(object, { ...definitions, judgeOf });
    return findings.map((finding): ManifestFinding => ({ ...finding, index }));
  });
  const ofVersions = deprecatedUse({ objects, definitions: context.coming, kubernetes }, policies);
  return orderedFindings([...ofObjects, ...ofVersions]);
}

/**
 * In sentences, what {@link manifestFindings} does not look at: what a minor removes that is newer
 * than those known here.
 */
export function manifestsNotExamined({ kubernetes }: Pick<ManifestContext, 'kubernetes'>): readonly string[] {
  if (kubernetes === undefined || compareMinors(kubernetes, newestKnownMinor) <= 0) return [];
  return [`API versions that Kubernetes removes after ${newestKnownMinor}, the newest minor that is known here`];
}

/** The group of an object; empty for the core group. */
function groupOf({ apiVersion = '' }: KubernetesObject): string {
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}

/**
 * A kind in a version of Kubernetes' own groups that it does not have: misspelt, or of minors that
 * are not known here.
 */
function neverBuiltIn(
  object: KubernetesObject,
  kinds: BuiltInKinds,
  kubernetes: Minor | undefined,
): readonly Finding[] {
  const { apiVersion = '', kind = '' } = object;
  if (kinds.has(apiVersion, kind)) return [];
  const isNewer = kubernetes === undefined || compareMinors(kubernetes, newestKnownMinor) > 0;
  if (isNewer && kinds.comes(apiVersion, kind)) return [];
  const isKnown = !isNewer && compareMinors(kubernetes, oldestKnownMinor) >= 0;
  const versions = kinds.versionsOf(kind);
  const elsewhere = versions.length === 0 ? '' : `; the kind exists in ${versions.join(', ')}`;
  const others = isNewer ? `newer than ${newestKnownMinor}` : `older than ${oldestKnownMinor}`;
  return [
    {
      rule: 'manifest.unknown-kind',
      severity: isKnown ? 'block' : 'warn',
      subject: { object: subjectOf(object) },
      why: `Kubernetes ${newestKnownMinor} has no ${kind} in ${apiVersion}${elsewhere}`,
      unblock: `correct its apiVersion or its kind${isKnown ? '' : `; a Kubernetes ${others} may serve it`}`,
    },
  ];
}

type Definitions = ReadonlyMap<string, DefinitionView>;

function indexed(definitions: readonly CustomResourceDefinition[]): Definitions {
  const views = definitions.map(viewOf);
  return new Map(views.map((view) => [`${view.definition.spec.group} ${view.definition.spec.names.kind}`, view]));
}

interface Asked {
  readonly live: Definitions;
  readonly coming: Definitions;
  readonly judgeOf: (view: DefinitionView, side: string, version: string) => WriteJudge;
}

function customFindings(object: KubernetesObject, { live, coming, judgeOf }: Asked): readonly Finding[] {
  const { apiVersion = '', kind = '' } = object;
  const [group = '', version = ''] = apiVersion.split('/');
  const [now, then] = [live, coming].map((definitions) => definitions.get(`${group} ${kind}`));
  const view = now ?? then;
  const about = subjectOf(object);
  if (view === undefined) {
    return [
      {
        rule: 'manifest.unknown-kind',
        severity: 'warn',
        subject: { object: about },
        why: `no CRD defines ${kind} of ${group}, neither among the live CRDs nor in the manifests`,
        unblock: `pass its CRD, or add it to the manifests; ignore this finding if an aggregated API server serves ${group}`,
      },
    ];
  }
  const side = now === undefined ? 'coming' : 'live';
  const problems = problemsOf(object, version, view, judgeOf(view, side, version));
  if (problems.length === 0) return [];
  const isOrder =
    now !== undefined &&
    then !== undefined &&
    !problemsOf(object, version, then, judgeOf(then, 'coming', version)).some(({ severity }) => severity === 'block');
  return problems.map(({ rule, severity, path, why }) => ({
    rule,
    severity,
    subject: { object: about, ...(path !== '' && { path }) },
    why: `${why}, by the CRD that ${side === 'live' ? 'is live at this step' : 'the manifests contain'} (${view.name})`,
    unblock: isOrder
      ? `the CRD among the manifests accepts it: apply the CRDs in a separate step, and wait until they are served, before this object`
      : 'correct the object, or pass the CRD that will be live when it is applied',
  }));
}

interface ManifestProblem {
  readonly rule: string;
  readonly severity: 'block' | 'warn';
  readonly path: string;
  readonly why: string;
}

function problemsOf(
  object: KubernetesObject,
  version: string,
  view: DefinitionView,
  judge: WriteJudge,
): readonly ManifestProblem[] {
  if (!view.served.includes(version)) {
    const why = `${version} is not served, ${view.served.join(', ') || 'nothing'} is`;
    return [{ rule: 'manifest.version-not-served', severity: 'block', path: '', why }];
  }
  const { errors, pruned } = judge.judge(object);
  return [
    ...errors.map(({ error }): ManifestProblem => ({
      rule: 'manifest.refused',
      severity: 'block',
      path: error.path === '<nil>' ? '' : error.path,
      why: `it is rejected: ${fieldErrorBody(error)}`,
    })),
    ...pruned.map((path): ManifestProblem => ({
      rule: 'manifest.pruned',
      severity: 'warn',
      path,
      why: 'the field is unknown and pruned, or rejected for strict clients',
    })),
  ];
}

function subjectOf({ kind = '', metadata }: KubernetesObject): string {
  return `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
}
