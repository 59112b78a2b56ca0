/** Name of the wire format. */
export const responsesApi = "openai-responses";
