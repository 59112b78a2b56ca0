/** The writers in the traced process. */
export const writers = ["ada", "ben", "cleo", "dan"] as const;
export type Writer = (typeof writers)[number];
