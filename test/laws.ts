import fc from "fast-check";
import { scaled, torture } from "./scale.ts";

// The cases of every law, unless it sets its own. `npm test` draws the same cases each time, so that a failure comes
// from a change; `npm run torture` draws new ones, and a law that fails prints its seed.
fc.configureGlobal({ numRuns: scaled(100), ...(torture === 1 ? { seed: 1 } : {}) });
