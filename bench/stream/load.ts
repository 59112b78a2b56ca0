/** How many agents reply at once, how many tokens each reply has, and the time from one token to the next. */
export const agents = 20;
export const tokens = 600;
export const everyMs = 20;
