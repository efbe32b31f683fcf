import { SourceKind, memberClusterSetStatus, resourceExportStatus } from '@isthmus/api';
import {
  carriesOurLabel,
  labelExportKeys,
  labelIdentityExchangeName,
  labelImportKeys,
  labelNumberOf,
  publishedNumberIndex,
} from '@isthmus/wire';
import { defineExchange } from '../../define-exchange.ts';
import { importedObjects } from '../../own-cluster/imported-objects.ts';
import { createOngoingReports } from '../../reporting/reports.ts';
import { labelIdentityExportAccess, labelIdentityExportController } from './export/reconcile.ts';
import { labelIdentityImportAccess, labelIdentityImportController } from './import/reconcile.ts';
import { labelIdentityMerge } from './leader/decide.ts';
import type { LabelIdentityProblem } from './local/incomplete.ts';
import { incompleteVerdict, sharedNumber } from './local/incomplete.ts';
import { openLocalLabelIdentities } from './local/label-identities.ts';
import { createLabelSets, noLabelSets } from './local/label-sets.ts';

/**
 * Exchanges the labels of Pods, with one number for each set of labels in the whole ClusterSet. A
 * member that has this turned off withdraws its exports and imports.
 */
export const labelIdentityExchange = defineExchange({
  name: labelIdentityExchangeName,
  docs: 'The labels of Pods and of their Namespaces: each set of labels gets a number, which all clusters import as a LabelIdentity, if `enableStretchedNetworkPolicy` is set.',
  setting: 'enableStretchedNetworkPolicy',
  statuses: [resourceExportStatus, memberClusterSetStatus],
  leader: labelIdentityMerge,
  member: {
    access: [...labelIdentityExportAccess, ...labelIdentityImportAccess],
    exportKeys: labelExportKeys,
    importKinds: [SourceKind.labelIdentity],
    importKeys: labelImportKeys,
    importIndexes: {
      [publishedNumberIndex]: (object) => {
        const number = labelImportKeys(object).length === 0 ? undefined : labelNumberOf(object);
        return number === undefined ? [] : [String(number)];
      },
    },
    join(own) {
      const local = openLocalLabelIdentities(own);
      const { pods } = local;
      type Problems = Map<string, { readonly reason: LabelIdentityProblem; readonly message: string }>;
      const problems = { exports: new Map() as Problems, imports: new Map() as Problems };
      const events = createOngoingReports(own.events, memberClusterSetStatus, own.world.clock);
      const show = () => {
        own.clusterSetConditions.set({
          LabelIdentitiesIncomplete: incompleteVerdict(problems.exports, problems.imports),
        });
        events.note('shared', own.served(), sharedNumber(problems.imports));
      };
      const noteIn = (some: Problems) => {
        some.clear();
        show();
        return (
          name: string,
          problem: { readonly reason: LabelIdentityProblem; readonly message: string } | undefined,
        ) => {
          if (some.get(name)?.message === problem?.message) return;
          if (problem === undefined) some.delete(name);
          else some.set(name, problem);
          show();
        };
      };
      return {
        exporters({ session }) {
          if (session === undefined) return [];
          const sets = pods === undefined ? noLabelSets : createLabelSets(pods.cache, own.namespaces.cache);
          const { labelIdentities } = local;
          return [labelIdentityExportController({ labelIdentities, sets, session, note: noteIn(problems.exports) })];
        },
        importers: (source) => [
          labelIdentityImportController({
            local,
            source: pods === undefined ? { kind: 'none' } : source,
            note: noteIn(problems.imports),
          }),
        ],
        // A LabelIdentity contains only facts from the leader.
        keepers: () => [],
        imported: [importedObjects(local.labelIdentities, carriesOurLabel)],
      };
    },
  },
});
