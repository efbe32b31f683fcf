/** Does `work` for each item in order, so many at a time. Errors: the first. */
export async function inParallel<T>(
  items: readonly T[],
  parallelism: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const lane = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: parallelism }, lane));
}
