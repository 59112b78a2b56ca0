import fc from "fast-check";
import { scaled, torture } from "./scale.ts";

// What every law is tried on, unless it says otherwise. `npm test` draws the same cases each time, so that a run that
// fails fails by what was changed; `npm run torture` draws new ones, and a law that breaks tells its seed.
fc.configureGlobal({ numRuns: scaled(100), ...(torture === 1 ? { seed: 1 } : {}) });
