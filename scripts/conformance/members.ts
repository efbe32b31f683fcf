/** Two members of a ClusterSet that the suite can reach. */
export interface Members extends AsyncDisposable {
  /** For KUBECONFIG: the files, with a context of the name of each member. */
  readonly kubeconfig: string;
}

/** Their names. */
export const members = ['east', 'west'] as const;
