import type { openOAuth } from "./open-oauth.ts";

/** Loads the library, which warns of every Node that is newer than its long-term releases: Heddle runs on such a one. */
export async function loadOAuth(): Promise<typeof openOAuth> {
  const { warn } = console;
  console.warn = (...words: unknown[]) => {
    if (!/^\S*oidc-provider WARNING: Unsupported runtime/.test(String(words[0]))) warn(...words);
  };
  try {
    return (await import("./open-oauth.ts")).openOAuth;
  } finally {
    console.warn = warn;
  }
}
