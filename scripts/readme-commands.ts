/** The blocks of "Run it on your clusters" in README.md, by what they do. */
export const runOnClusters = {
  heading: 'Run it on your clusters',
  /** Imports the image, on each Node. */
  image: 1,
  install: 2,
  /** Waits until the controllers run: needs Nodes. */
  check: 3,
  join: 4,
  leave: 5,
  uninstall: 6,
} as const;
