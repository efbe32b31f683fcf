import { FixedName, Label } from '@isthmus/api';

/**
 * What a user deletes in the Namespace of a controller before applying the manifest of Antrea.
 * Objects of the same name would keep settings that `kubectl apply` does not own. For example, with
 * the read-only root file system of our Deployment, Antrea's Pods do not start.
 */
export function remainsOfIsthmus(namespace: string): readonly string[] {
  return [
    `If Helm installed Isthmus, let it forget the release, so that it never deletes objects of Antrea with the same names: kubectl delete secret -n ${namespace} -l owner=helm,name=<release>`,
    `Delete the admission policies of Isthmus; Antrea uses webhooks instead: kubectl delete validatingadmissionpolicies,validatingadmissionpolicybindings -l ${Label.servedIn}=${namespace}`,
    `Delete the Deployment of Isthmus with what belongs to it, so that Antrea's does not keep its settings: kubectl delete deployment,poddisruptionbudget,networkpolicy ${FixedName.controllerDeployment} -n ${namespace} --ignore-not-found`,
  ];
}
