/** The Node of every virtual cluster: a Pod without one is no endpoint. */
export const onlyNode = 'node-1';
