/**
 * Packages that the build copies into dist/, because each installs far more than Heddle uses; by the one source file
 * that imports each. A checkout runs that file unchanged; in dist/ it contains the package itself. All are development
 * dependencies, so that nobody who installs Heddle downloads them.
 */
export const bundledPackages: Readonly<Record<string, string>> = {
  "src/adapters/acp/acp-package.ts": "@agentclientprotocol/sdk",
  "src/adapters/hints/nats-package.ts": "@nats-io/transport-node",
  "src/adapters/mcp/client-package.ts": "@modelcontextprotocol/client",
  "src/adapters/mcp/server-package.ts": "@modelcontextprotocol/server",
  "src/adapters/oauth/oauth-package.ts": "oidc-provider",
  "src/adapters/sign-in/auth-package.ts": "better-auth",
  "src/adapters/sign-in/passkey-package.ts": "@better-auth/passkey",
  "src/adapters/sign-in/openid-package.ts": "openid-client",
  "src/adapters/shell/sandbox-runtime.ts": "@anthropic-ai/sandbox-runtime",
  "src/adapters/telemetry/metrics-package.ts": "prom-client",
  "src/adapters/tokens/o200k.ts": "gpt-tokenizer",
  "src/adapters/network/linkedom-package.ts": "linkedom",
  "src/adapters/network/readability-package.ts": "@mozilla/readability",
  "src/adapters/network/turndown-package.ts": "turndown",
  "src/core/base/hash.ts": "@noble/hashes",
  "src/core/syntax/call/validator-package.ts": "@cfworker/json-schema",
};

/** Folders that the code of those packages expects beside itself: programs that run inside the sandbox. */
export const bundledFolders: readonly { readonly from: string; readonly to: string }[] = [
  "seccomp",
  "java-proxy-agent",
].map((name) => ({
  from: `node_modules/@anthropic-ai/sandbox-runtime/vendor/${name}`,
  to: `dist/adapters/shell/vendor/${name}`,
}));
