import { applyAll, applyDefinitions } from '../../process/apply-again.ts';

/**
 * How a user restores the missing parts of a leader: its CRDs, or the Role of members. `isIsthmus`:
 * whether Isthmus runs there; false or undefined if that is not known. On an Antrea leader, the
 * manifest of Isthmus would replace the controller.
 */
export function applyOnLeader(what: 'definitions' | 'role', isIsthmus: boolean | undefined): string {
  const ours = what === 'definitions' ? applyDefinitions('leader') : applyAll('leader');
  if (isIsthmus === true) return `Run there: ${ours}`;
  const file = {
    definitions: 'antrea-multicluster-leader-global.yml',
    role: 'antrea-multicluster-leader-namespaced.yml',
  };
  return `If the leader runs Isthmus, run there: ${ours}. If it runs Antrea, run there, with the file of its release: kubectl apply -f ${file[what]}`;
}
