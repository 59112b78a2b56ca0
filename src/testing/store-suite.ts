import { describe } from "vitest";
import { describeBlocks } from "./store/block-cases.ts";
import { describeLogs } from "./store/log-cases.ts";
import { describeFolders } from "./store/folder-cases.ts";
import { describeForest } from "./store/forest-cases.ts";
import { describeLeases } from "./store/lease-cases.ts";
import type { OpenStore } from "./store/opened-store.ts";
import { describeReopening } from "./store/reopen-cases.ts";
import { describeDeletion } from "./store/deletion-cases.ts";
import { describeRequests } from "./store/request-cases.ts";
import { describeTrash } from "./store/trash-cases.ts";
import { describeRights } from "./store/rights-cases.ts";
import { describeSignIn } from "./store/sign-in-cases.ts";
import { describeSuggestions } from "./store/suggestion-cases.ts";
import { describeThreads } from "./store/thread-cases.ts";
import { describeTrees } from "./store/tree-cases.ts";
import { describeTurns } from "./store/turn-cases.ts";
import { describeWords } from "./store/word-cases.ts";

/** Options of the store suite. */
export interface StoreSuiteOptions {
  /** How often the races are run; default 20. */
  readonly rounds?: number;
}

/** Defines the tests that every store passes. `open` gives an empty store for each test. */
export function describeStore(name: string, open: OpenStore, { rounds = 20 }: StoreSuiteOptions = {}): void {
  describe(`the ${name} store`, () => {
    describeForest(open);
    describeTrees(open, rounds);
    describeDeletion(open);
    describeFolders(open);
    describeRequests(open);
    describeTrash(open);
    describeWords(open);
    describeTurns(open);
    describeBlocks(open);
    describeLogs(open);
    describeSuggestions(open);
    describeThreads(open);
    describeRights(open);
    describeSignIn(open);
    describeLeases(open);
    describeReopening(open);
  });
}
