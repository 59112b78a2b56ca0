/** What a scoped token allows: to read, to change documents and conversations, and to make models work. */
export const rights = ["read", "write", "run"] as const;
export type Right = (typeof rights)[number];
