import type { TestServer } from "../../testing/test-server.ts";
import { runCommandLine } from "./run.ts";

/** Runs `heddle` at a server, as one who is not at a terminal; returns the exit code and both outputs. */
export async function heddleAt(
  { url, token }: TestServer,
  args: readonly string[],
  { input = "" }: { readonly input?: string } = {},
): Promise<{ code: number; printed: string; noted: string }> {
  const output = { printed: "", noted: "" };
  const code = await runCommandLine([...args, "--url", url, "--token", token], {
    print: (line) => void (output.printed += `${line}\n`),
    note: (line) => void (output.noted += `${line}\n`),
    env: {},
    input: async () => input,
    isInteractive: false,
    colours: false,
  });
  return { code, ...output };
}
