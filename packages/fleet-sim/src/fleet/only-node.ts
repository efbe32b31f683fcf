/** The Node of every virtual cluster. A Pod without a Node is not an endpoint. */
export const onlyNode = 'node-1';
