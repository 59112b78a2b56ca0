/** Name of the wire format. */
export const interactionsApi = "gemini-interactions";
