import { applyAll, applyDefinitions } from '../../process/apply-again.ts';

/**
 * How a person restores what a leader lacks: its CustomResourceDefinitions, or the Role of members. `isIsthmus`: whether Isthmus runs there; false or
 * undefined where that is not known. The manifest of Isthmus would replace the controller of an Antrea leader.
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
