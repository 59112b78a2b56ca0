/** What a scoped token allows: to read, to change documents and conversations, to make models work, and to share. */
export const rights = ["read", "write", "run", "share"] as const;
export type Right = (typeof rights)[number];
