/** The API group of the manifests of EKS Anywhere. */
export const eksaGroup = 'anywhere.eks.amazonaws.com';

/** The channel that bundles of EKS Anywhere count as: the format has none. */
export const eksaChannel = 'eks-anywhere';
