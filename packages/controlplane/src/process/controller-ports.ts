/** The ports of the installed controllers. */
export const controllerPorts = { health: 8080, metrics: 8081 } as const;
