import { fetched } from "../../ui/fetched.tsx";

// Fetched when the page has been drawn: what an `@` and what a `/` in the message offers.
export const DocumentMentions = fetched(async () => (await import("./document-mentions.tsx")).DocumentMentions);
export const ServerPrompts = fetched(async () => (await import("./server-prompts.tsx")).ServerPrompts);
