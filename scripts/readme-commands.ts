/** The blocks of "Run it on your clusters" in README.md, by what they do. */
export const runOnClusters = {
  heading: 'Run it on your clusters',
  /** Imports the image, on each Node. */
  image: 1,
  install: 2,
  join: 3,
  leave: 4,
  uninstall: 5,
} as const;
