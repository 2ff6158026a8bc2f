/** Where this product does otherwise than the specification says, and why. */
export const DEVIATIONS = [
  {
    title: "3.3.4: where it is not declared: UnsupportedOperation",
    why: "ExtendedAgentCardNotConfigured in both versions: 0.3 has no other answer, and clients act on one code",
  },
];
