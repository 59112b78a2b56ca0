/** The most sub-agents that one call may ask for. */
export const subAgentsMax = 10;

/** How long a sub-agent may take where its task says nothing else; and at most. Milliseconds. */
export const subAgentTimeMs = { usual: 20 * 60_000, max: 60 * 60_000 } as const;
