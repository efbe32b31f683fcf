import type { CaseApi } from './case-api.ts';

/**
 * One behaviour of an API server: requests whose answers the real server has given once and any
 * other server has to give again. The title is a sentence about the behaviour.
 */
export interface ContractCase {
  readonly title: string;
  /** The answers depend on kube-controller-manager, or on its replacement. */
  readonly needsControllers?: boolean | undefined;
  /**
   * Other cases at work on the same server would change its answers: on a real server it runs by
   * itself.
   */
  readonly needsServerAlone?: boolean | undefined;
  /** The reason why a server may answer differently. Without it, the answers must be equal. */
  readonly knownToDiffer?: string | undefined;
  run(api: CaseApi): Promise<void>;
}

/** The cases about one line of the server's behaviour. */
export interface ContractArea {
  /** Names the file of recorded answers too. */
  readonly name: string;
  readonly cases: readonly ContractCase[];
  /** {@link ContractCase.needsServerAlone}, all of them. */
  readonly needsServerAlone?: boolean | undefined;
  /** These cases need a server that compacts its history at this interval. */
  readonly compactEveryMs?: number | undefined;
  /**
   * Controllers of kube-controller-manager that these cases want and others do not: they run beside
   * a server of its own.
   */
  readonly moreControllers?: readonly string[] | undefined;
}

/** An area. Errors: throws if two cases have the same title. */
export function contractArea(
  name: string,
  cases: readonly ContractCase[],
  wants: Omit<ContractArea, 'name' | 'cases'> = {},
): ContractArea {
  const titles = cases.map(({ title }) => title);
  const twice = titles.find((title, index) => titles.indexOf(title) !== index);
  if (twice !== undefined) throw new Error(`contract area ${name}: two cases are called ${JSON.stringify(twice)}`);
  return { name, cases, ...wants };
}

/** Whether a case of an area may only run while no other case does. */
export function needsServerAlone(area: ContractArea, one: ContractCase): boolean {
  return area.needsServerAlone === true || one.needsServerAlone === true;
}
