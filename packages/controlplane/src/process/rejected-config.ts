import type { Verdict, leaderClusterSetStatus, memberClusterSetStatus } from '@isthmus/api';

/** A changed configuration file that the process does not use. */
export interface RejectedConfig {
  /** The problems of the file, one a line. Undefined: the process uses its file. */
  readonly why: string | undefined;
  /** Calls `listener` when `why` has changed. Returns the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
}

/** For a process whose file cannot change. */
export const noRejectedConfig: RejectedConfig = { why: undefined, onChange: () => () => {} };

/** The same type on both sides. */
type ConfigurationVerdict = Verdict<typeof leaderClusterSetStatus, 'ConfigurationRejected'> &
  Verdict<typeof memberClusterSetStatus, 'ConfigurationRejected'>;

/** The condition ConfigurationRejected of a ClusterSet. */
export function configurationVerdict({ why }: RejectedConfig): ConfigurationVerdict | 'absent' {
  if (why === undefined) return 'absent';
  const [first = '', ...problems] = why.split('\n');
  const what = problems.length === 0 ? first : `${first}: ${problems.join('; ')}`;
  const message = `The changed configuration file is not used: ${what}. Correct it. Until then, the previous configuration stays in effect, and a controller that starts exits at once.`;
  return { status: 'True', reason: 'InvalidConfiguration', message };
}
