import type { SandboxRuntimeConfig } from "@anthropic-ai/sandbox-runtime";
import type { FolderRules } from "./sandbox-policy.ts";

/** What is asked of the process that knows the sandbox. */
export type SandboxRequest =
  /** `own` is the private folder, which goes when the server does. */
  | { readonly type: "open"; readonly policy: SandboxRuntimeConfig; readonly own: string }
  /** Answered with the line of a shell that runs the command in the sandbox. */
  | { readonly type: "wrap"; readonly id: number; readonly command: string; readonly rules: FolderRules }
  /** A command that was wrapped is over. */
  | { readonly type: "ended"; readonly id: number };

/** What it answers. */
export type SandboxAnswer =
  | { readonly type: "opened" }
  | { readonly type: "not-opened"; readonly reason: string }
  /** What the sandbox had put into the folder is gone, unless other commands still need it. */
  | { readonly type: "cleaned"; readonly id: number }
  | { readonly type: "wrapped"; readonly id: number; readonly line: string }
  | { readonly type: "not-wrapped"; readonly id: number; readonly reason: string };
