/** Name of the wire format. */
export const anthropicApi = "anthropic";
