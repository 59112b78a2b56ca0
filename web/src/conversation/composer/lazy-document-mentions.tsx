import { fetched } from "../../ui/fetched.tsx";

/** The documents that an `@` in the message names, fetched when the page has been drawn. */
export const DocumentMentions = fetched(async () => (await import("./document-mentions.tsx")).DocumentMentions);
