/**
 * Packages whose code is copied into dist/ by the build, because each brings far more than Heddle uses: by the one source
 * file that imports each. A checkout runs that file as it is; in dist/ it holds the package itself. All of them are
 * development dependencies, so that nobody who installs Heddle downloads them.
 */
export const bundledPackages: Readonly<Record<string, string>> = {
  "src/adapters/mcp/client-package.ts": "@modelcontextprotocol/client",
  "src/adapters/shell/sandbox-runtime.ts": "@anthropic-ai/sandbox-runtime",
  "src/adapters/tokens/o200k.ts": "gpt-tokenizer",
};

/** Folders of those packages that their code looks for beside itself: programs that run inside the sandbox. */
export const bundledFolders: readonly { readonly from: string; readonly to: string }[] = [
  "seccomp",
  "java-proxy-agent",
].map((name) => ({
  from: `node_modules/@anthropic-ai/sandbox-runtime/vendor/${name}`,
  to: `dist/adapters/shell/vendor/${name}`,
}));
