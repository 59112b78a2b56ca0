import type { SandboxRuntimeConfig } from "@anthropic-ai/sandbox-runtime";
import type { FolderRules } from "./sandbox-policy.ts";

/** A request to the sandbox process. */
export type SandboxRequest =
  /** `own` is the private folder, which is removed when the server exits. */
  | { readonly type: "open"; readonly policy: SandboxRuntimeConfig; readonly own: string }
  /** Answered with the shell line that runs the command in the sandbox. */
  | { readonly type: "wrap"; readonly id: number; readonly command: string; readonly rules: FolderRules }
  /** A wrapped command has ended. */
  | { readonly type: "ended"; readonly id: number };

/** An answer of the sandbox process. */
export type SandboxAnswer =
  | { readonly type: "opened" }
  | { readonly type: "not-opened"; readonly reason: string }
  /** The sandbox's files in the folder are removed, unless other commands still need them. */
  | {
      readonly type: "cleaned";
      readonly id: number;
      /** New names of files that were renamed because other programs would run or obey them by themselves. */
      readonly held: readonly string[];
    }
  | { readonly type: "wrapped"; readonly id: number; readonly line: string }
  | { readonly type: "not-wrapped"; readonly id: number; readonly reason: string };
