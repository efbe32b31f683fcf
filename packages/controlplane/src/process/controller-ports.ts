/** Where the installed controllers answer. */
export const controllerPorts = { health: 8080, metrics: 8081 } as const;
