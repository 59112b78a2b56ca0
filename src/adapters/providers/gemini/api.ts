/** Name of the wire format. */
export const geminiApi = "gemini";
