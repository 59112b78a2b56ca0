/** Name of the wire format. */
export const chatApi = "openai-chat";
