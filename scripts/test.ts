import { run, runTool } from "./command.ts";

// Runs every test: builds the web app first, because the browser tests drive the built one.
// Arguments go to vitest: `npm test -- src/core/text`.

const built = await run(process.execPath, ["scripts/build.ts", "--web-if-stale"]);
if (built !== 0) process.exit(built);
process.exit(await runTool("vitest/vitest.mjs", ["run", "--reporter=./test/reporter.ts", ...process.argv.slice(2)]));
