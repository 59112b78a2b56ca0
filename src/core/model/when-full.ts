/** What happens to a request that leaves too little of the window for a reply: it is sent all the same, or not sent. */
export const whenFullChoices = ["clamp", "refuse"] as const;
export type WhenFull = (typeof whenFullChoices)[number];
