/** The most sub-agents that one call may request. */
export const subAgentsMax = 10;

/** How long a sub-agent may take, in milliseconds: the default, and the maximum. */
export const subAgentTimeMs = { usual: 20 * 60_000, max: 60 * 60_000 } as const;
