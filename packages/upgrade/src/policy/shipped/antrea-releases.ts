/** The newest minor of Kubernetes on the day of each x.y.0 of Antrea, by its minor. */
// prettier-ignore
export const newestKubernetesAtRelease = {
  '0.10': '1.19', '1.5': '1.23', '1.6': '1.23', '1.7': '1.24', '1.8': '1.24', '1.9': '1.25', '1.10': '1.26', '1.11': '1.26',
  '1.12': '1.27', '1.13': '1.27', '1.14': '1.28', '1.15': '1.29', '2.0': '1.30', '2.1': '1.30', '2.2': '1.31', '2.3': '1.32',
  '2.4': '1.33', '2.5': '1.34', '2.6': '1.35', '2.7': '1.36',
};

/** The sources of the dates. */
export const datesOfReleases =
  'the dates of CHANGELOG-1.5 to CHANGELOG-2.7 and of the modules k8s.io/kubernetes v1.19.0 to v1.37.0';
