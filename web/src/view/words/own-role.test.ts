import { expect, test } from "vitest";
import { noBeginningWords, noSendWords, readerWords, type OwnRole } from "./own-role.ts";

const words: Record<OwnRole, readonly [reads: string | null, sends: boolean]> = {
  viewer: ["You can read.", false],
  commenter: ["You can read and comment.", false],
  editor: [null, true],
  owner: [null, true],
  none: ["You can read.", false],
  unknown: [null, true],
};

test.each(Object.entries(words))(
  "what a role forbids is said, and what is not known forbids nothing: %s",
  (own, [reads, sends]) => {
    expect(readerWords(own as OwnRole)).toBe(reads);
    expect(noSendWords(own as OwnRole) === null).toBe(sends);
    expect(noBeginningWords(own as OwnRole) === null).toBe(sends);
  },
);
