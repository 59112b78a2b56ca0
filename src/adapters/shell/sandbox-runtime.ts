// The only file that imports the sandbox's code: the build bundles the package into its place.
export { SandboxManager } from "@anthropic-ai/sandbox-runtime";
