import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository, repositoryFiles } from "./source-files.ts";

// The words that docs/glossary.md bans, and what says the same in the field's terms.

/** Where the words are held: what Heddle's authors write. Records of the past and data from elsewhere keep theirs. */
const held = repositoryFiles().filter(
  (path) =>
    /\.(?:tsx?|md|js|json|html)$/.test(path) &&
    !/^(?:CHANGELOG\.md|docs\/(?:glossary|proof|cases)\.md|docs\/decisions\/|bench\/peers\/|test\/golden\/\d|src\/adapters\/storage\/\w+\/migrations\.ts|package-lock\.json)/.test(
      path,
    ) &&
    path !== "test/tidy/words.test.ts",
);

const banned: readonly (readonly [word: RegExp, instead: string])[] = [
  [
    /(?<![A-Za-z])[sS]tand(?:s|ing|ings)?(?![a-z])|Stand(?:s|ing|ings)?(?![a-z])|(?<![A-Za-z])[sS]tood(?![a-z])/g,
    "exists, applies, is valid, waits; status, placement",
  ],
  [/\bAgentId\b/g, "ReplicaId"],
  [
    /\b(?:Company|CrowdPause|CommandGround|Scene|Act|Outlet|Patience|SubAgentDesk|ApprovalShelf|DoomedConversation|RunInHand)\b/g,
    "the field's name",
  ],
  [/\b(?:toldNothing|lacking|whyMisplaced|isHeddlesWord)\b/g, "the field's name"],
  [
    /\b(?:CanvasNews|EventTaker|TakenEdit|whyAsk|CallInQuestion|comeToRest|forGood|giveWay|cameForward|settleWish|AskWish|LeftCall|LeftBlock|Remains|whyClosed|whyNotGiven|whyTooMuchMetadata|agentsToldOf|countGone|laterByLength)\b/g,
    "the field's name",
  ],
];

test.each(banned)("nothing says %s", (word, instead) => {
  const found = held.flatMap((path) =>
    readFileSync(join(repository, path), "utf8")
      .split("\n")
      .flatMap((line, index) => (line.match(word) ?? []).map((hit) => `${path}:${index + 1}: ${hit}`)),
  );
  expect(found, `write instead: ${instead}`).toEqual([]);
});
