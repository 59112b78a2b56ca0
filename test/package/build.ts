import { run } from "../../scripts/command.ts";

/** Builds what is out of date, once before the tests that look at the built package. */
export default async function build(): Promise<void> {
  const code = await run(process.execPath, ["scripts/build.ts", "--if-stale"]);
  if (code !== 0) throw new Error(`the package could not be built: scripts/build.ts ended with ${code}`);
}
