import { chartFiles } from './chart/chart.ts';
import type { Generator } from './generator.ts';
import { guideLeader, guideManifests } from './guide-manifests.ts';
import { manifests } from './manifests.ts';
import { rbacPage } from './rbac-page.ts';
import { repositoryVersion } from './repository-version.ts';

/** The manifests to install from, and the page about what each credential may do. */
export const rbacGenerator: Generator = {
  name: 'manifests, chart and RBAC',
  owns: (path) =>
    /^deploy\/(?:agent|agent-policies|dns|leader-events|leader-global|leader-namespaced|leader-strict|leader|member|metrics|wireguard)\.yaml$/.test(
      path,
    ) ||
    /^deploy\/charts\/isthmus\/.+\.\w+$/.test(path) ||
    path === guideLeader ||
    path === 'docs/reference/rbac.md',
  files: () => ({
    ...manifests(repositoryVersion()),
    ...chartFiles(repositoryVersion()),
    [guideLeader]: guideManifests(repositoryVersion())[guideLeader] ?? '',
    'docs/reference/rbac.md': rbacPage(),
  }),
};
